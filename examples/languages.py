"""Pass one file through ten languages: each reads what the one before wrote, and adds a line of its own."""

import anyio

import cloche

STEPS = {
    "python": "open('notes.txt', 'w').write('python: started it\\n')",
    "javascript": "const fs = require('fs'); fs.appendFileSync('notes.txt', 'javascript: saw ' + "
    "fs.readFileSync('notes.txt', 'utf8').trim().split('\\n').length + ' line\\n')",
    "typescript": "import { appendFileSync } from 'fs'; const n: number = 2; "
    "appendFileSync('notes.txt', `typescript: line ${n + 1}\\n`)",
    "ruby": "File.open('notes.txt', 'a') { |f| f.puts \"ruby: #{File.size('notes.txt')} bytes so far\" }",
    "php": "file_put_contents('notes.txt', 'php: ' . count(file('notes.txt')) . \" lines so far\\n\", FILE_APPEND);",
    "lua": "local n = 0; for _ in io.lines('notes.txt') do n = n + 1 end; "
    "local f = io.open('notes.txt', 'a'); f:write('lua: line ', n + 1, '\\n'); f:close()",
    "r": "n <- length(readLines('notes.txt')); cat('r: line', n + 1, '\\n', file = 'notes.txt', append = TRUE)",
    "perl": "open my $in, '<', 'notes.txt'; my @l = <$in>; close $in; "
    "open my $out, '>>', 'notes.txt'; print $out 'perl: after ', $l[-1]; close $out;",
    "scheme": '(define text (call-with-input-file "notes.txt" (lambda (in) (read-line in))))\n'
    '(call-with-output-file "last.txt" (lambda (out) (write-string (string-append "scheme: first was " text) out)))',
    "sql": "create table notes (line text); insert into notes values ('sql: keeps them in main.db');",
}


async def main() -> None:
    async with cloche.Sandbox() as box:
        for language, code in STEPS.items():
            await box.run(code, language=language, timeout=60, check=True)
        result = await box.bash("cat notes.txt last.txt; echo; sqlite3 main.db 'select line from notes'", check=True)
        print(result.stdout, end="")
        loaded = [each for each in await box.languages() if each.loaded]
        print(f"{len(loaded)} languages, {sum(each.memory for each in loaded) / 1e6:.0f} MB")


if __name__ == "__main__":
    anyio.run(main)
