-- A session with the real `mclc lsp`: attach, diagnostics, hover, definition, rename, format, graph. Run by the tests, in
-- the directory of a program, with this directory's parent in 'runtimepath'. Ends with status 1 at the first failure.

-- Milliseconds until something must have happened. It is long, because the machine may be busy.
local TIMEOUT = 60000

local function check(what, condition, detail)
  if not condition then
    io.stderr:write("failed: " .. what .. ": " .. vim.inspect(detail) .. "\n")
    vim.cmd("cquit 1")
  end
end

local function eventually(what, condition, detail)
  check(what, vim.wait(TIMEOUT, condition, 10), detail and detail())
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function request(method)
  local position = vim.lsp.util.make_position_params(0, "utf-16")
  local answers = vim.lsp.buf_request_sync(0, method, position, TIMEOUT)
  local _, answer = next(answers or {})
  check(method, answer and answer.result, answers)
  return answer.result
end

local function format()
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = TIMEOUT })
  else
    vim.lsp.buf.formatting_sync(nil, TIMEOUT)
  end
end

local attached = false
require("mcl").setup({
  on_attach = function()
    attached = true
  end,
})
vim.cmd("edit main.mcl")
check("the filetype", vim.bo.filetype == "mcl", vim.bo.filetype)
check("the comment string", vim.bo.commentstring == "# %s", vim.bo.commentstring)
eventually("the server is attached", function()
  return attached
end)

eventually("the error appears", function()
  return #vim.diagnostic.get(0) == 1
end, function()
  return vim.diagnostic.get(0)
end)
local diagnostic = vim.diagnostic.get(0)[1]
check("the error is on its line", diagnostic.lnum == 4, diagnostic)
check("its message", diagnostic.message:find("$missing", 1, true), diagnostic)

-- The text of the buffer counts, not that of the file.
vim.api.nvim_buf_set_lines(0, 4, 5, false, { '\tcontent   =>   "${greeting}\\n",' })
eventually("the error disappears", function()
  return #vim.diagnostic.get(0) == 0
end, function()
  return vim.diagnostic.get(0)
end)

vim.fn.cursor(5, vim.fn.stridx(vim.fn.getline(5), "greeting") + 1)
local hover = request("textDocument/hover")
check("hover shows the type", vim.inspect(hover):find("str", 1, true), hover)

vim.lsp.buf.definition()
eventually("the cursor goes to the definition", function()
  return vim.fn.line(".") == 1
end, function()
  return vim.fn.getpos(".")
end)

vim.lsp.buf.rename("welcome")
eventually("both places have the new name", function()
  local text = table.concat(lines(), "\n")
  return text:find("$welcome = ", 1, true) and text:find("${welcome}", 1, true)
end, lines)

format()
check("the layout", vim.fn.getline(5) == '\tcontent => "${welcome}\\n",', lines())

require("mcl").graph()
check("the graph", table.concat(lines(), "\n"):find("file", 1, true), lines())

-- Queries are found. They are compiled where there is a parser.
for _, name in ipairs({ "highlights", "injections", "locals", "folds", "indents" }) do
  local found = vim.api.nvim_get_runtime_file("queries/mcl/" .. name .. ".scm", true)
  check("queries are found", #found == 1, { name, found })
end
local parser = vim.env.MCL_PARSER
if vim.treesitter.language and vim.treesitter.language.add then
  vim.treesitter.language.add("mcl", { path = parser })
else
  vim.treesitter.require_language("mcl", parser)
end
vim.cmd("wincmd p")
local tree = vim.treesitter.get_parser(0, "mcl"):parse()[1]
check("the parser reads the program", tree:root():type() == "source_file", tree:root():sexpr())
local query = vim.treesitter.get_query and vim.treesitter.get_query("mcl", "highlights")
  or vim.treesitter.query.get("mcl", "highlights")
local captures = 0
for _ in query:iter_captures(tree:root(), 0, 0, -1) do
  captures = captures + 1
end
check("names are captured", captures > 10, captures)

vim.cmd("edit! manifest.pp")
check("the filetype of manifests", vim.bo.filetype == "puppet", vim.bo.filetype)
eventually("the error of the manifest appears", function()
  return #vim.diagnostic.get(0) == 1
end, function()
  return vim.diagnostic.get(0)
end)

io.stdout:write("the session is complete\n")
vim.cmd("qall!")
