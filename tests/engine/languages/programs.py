"""Programs that print what they were started with, in every language."""

import msgspec


class Program(msgspec.Struct, frozen=True):
    """How a language says what the tests want said."""

    extension: str
    show: str
    """Prints the arguments, each in brackets."""
    name: str
    """Prints the file that the program was read from."""
    wrong: str
    """Fails at run time in line 2, in a function."""
    broken: str
    """Cannot be read."""
    nameless: str
    """What the name is where there is no file."""


PROGRAMS = {
    "javascript": Program(
        "js",
        "console.log(process.argv.slice(2).map(each => `[${each}]`).join(''))",
        "console.log(process.argv[1])",
        "function fail() {\n  throw new Error('no')\n}\nfail()",
        "let = ;",
        "[cell]",
    ),
    "typescript": Program(
        "ts",
        "const all: string[] = process.argv.slice(2)\nconsole.log(all.map((each: string) => `[${each}]`).join(''))",
        "console.log(process.argv[1] as string)",
        "function fail(): void {\n  throw new Error('no')\n}\nfail()",
        "let x: = ;",
        "[cell]",
    ),
    "ruby": Program(
        "rb",
        'puts ARGV.map { |each| "[#{each}]" }.join',
        "puts $0 if __FILE__ == $0",
        "def fail_now\n  raise 'no'\nend\nfail_now",
        "def x(",
        "<cell>",
    ),
    "php": Program(
        "php",
        'foreach (array_slice($argv, 1) as $each) echo "[$each]"; echo "\\n"; assert($argc === count($argv));',
        'echo $argv[0], "\\n";',
        "function fail() {\n  throw new Exception('no');\n}\nfail();",
        "$x = = 2;",
        "-",
    ),
    "lua": Program(
        "lua",
        "for _, each in ipairs(arg) do io.write('[', each, ']') end print()",
        "print(arg[0])",
        "function fail()\n  error('no')\nend\nfail()",
        "x = = 2",
        "lua",
    ),
    "perl": Program(
        "pl",
        'print map({ "[$_]" } @ARGV), "\\n";',
        'print "$0\\n";',
        "sub fail {\n  die 'no';\n}\nfail();",
        "my $x = = 2;",
        "-e",
    ),
    "r": Program(
        "R",
        "cat(paste0('[', commandArgs(trailingOnly = TRUE), ']', recycle0 = TRUE), '\\n', sep = '')",
        "cat(attr(attr(function() 1, 'srcref'), 'srcfile')$filename, '\\n', sep = '')",
        "fail <- function() {\n  stop('no')\n}\nfail()",
        "x <- = 2",
        "<cell>",
    ),
    "scheme": Program(
        "scm",
        '(for-each (lambda (each) (display "[") (display each) (display "]")) (cdr (command-line))) (newline)',
        "(display (car (command-line))) (newline)",
        "(define (fail)\n  (car 1))\n(fail)",
        "(display",
        "scheme",
    ),
}
