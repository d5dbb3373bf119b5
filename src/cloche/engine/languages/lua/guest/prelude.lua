-- Every Lua state runs this first: replaces what the C library lacks, and shows values. Returns its functions.
local host = ...
local type, tostring, rawget, next, select, error = type, tostring, rawget, next, select, error
local getmetatable, pcall = debug.getmetatable, pcall
local format, rep, find, gsub, byte = string.format, string.rep, string.find, string.gsub, string.byte
local concat, sort, unpack = table.concat, table.sort, table.unpack
local mathtype, huge, len = math.type, math.huge, utf8.len
local open, searchpath = io.open, package.searchpath
local FILE = getmetatable(io.stdout)

io.stdout:setvbuf("no")

os.getenv, os.clock, os.exit = host.getenv, host.clock, host.exit
debug.getregistry = nil

function io.popen(command, mode)
  mode = mode or "r"
  if type(command) ~= "string" and type(command) ~= "number" then
    error("bad argument #1 to 'popen' (string expected, got " .. type(command) .. ")", 2)
  elseif mode ~= "r" and mode ~= "w" then
    error("bad argument #2 to 'popen' (invalid mode)", 2)
  end
  local path = host.pipe(command, mode)
  if not path then return nil, "Too many open files", 33 end
  local file, why = open(path, mode)
  if not file then return nil, why end
  return host.closing(file, path)
end

package.path = host.path
package.cpath = ""
package.searchers[3], package.searchers[4] = function(name)
  local refusal = host.provide(name)
  if refusal then return refusal ~= "" and "not installed: " .. refusal or nil end
  local path = searchpath(name, package.path)
  if not path then return nil end
  local load, why = loadfile(path)
  if not load then error("error loading module '" .. name .. "' from file '" .. path .. "':\n\t" .. why, 0) end
  return load, path
end, nil

local KEYWORDS = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"):gmatch("%a+") do
  KEYWORDS[word] = true
end
local DEPTH, ITEMS, WIDTH, TEXT = 4, 100, 76, 10000
local ESCAPES = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\", ['"'] = '\\"', ["\0"] = "\\0" }

local function quote(text)
  if #text > TEXT then return quote(text:sub(1, TEXT)) .. " (" .. #text .. " bytes)" end
  text = gsub(text, '[%c"\\\127]', function(char) return ESCAPES[char] or format("\\x%02X", byte(char)) end)
  return '"' .. text .. '"'
end

local function plain(value)
  local kind = type(value)
  if kind == "string" then return quote(value) end
  if kind ~= "table" and kind ~= "userdata" then return tostring(value) end
  local meta = getmetatable(value)
  if type(meta) == "table" and rawget(meta, "__tostring") then
    local fine, text = pcall(tostring, value)
    if fine then return text end
    return "<" .. kind .. ">"
  end
  if kind == "userdata" then return tostring(value) end
end

local ORDER = { number = 1, string = 2, boolean = 3 }
local function before(a, b)
  local x, y = ORDER[type(a)] or 4, ORDER[type(b)] or 4
  if x ~= y then return x < y end
  if x <= 2 then return a < b end
  return tostring(a) < tostring(b)
end

local function label(key)
  if type(key) == "string" and find(key, "^[%a_][%w_]*$") and not KEYWORDS[key] then return key end
  return "[" .. (plain(key) or tostring(key)) .. "]"
end

