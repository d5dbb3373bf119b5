"""The same small things said in every language."""

import msgspec


class Snippets(msgspec.Struct, frozen=True):
    """How a language says what the tests want said."""

    hello: str
    """Prints `hello`."""
    keep: str
    """Gives `kept` the value 41."""
    kept: str
    """An expression, or a command, that gives or prints 41."""
    loop: str
    """Does not end."""
    recursion: str
    """Calls itself without end."""
    flood: str
    """Prints some megabytes."""
    huge: str
    """Wants more memory than there is."""
    wrong: str
    """Fails at run time in line 2."""
    broken: str
    """A syntax error at the end."""
    leave: str
    """Ends with exit code 3."""
    write: str
    """Writes `from LANGUAGE` to out.txt."""
    read: str
    """Prints the contents of in.txt."""
    echo: str
    """Prints the line that it reads."""
    env: str
    """Prints the environment variable COLOUR."""


SNIPPETS = {
    "javascript": Snippets(
        hello="console.log('hello')",
        keep="let kept = 41",
        kept="kept",
        loop="while (true) {}",
        recursion="function f(n) { return f(n + 1) + 1 }\nf(0)",
        flood="for (let i = 0; i < 200000; i++) console.log('0123456789 0123456789')",
        huge="const a = []; while (true) a.push('x'.repeat(1 << 20) + a.length)",
        wrong="const a = 1;\nnothing.at.all;\n",
        broken="const a = 1;\nfunction f() {\n",
        leave="process.exit(3)",
        write="require('fs').writeFileSync('out.txt', 'from javascript')",
        read="console.log(require('fs').readFileSync('in.txt', 'utf8'))",
        echo="console.log(require('fs').readFileSync(0, 'utf8').trim())",
        env="console.log(process.env.COLOUR)",
    ),
    "typescript": Snippets(
        hello="const text: string = 'hello'; console.log(text)",
        keep="let kept: number = 41",
        kept="kept",
        loop="while (true) {}",
        recursion="function f(n: number): number { return f(n + 1) + 1 }\nf(0)",
        flood="for (let i: number = 0; i < 200000; i++) console.log('0123456789 0123456789')",
        huge="const a: string[] = []; while (true) a.push('x'.repeat(1 << 20) + a.length)",
        wrong="const a: number = 1;\n(nothing as any).at.all;\n",
        broken="const a: number = 1;\nfunction f(): void {\n",
        leave="process.exit(3)",
        write="import { writeFileSync } from 'fs'; writeFileSync('out.txt', 'from typescript')",
        read="import { readFileSync } from 'fs'; console.log(readFileSync('in.txt', 'utf8'))",
        echo="import { readFileSync as r } from 'fs'; console.log(r(0, 'utf8').trim())",
        env="console.log(process.env.COLOUR as string)",
    ),
    "ruby": Snippets(
        hello="puts 'hello'",
        keep="kept = 41",
        kept="kept",
        loop="loop {}",
        recursion="def f(n) = f(n + 1) + 1\nf(0)",
        flood="200000.times { puts '0123456789 0123456789' }",
        huge="a = []\nloop { a << 'x' * (1 << 20) + a.size.to_s }",
        wrong="a = 1\nnothing_at_all\n",
        broken="a = 1\ndef f\n",
        leave="exit 3",
        write="File.write('out.txt', 'from ruby')",
        read="puts File.read('in.txt')",
        echo="puts gets",
        env="puts ENV['COLOUR']",
    ),
    "php": Snippets(
        hello="echo 'hello', \"\\n\";",
        keep="$kept = 41;",
        kept="$kept",
        loop="while (true) {}",
        recursion="function f($n) { return f($n + 1) + 1; }\nf(0);",
        flood='for ($i = 0; $i < 200000; $i++) echo "0123456789 0123456789\\n";',
        huge="$a = []; while (true) $a[] = str_repeat('x', 1 << 20) . count($a);",
        wrong="$a = 1;\nnothing_at_all();\n",
        broken="$a = 1;\nfunction f() {\n",
        leave="exit(3);",
        write="file_put_contents('out.txt', 'from php');",
        read="echo file_get_contents('in.txt'), \"\\n\";",
        echo="echo fgets(STDIN);",
        env="echo getenv('COLOUR'), \"\\n\";",
    ),
    "lua": Snippets(
        hello="print('hello')",
        keep="kept = 41",
        kept="kept",
        loop="while true do end",
        recursion="function f(n) return f(n + 1) + 1 end\nf(0)",
        flood="for i = 1, 200000 do print('0123456789 0123456789') end",
        huge="local a = {} while true do a[#a + 1] = ('x'):rep(1 << 20) .. #a end",
        wrong="local a = 1\nnothing.at.all = 2\n",
        broken="local a = 1\nfunction f()\n",
        leave="os.exit(3)",
        write="local f = io.open('out.txt', 'w') f:write('from lua') f:close()",
        read="print(io.open('in.txt'):read('a'))",
        echo="print(io.read('l'))",
        env="print(os.getenv('COLOUR'))",
    ),
    "r": Snippets(
        hello="cat('hello\\n')",
        keep="kept <- 41",
        kept="kept",
        loop="repeat {}",
        recursion="f <- function(n) f(n + 1) + 1\nf(0)",
        flood="for (i in 1:100000) cat('0123456789 0123456789\\n')",
        huge="a <- list(); repeat a[[length(a) + 1]] <- numeric(1e7)",
        wrong="a <- 1\nnothing_at_all\n",
        broken="a <- 1\nf <- function() {\n",
        leave="quit(status = 3)",
        write="cat('from r', file = 'out.txt')",
        read="cat(readLines('in.txt', warn = FALSE), '\\n', sep = '')",
        echo="cat(readLines('stdin', n = 1), '\\n', sep = '')",
        env="cat(Sys.getenv('COLOUR'), '\\n', sep = '')",
    ),
    "perl": Snippets(
        hello='print "hello\\n";',
        keep="our $kept = 41;",
        kept="$kept",
        loop="1 while 1;",
        recursion="no warnings; sub f { my $n = shift; return f($n + 1) + 1 }\nf(0);",
        flood='print "0123456789 0123456789\\n" for 1 .. 200000;',
        huge='my @a; push @a, ("x" x (1 << 20)) . @a while 1;',
        wrong="my $a = 1;\nnothing_at_all();\n",
        broken="my $a = 1;\nsub f {\n",
        leave="exit 3;",
        write="open my $f, '>', 'out.txt'; print $f 'from perl'; close $f;",
        read="open my $f, '<', 'in.txt'; print <$f>, \"\\n\";",
        echo="print scalar <STDIN>;",
        env='print "$ENV{COLOUR}\\n";',
    ),
    "scheme": Snippets(
        hello='(display "hello") (newline)',
        keep="(define kept 41)",
        kept="kept",
        loop="(let loop () (loop))",
        recursion="(define (f n) (+ 1 (f (+ n 1))))\n(f 0)",
        flood='(do ((i 0 (+ i 1))) ((= i 200000)) (display "0123456789 0123456789") (newline))',
        huge="(let loop ((a '())) (loop (cons (make-vector 100000 0) a)))",
        wrong="(define a 1)\n(nothing-at-all)\n",
        broken="(define a 1)\n(define (f)\n",
        leave="(exit 3)",
        write='(call-with-output-file "out.txt" (lambda (p) (write-string "from scheme" p)))',
        read='(display (call-with-input-file "in.txt" read-line)) (newline)',
        echo="(display (read-line)) (newline)",
        env='(display (get-environment-variable "COLOUR")) (newline)',
    ),
}
"""All but Python and bash, which have tests of their own, and SQL, which is no programming language."""
