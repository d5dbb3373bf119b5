/** Interpreters at a terminal without a program: a session, which is a program in their own language. */

const RUBY = String.raw`
number = 1
text = ""
line_of = ->(open) { print format("irb(main):%03d%s ", number, open ? "*" : ">"); $stdout.flush; $stdin.gets }
while (line = line_of.(!text.empty?))
  text << line
  number += 1
  break if text.strip =~ /\A(exit|quit|irb_exit)\z/
  next text.clear if text.strip.empty?
  begin
    value = TOPLEVEL_BINDING.eval(text, "(irb)", number - text.lines.size)
    text = +""
    puts "=> #{value.inspect}"
  rescue SyntaxError => error
    next if error.message =~ /unexpected end-of-input|unterminated|expected an .end/
    text = +""
    $stderr.puts error.message
  rescue SystemExit
    raise
  rescue Exception => error
    text = +""
    $stderr.puts "#{error.backtrace.first}: #{error.message} (#{error.class})"
  end
end
`;

const LUA = String.raw`
print(_VERSION .. "  Copyright (C) 1994-2023 Lua.org, PUC-Rio")
local text
while true do
  io.write(text and ">> " or "> ")
  io.flush()
  local line = io.read("L")
  if not line then print() break end
  text = (text or "") .. line
  local run, wrong = load("return " .. text, "=stdin")
  if not run then run, wrong = load(text, "=stdin") end
  if run or not wrong:find("<eof>", 1, true) then
    text = nil
    local found = run and table.pack(xpcall(run, function(error) return debug.traceback(error, 2) end))
    if not run then io.stderr:write(wrong, "\n")
    elseif not found[1] then io.stderr:write(tostring(found[2]), "\n")
    elseif found.n > 1 then print(table.unpack(found, 2, found.n)) end
  end
end
`;

const PHP = String.raw`
echo "Interactive shell\n\n";
$__text = "";
while (true) {
  echo $__text === "" ? "php > " : "php { ";
  $__line = fgets(STDIN);
  if ($__line === false || $__text === "" && in_array(rtrim(trim($__line), ";"), ["exit", "quit"])) break;
  $__text .= $__line;
  if (substr_count($__text, "{") > substr_count($__text, "}") || !preg_match('/[;}]\s*$/', $__text)) continue;
  try {
    eval($__text);
  } catch (ParseError $__error) {
    fwrite(STDERR, "PHP Parse error:  " . $__error->getMessage() . " in php shell code on line " . $__error->getLine() . "\n");
  } catch (Throwable $__error) {
    fwrite(STDERR, "Warning: Uncaught " . get_class($__error) . ": " . $__error->getMessage() . " in php shell code:1\n");
  }
  $__text = "";
  if (ob_get_level() === 0) echo "\n";
}
`;

const R_BANNER = String.raw`cat(R.version.string, "\n\n", sep = "")`;

const R = String.raw`
local({
  text <- character()
  repeat {
    cat(if (length(text)) "+ " else "> ")
    line <- readLines(file("stdin"), 1)
    if (!length(line)) break
    text <- c(text, line)
    parsed <- tryCatch(parse(text = text), error = function(e) e)
    if (inherits(parsed, "error")) {
      if (grepl("unexpected end of input|INCOMPLETE_STRING", conditionMessage(parsed))) next
      message("Error: ", conditionMessage(parsed))
    } else for (each in parsed) {
      shown <- tryCatch(withVisible(eval(each, globalenv())), error = function(e) {
        call <- deparse(conditionCall(e))[1]
        message("Error", if (call %in% c("NULL", "eval(each, globalenv())")) "" else paste0(" in ", call, " "), ": ", conditionMessage(e))
        NULL
      })
      if (is.null(shown)) break
      if (shown$visible) print(shown$value)
    }
    text <- character()
  }
})
`;

/** What an interpreter is called with for a session; undefined if its arguments ask for something else. */
export function sessionArguments([name, ...args]: readonly string[]): string[] | undefined {
  const wanted = args.join(" ");
  if (name === "irb") return ["ruby", "-e", RUBY];
  if (name === "ruby" && wanted === "-i") return ["ruby", "-e", RUBY];
  if (name === "lua" && (wanted === "" || wanted === "-i")) return ["lua", "-e", LUA];
  if (name === "php" && (wanted === "-a" || wanted === "--interactive")) return ["php", "-r", PHP];
  if (name === "R" && args.every((each) => QUIET.has(each) || R_OPTIONS.has(each))) {
    return ["Rscript", "-e", args.some((each) => QUIET.has(each)) ? R : `${R_BANNER}\n${R}`];
  }
  return undefined;
}

const QUIET = new Set(["--quiet", "-q", "--silent"]);
const R_OPTIONS = new Set(["--no-save", "--vanilla", "--no-restore", "--interactive"]);
