"""The same three pieces of work in each language: recursion, a string of half a megabyte, sorting."""

import json

import msgspec

from cloche.sandbox.cache.downloads import ENGINE


class Program(msgspec.Struct, frozen=True):
    """How a language does the work, and what runs it natively."""

    native: tuple[str, ...]
    """The command of the native interpreter; the code follows."""
    one: str
    """An expression with the value 2."""
    endless: str
    work: dict[str, str]
    """Each prints one number."""


FIB, TEXT, SORT = "fib(24)", "string of 500,000", "sort of 200,000"
ANSWERS = {FIB: "46368", TEXT: "500000", SORT: "1"}

PROGRAMS = {
    "python": Program(
        ("python3", "-c"),
        "1 + 1",
        "while True: pass",
        {
            FIB: "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(24))",
            TEXT: "s = ''\nfor i in range(500000): s += 'x'\nprint(len(s))",
            SORT: "a = [(i * 7919) % 200003 for i in range(1, 200001)]\na.sort()\nprint(a[0])",
        },
    ),
    "javascript": Program(
        ("node", "-e"),
        "1 + 1",
        "while (true) {}",
        {
            FIB: "var fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); console.log(fib(24))",
            TEXT: "var s = ''; for (var i = 0; i < 500000; i++) s += 'x'; console.log(s.length)",
            SORT: "var a = []; for (var i = 1; i <= 200000; i++) a.push((i * 7919) % 200003); "
            "a.sort((x, y) => x - y); console.log(a[0])",
        },
    ),
    "typescript": Program(
        (),
        "1 + 1 as number",
        "while (true) {}",
        {FIB: "var fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); console.log(fib(24))"},
    ),
    "ruby": Program(
        ("ruby", "-e"),
        "1 + 1",
        "loop {}",
        {
            FIB: "def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)\nputs fib(24)",
            TEXT: "s = +''\n500000.times { s << 'x' }\nputs s.length",
            SORT: "a = (1..200000).map { |i| (i * 7919) % 200003 }\nputs a.sort.first",
        },
    ),
    "php": Program(
        ("php", "-r"),
        "1 + 1",
        "while (true) {}",
        {
            FIB: 'function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); } echo fib(24), "\\n";',
            TEXT: "$s = ''; for ($i = 0; $i < 500000; $i++) $s .= 'x'; echo strlen($s), \"\\n\";",
            SORT: '$a = []; for ($i = 1; $i <= 200000; $i++) $a[] = ($i * 7919) % 200003; sort($a); echo $a[0], "\\n";',
        },
    ),
    "lua": Program(
        ("lua5.4", "-e"),
        "1 + 1",
        "while true do end",
        {
            FIB: "function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end print(fib(24))",
            TEXT: "local t = {} for i = 1, 500000 do t[i] = 'x' end print(#table.concat(t))",
            SORT: "local a = {} for i = 1, 200000 do a[i] = (i * 7919) % 200003 end table.sort(a) print(a[1])",
        },
    ),
    "r": Program(
        ("Rscript", "-e"),
        "1 + 1",
        "repeat {}",
        {
            FIB: 'fib <- function(n) if (n < 2) n else fib(n - 1) + fib(n - 2); cat(fib(24), "\\n")',
            TEXT: 's <- paste(rep("x", 500000), collapse = ""); cat(format(nchar(s), scientific = FALSE), "\\n")',
            SORT: 'a <- ((1:200000) * 7919) %% 200003; cat(sort(a)[1], "\\n")',
        },
    ),
    "perl": Program(
        ("perl", "-e"),
        "1 + 1",
        "1 while 1",
        {
            FIB: 'sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) } print fib(24), "\\n";',
            TEXT: 'my $s = ""; $s .= "x" for 1 .. 500000; print length($s), "\\n";',
            SORT: 'my @a = sort { $a <=> $b } map { ($_ * 7919) % 200003 } 1 .. 200000; print $a[0], "\\n";',
        },
    ),
    "scheme": Program(
        ("guile", "-c"),
        "(+ 1 1)",
        "(let loop () (loop))",
        {
            FIB: "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (display (fib 24)) (newline)",
            TEXT: '(display (string-length (apply string-append (vector->list (make-vector 500000 "x"))))) (newline)',
            SORT: "(define a (map (lambda (i) (modulo (* i 7919) 200003)) (iota 200000 1))) "
            "(display (car (sort a (lambda (x y) (< x y))))) (newline)",
        },
    ),
    "sql": Program(
        (),
        "select 1 + 1",
        "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t",
        {},
    ),
}


def first_cell(name: str) -> tuple[str, str]:
    """Code and what it gives; for a language without a program here, the first of its cases."""
    if name in PROGRAMS:
        return PROGRAMS[name].one, "2"
    case = json.loads((ENGINE / "languages" / name / "cases.json").read_text())[0]
    return case["code"], case.get("value") or case.get("stdout") or ""
