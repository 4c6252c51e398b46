-- mcl for Neovim 0.7 and later: `require("mcl").setup()` starts `mclc lsp` for programs and Puppet manifests.

local M = {}

local defaults = {
  -- The language server and its arguments; add { "--module-path", DIR } for remote modules.
  cmd = { "mclc", "lsp" },
  -- The runtime, which prints resource graphs for :MclGraph.
  runtime = "mgmt-rt",
  -- Whether the server checks Puppet manifests and EPP templates, too; another plugin may do so already.
  puppet = true,
  -- Called with the client and the buffer when the server is attached; a place for key bindings.
  on_attach = nil,
  -- What the editor can do; plugins for completion have their own.
  capabilities = nil,
}

local options = defaults

-- The directory that holds the program: the nearest one above that is a module, or else a repository.
local function root_of(path)
  local directory = vim.fn.fnamemodify(path, ":p:h")
  for _, marker in ipairs({ "metadata.yaml", "metadata.json", ".git" }) do
    local found = vim.fn.findfile(marker, directory .. ";")
    if found == "" then
      found = vim.fn.finddir(marker, directory .. ";")
    end
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p"):gsub("/$", ""):match("^(.*)/[^/]*$")
    end
  end
  return directory
end

-- The clients of Neovim 0.7, which has no vim.lsp.start, by their directories.
local clients = {}

--- Attaches the language server to a buffer, and starts it first unless it runs for the same directory.
function M.start(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.fn.executable(options.cmd[1]) == 0 then
    vim.notify_once("mcl: " .. options.cmd[1] .. " is not installed", vim.log.levels.WARN)
    return
  end
  local config = {
    name = "mclc",
    cmd = options.cmd,
    root_dir = root_of(name),
    on_attach = options.on_attach,
    capabilities = options.capabilities,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  local id = clients[config.root_dir]
  if not (id and vim.lsp.get_client_by_id(id)) then
    id = vim.lsp.start_client(config)
    clients[config.root_dir] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

local function run(command)
  local printed = vim.fn.system(command)
  if vim.v.shell_error ~= 0 then
    error(printed, 0)
  end
  return printed
end

--- Shows the resource graph of the program in the current buffer, as text. Applies nothing.
function M.graph()
  vim.cmd("silent update")
  local artifact = vim.fn.tempname() .. ".bin"
  local ok, result = pcall(function()
    run({ options.cmd[1], "build", vim.fn.expand("%:p"), "-o", artifact })
    return run({ options.runtime, "graph", artifact, "--format", "text" })
  end)
  vim.fn.delete(artifact)
  if not ok then
    vim.notify(result, vim.log.levels.ERROR)
    return
  end
  vim.cmd("new")
  vim.bo.buftype = "nofile"
  vim.bo.bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(result:gsub("\n$", ""), "\n"))
  vim.bo.modifiable = false
end

--- Starts the language server for every program and manifest that is opened from now on. `user` replaces defaults.
function M.setup(user)
  options = vim.tbl_extend("force", defaults, user or {})
  local group = vim.api.nvim_create_augroup("mcl", { clear = true })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = options.puppet and { "mcl", "puppet", "epuppet" } or "mcl",
    callback = function(event)
      -- Neovim 0.7 passes the buffer as `buf`, too.
      M.start(event.buf)
    end,
  })
  vim.api.nvim_create_user_command("MclGraph", M.graph, { desc = "Show the resource graph of this program" })
end

return M
