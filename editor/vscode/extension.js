// Starts ptxabi as the language server of PTX.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function () {
  const settings = vscode.workspace.getConfiguration("ptxabi");
  client = new LanguageClient(
    "ptxabi",
    "ptxabi",
    { command: settings.get("path"), args: ["lsp"] },
    {
      documentSelector: [{ language: "ptx" }],
      initializationOptions: { target: settings.get("target"), assume: settings.get("assume") },
      synchronize: { configurationSection: "ptxabi" },
    },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
