// Starts ptxabi as the language server of PTX.
const { execFile } = require("child_process");
const { promisify } = require("util");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;
let done = Promise.resolve(); // when all before is over

// next does something after all before, even if that failed.
function next(what) {
  done = done.then(what, what);
  return done;
}

function setting(name) {
  return vscode.workspace.getConfiguration("ptxabi").get(name);
}

function options() {
  return { target: setting("target"), assume: setting("assume") };
}

// tried returns the reason why a command is not ptxabi, if it is not.
async function tried(command) {
  try {
    const { stdout } = await promisify(execFile)(command, ["version"]);
    return stdout.startsWith("ptxabi ") ? undefined : new Error(`${command} is another command`);
  } catch (e) {
    return e;
  }
}

async function start() {
  const command = setting("path");
  const error = await tried(command);
  if (error) {
    missing(command, error);
    return;
  }
  client = new LanguageClient(
    "ptxabi",
    "ptxabi",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "ptx" }], initializationOptions: options() },
  );
  await client.start();
}

async function stop() {
  const last = client;
  client = undefined;
  await last?.stop();
}

async function missing(command, error) {
  const open = "Open Settings";
  const text = `ptxabi does not start: ${error.message.trim()}. Install it, or set "ptxabi.path" to its file; it is "${command}" now.`;
  if ((await vscode.window.showErrorMessage(text, open)) === open) {
    vscode.commands.executeCommand("workbench.action.openSettings", "ptxabi.path");
  }
}

exports.activate = function (context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("ptxabi.path")) {
        next(stop);
        next(start);
      } else if (e.affectsConfiguration("ptxabi")) {
        next(() => client?.sendNotification("workspace/didChangeConfiguration", { settings: { ptxabi: options() } }));
      }
    }),
  );
  return next(start);
};

exports.deactivate = () => next(stop);
