-- ptxabi as the language server of PTX, for Neovim 0.8 and later: source this file in init.lua, or copy it to
-- plugin/ptxabi.lua in the folder of the configuration. The command ptxabi has to be on the path.
vim.filetype.add({ extension = { ptx = "ptx" } })
vim.api.nvim_create_autocmd("FileType", {
  pattern = "ptx",
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    vim.lsp.start({
      name = "ptxabi",
      cmd = { "ptxabi", "lsp" },
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf)),
      -- init_options = { target = "sm_90", assume = false },
    })
    if vim.lsp.inlay_hint then -- since 0.10
      vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    end
  end,
})
