// A client made of vscode-languageserver-protocol: node client.js SERVER FILE. It prints what the server answers, as JSON.
const { spawn } = require("child_process");
const fs = require("fs");
const p = require("vscode-languageserver-protocol/node");

const [server, file] = process.argv.slice(2);
const child = spawn(server, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const c = p.createProtocolConnection(new p.StreamMessageReader(child.stdout), new p.StreamMessageWriter(child.stdin));
const published = [];
let wake;
c.onNotification(p.PublishDiagnosticsNotification.type, (d) => { published.push(d); wake?.(); });
c.onError((e) => { throw e[0]; });
c.listen();

async function diagnostics(version) {
  while (!published.some((d) => d.version === version)) await new Promise((done) => { wake = done; });
  return published.find((d) => d.version === version).diagnostics;
}

(async () => {
  const out = {};
  const init = await c.sendRequest(p.InitializeRequest.type, {
    processId: process.pid, rootUri: null, initializationOptions: { target: "sm_90" },
    capabilities: { general: { positionEncodings: ["utf-16"] }, textDocument: { semanticTokens: { requests: { full: true, range: true }, tokenTypes: [], tokenModifiers: [], formats: ["relative"] } } },
  });
  out.capabilities = init.capabilities;
  await c.sendNotification(p.InitializedNotification.type, {});
  const text = fs.readFileSync(file, "utf8");
  const textDocument = { uri: "file://" + file };
  await c.sendNotification(p.DidOpenTextDocumentNotification.type, { textDocument: { ...textDocument, languageId: "ptx", version: 1, text } });
  out.diagnostics = await diagnostics(1);
  const lines = text.split("\n");
  const line = lines.findIndex((l) => l.includes("call (z)"));
  const position = { line, character: lines[line].indexOf("callee") + 1 };
  const range = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
  out.hover = await c.sendRequest(p.HoverRequest.type, { textDocument, position });
  out.definition = await c.sendRequest(p.DefinitionRequest.type, { textDocument, position });
  out.references = await c.sendRequest(p.ReferencesRequest.type, { textDocument, position, context: { includeDeclaration: true } });
  out.symbols = await c.sendRequest(p.DocumentSymbolRequest.type, { textDocument });
  out.hints = await c.sendRequest(p.InlayHintRequest.type, { textDocument, range });
  out.tokens = await c.sendRequest(p.SemanticTokensRequest.type, { textDocument });
  out.range = await c.sendRequest(p.SemanticTokensRangeRequest.type, { textDocument, range });
  out.actions = await c.sendRequest(p.CodeActionRequest.type, { textDocument, range, context: { diagnostics: out.diagnostics } });
  out.formatting = await c.sendRequest(p.DocumentFormattingRequest.type, { textDocument, options: { tabSize: 2, insertSpaces: true } });
  // An opcode is typed at the end of a line.
  await c.sendNotification(p.DidChangeTextDocumentNotification.type, {
    textDocument: { ...textDocument, version: 2 },
    contentChanges: [{ range: { start: { line: line + 1, character: 0 }, end: { line: line + 1, character: 0 } }, text: "\tsetp.\n" }],
  });
  out.completion = await c.sendRequest(p.CompletionRequest.type, { textDocument, position: { line: line + 1, character: 6 } });
  out.after = await diagnostics(2);
  await c.sendNotification(p.DidChangeConfigurationNotification.type, { settings: { ptxabi: { target: "sm_80" } } });
  out.sm80 = await c.sendRequest(p.HoverRequest.type, { textDocument, position });
  await c.sendRequest(p.ShutdownRequest.type);
  const ended = new Promise((done) => child.on("exit", done));
  await c.sendNotification(p.ExitNotification.type);
  out.status = await ended;
  console.log(JSON.stringify(out));
})().catch((e) => { console.error(e); process.exit(1); });
