// An extension that uses what the extension ptxabi offers, as a user does, and writes what it sees as JSON: its
// config.json has the file to open, the file to write, and the command.
const fs = require("fs");
const vscode = require("vscode");
const { file, out, command } = require("./config.json");

// until waits until a function returns true, at most half a minute, and says whether it did.
async function until(what) {
  for (let n = 0; ; n++) {
    const got = await what();
    if (got || n === 300) return Boolean(got);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function all(result) {
  const run = vscode.commands.executeCommand;
  const doc = await vscode.workspace.openTextDocument(file);
  const { uri } = doc;
  await vscode.window.showTextDocument(doc);
  result.version = vscode.version;
  result.language = doc.languageId;
  const diagnostics = () => vscode.languages.getDiagnostics(uri).map((d) => ({ code: d.code, source: d.source, line: d.range.start.line }));
  await until(() => diagnostics().length > 0);
  result.diagnostics = diagnostics();
  const whole = new vscode.Range(0, 0, doc.lineCount, 0);
  const [fix] = await run("vscode.executeCodeActionProvider", uri, whole, "quickfix");
  result.fix = fix.title;
  await vscode.workspace.applyEdit(fix.edit);
  result.fixed = await until(() => diagnostics().length === 0);
  result.text = doc.getText();

  const at = doc.positionAt(doc.getText().lastIndexOf("callee") + 1);
  const hover = async () => (await run("vscode.executeHoverProvider", uri, at)).flatMap((h) => h.contents.map((c) => c.value)).join("\n");
  const line = (l) => (l.range ?? l.targetRange).start.line;
  result.hover = await hover();
  result.definition = (await run("vscode.executeDefinitionProvider", uri, at)).map(line);
  result.references = (await run("vscode.executeReferenceProvider", uri, at)).map(line);
  result.symbols = (await run("vscode.executeDocumentSymbolProvider", uri)).map((s) => s.name);
  const hints = async () => (await run("vscode.executeInlayHintProvider", uri, whole)).map((h) => h.label);
  result.hints = await hints();
  const legend = await run("vscode.provideDocumentSemanticTokensLegend", uri);
  const { data } = await run("vscode.provideDocumentSemanticTokens", uri);
  result.colours = [];
  for (let i = 0, l = 0, c = 0; i < data.length; i += 5) {
    c = data[i] ? data[i + 1] : c + data[i + 1];
    l += data[i];
    result.colours.push(doc.getText(new vscode.Range(l, c, l, c + data[i + 2])) + ":" + legend.tokenTypes[data[i + 3]]);
  }
  const labels = async (p) => (await run("vscode.executeCompletionItemProvider", uri, p)).items.map((i) => i.label.label ?? i.label);
  result.completion = await labels(at);
  result.nothing = await labels(new vscode.Position(4, 5)); // in a comment
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri, await run("vscode.executeFormatDocumentProvider", uri, { tabSize: 2, insertSpaces: true }));
  await vscode.workspace.applyEdit(edit);
  result.formatted = doc.getText();

  const settings = () => vscode.workspace.getConfiguration("ptxabi");
  await settings().update("target", "sm_90", vscode.ConfigurationTarget.Workspace);
  result.sm90 = await until(async () => (await hints()).includes("c[0x0][0x210]"));
  await settings().update("target", "sm_50", vscode.ConfigurationTarget.Workspace);
  await until(() => diagnostics().length > 0);
  result.sm50 = diagnostics();
  await settings().update("target", undefined, vscode.ConfigurationTarget.Workspace);
  result.own = await until(async () => diagnostics().length === 0 && (await hints()).includes("c[0x0][0x160]"));
  await settings().update("target", "sm_50", vscode.ConfigurationTarget.Workspace);
  await until(() => diagnostics().length > 0);
  // A command that does not exist stops the server; with one that does, another is started.
  await settings().update("path", command + "-missing", vscode.ConfigurationTarget.Global);
  result.stopped = await until(() => diagnostics().length === 0);
  await settings().update("path", command, vscode.ConfigurationTarget.Global);
  result.restarted = await until(() => diagnostics().length > 0);
}

exports.activate = async function () {
  const result = {};
  try {
    await all(result);
  } catch (e) {
    result.error = e.stack;
  }
  fs.writeFileSync(out + ".part", JSON.stringify(result));
  fs.renameSync(out + ".part", out); // so that who waits for it finds all of it
};
