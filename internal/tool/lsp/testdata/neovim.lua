local id
if vim.lsp.start then
  vim.cmd("luafile " .. %q)
  vim.cmd("edit " .. %q)
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
  vim.wait(10000, function() return #clients({ name = "ptxabi" }) > 0 end, 20)
  id = clients({ name = "ptxabi" })[1].id
  print("settings true")
else
  vim.cmd("edit " .. %[2]q)
  id = vim.lsp.start_client({ name = "ptxabi", cmd = { %[3]q, "lsp" }, root_dir = %[4]q })
  vim.lsp.buf_attach_client(0, id)
  print("settings none")
end
local ok = vim.wait(10000, function() return #vim.diagnostic.get(0) > 0 end, 20)
print("diagnostics", ok)
local at = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 10, character = 13 }, context = { includeDeclaration = true },
  range = { start = { line = 0, character = 0 }, ["end"] = { line = 20, character = 0 } }, options = { tabSize = 4, insertSpaces = true } }
for _, m in ipairs({ "hover", "definition", "references", "documentSymbol", "inlayHint", "completion", "codeAction", "semanticTokens/range", "formatting" }) do
  local r = vim.lsp.buf_request_sync(0, "textDocument/" .. m, at, 10000)
  print(m .. " " .. (r and r[id] and vim.inspect(r[id]):gsub("%%s+", " ") or "nothing"))
end
if vim.lsp.inlay_hint then
  print("hints " .. tostring(vim.wait(10000, function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end, 20)))
end
if vim.lsp.semantic_tokens then
  print("colours " .. tostring(vim.wait(10000, function() return vim.lsp.semantic_tokens.get_at_pos(0, 10, 2) ~= nil and #vim.lsp.semantic_tokens.get_at_pos(0, 10, 2) > 0 end, 20)))
end
if vim.lsp.buf.format then
  vim.lsp.buf.format({ async = false, timeout_ms = 10000, formatting_options = { tabSize = 2, insertSpaces = true } })
  print("formatted [" .. vim.api.nvim_buf_get_lines(0, 7, 8, false)[1] .. "]")
end
vim.lsp.stop_client(id)
vim.wait(10000, function() return not vim.lsp.get_client_by_id(id) end, 20)
vim.cmd("qa!")
