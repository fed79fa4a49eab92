// Runs the extension for Visual Studio Code without the editor: the modules that it needs are stand-ins that write what it
// does. The first argument is the extension, and each of the others a value of ptxabi.path, as JSON.
const Module = require("module");

const [extension, ...paths] = process.argv.slice(2);
let path;
let seen = [];
class LanguageClient {
  constructor(id, name, server) {
    this.command = server.command;
  }
  async start() {
    seen.push("start " + this.command);
  }
  async stop() {
    seen.push("stop");
  }
}
const vscode = {
  window: { showErrorMessage: async (text) => void seen.push(text) },
  workspace: {
    getConfiguration: () => ({ get: (name) => (name === "path" ? path : undefined) }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => ({ vscode, "vscode-languageclient/node": { LanguageClient } })[name] ?? load(name, ...rest);

(async () => {
  const { activate, deactivate } = require(extension);
  const all = [];
  for (const p of paths) {
    path = JSON.parse(p);
    seen = [];
    try {
      await activate({ subscriptions: [] });
      await deactivate();
    } catch (e) {
      seen.push("thrown: " + e.message);
    }
    all.push(seen);
  }
  process.stdout.write(JSON.stringify(all));
})();