local render
local function fields(value, depth, seen)
  local parts, count = {}, 0
  while count < ITEMS and rawget(value, count + 1) ~= nil do
    count = count + 1
    parts[count] = render(rawget(value, count), depth + 1, seen)
  end
  local keys, more = {}, 0
  for key in next, value do
    local integer = mathtype(key) == "integer" and key >= 1 and key <= count
    if not integer then
      if #keys + count < ITEMS then keys[#keys + 1] = key else more = more + 1 end
    end
  end
  sort(keys, before)
  for _, key in next, keys do
    parts[#parts + 1] = label(key) .. " = " .. render(rawget(value, key), depth + 1, seen)
  end
  if more > 0 then parts[#parts + 1] = "... " .. more .. " more" end
  return parts
end

function render(value, depth, seen)
  local text = plain(value)
  if text then return text end
  if seen[value] then return "<" .. seen[value] .. ">" end
  if next(value) == nil then return "{}" end
  if depth >= DEPTH then return "{...}" end
  seen[value] = "table " .. (depth == 0 and "itself" or "above")
  local parts = fields(value, depth, seen)
  seen[value] = nil
  local line = "{" .. concat(parts, ", ") .. "}"
  if #line + 2 * depth <= WIDTH and not find(line, "\n", 1, true) then return line end
  local indent = rep("  ", depth + 1)
  return "{\n" .. indent .. concat(parts, ",\n" .. indent) .. "\n" .. rep("  ", depth) .. "}"
end

-- LENGTH, NESTED and VALUES, the limits of a value's JSON, come from pack.ts.
local function control(char) return format("\\u%04x", byte(char)) end

-- Writes a value as JSON; raises an error if it is not plain data. A table must be a list, or have strings as keys.
local write
local function holds(value, left, depth)
  if depth == NESTED or getmetatable(value) then error() end
  local parts, count, named = {}, #value, false
  for key, item in next, value do
    left.values = left.values - 1
    if left.values < 0 then error() end
    if mathtype(key) == "integer" and key >= 1 and key <= count then
      parts[key] = write(item, left, depth + 1)
    elseif count == 0 and type(key) == "string" then
      named = true
      parts[#parts + 1] = write(key, left, depth) .. ":" .. write(item, left, depth + 1)
    else
      error()
    end
  end
  for index = 1, count do if not parts[index] then error() end end
  local text = concat(parts, ",")
  return named and "{" .. text .. "}" or "[" .. text .. "]"
end

function write(value, left, depth)
  local kind = type(value)
  if kind == "table" then return holds(value, left, depth) end
  if kind == "boolean" or mathtype(value) == "integer" then return tostring(value) end
  if kind == "string" then
    left.room = left.room - #value
    if left.room < 0 or not len(value) then error() end
    return '"' .. gsub(value, '[%c"\\]', control) .. '"'
  end
  if kind ~= "number" or value ~= value or value == huge or value == -huge then error() end
  local text = format("%.17g", value)
  return find(text, "[.e]") and text or text .. ".0"
end

local function data(...)
  local fine, text = pcall(write, (...), { values = VALUES, room = LENGTH }, 0)
  return fine and select("#", ...) == 1 and #text <= LENGTH and text or nil
end

-- The values of a cell as text, then as data; no text if there are none, or only what writing to a stream returns.
local function show(...)
  local count = select("#", ...)
  local first = ...
  if count == 0 or count == 1 and getmetatable(first) == FILE then return nil end
  local parts = {}
  local plainly = data(...)
  for index = 1, count do parts[index] = render((select(index, ...)), 0, {}) end
  local text = concat(parts, "\t")
  if #text > 4 * TEXT then text = text:sub(1, 4 * TEXT) .. "... (" .. #text .. " bytes)" end
  return text, plainly
end

-- The message of an error, whatever was thrown.
local function describe(value, bare)
  local kind = type(value)
  if kind == "string" or kind == "number" then return tostring(value) end
  local meta = getmetatable(value)
  if type(meta) == "table" and rawget(meta, "__tostring") then return tostring(value) end
  if bare or kind ~= "table" then return "(error object is a " .. kind .. " value)" end
  return render(value, 0, {})
end

local function inside(value)
  local meta = getmetatable(value)
  local index = type(meta) == "table" and rawget(meta, "__index")
  return type(index) == "table" and index or nil
end

-- Names below a path of names, one per line; only functions if they are called as methods.
local function names(path, methods)
  local value = _G
  for name in path:gmatch("[^%s]+") do
    local holder, found = value, nil
    for _ = 1, 10 do
      if type(holder) == "table" then found = rawget(holder, name) end
      holder = found == nil and inside(holder) or nil
      if holder == nil then break end
    end
    value = found
    if value == nil then return "" end
  end
  local parts, count = {}, 0
  for _ = 1, 10 do
    if type(value) == "table" then
      for key, item in next, value do
        local fits = type(key) == "string" and find(key, "^[%a_][%w_]*$") and (not methods or type(item) == "function")
        if fits and count < 10000 then
          count = count + 1
          parts[count] = key
        end
      end
    end
    value = inside(value)
    if value == nil then break end
  end
  return concat(parts, "\n")
end

return show, describe, names, collectgarbage
