/** Ports, libraries, evaluation, and what surrounds a program. */

import { Bench, checkTable } from "./harness_test.ts";

function same(got: unknown, expected: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) {
    throw new Error(`got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  }
}

checkTable(
  "ports",
  String.raw`
(let ((p (open-input-string "ab\ncd"))) (let* ((a (peek-char p)) (b (read-char p)) (c (read-line p)) (d (read-string 5 p)) (e (read-char p))) (list a b c d (eof-object? e)))) ;=> (#\a #\a "b" "cd" #t)
(let ((p (open-input-string "(a . b) 12 \"s\" ; end"))) (let* ((a (read p)) (b (read p)) (c (read p)) (d (read p))) (list a b c (eof-object? d)))) ;=> ((a . b) 12 "s" #t)
(let ((p (open-output-string))) (write 'a p) (write-char #\space p) (display "b" p) (newline p) (write-string "hello" p 1 3) (get-output-string p)) ;=> "a b\nel"
(let ((p (open-input-bytevector #u8(1 2 3 4)))) (let* ((a (peek-u8 p)) (b (read-u8 p)) (c (read-bytevector 2 p)) (d (read-bytevector 5 p)) (e (read-u8 p))) (list a b c d (eof-object? e)))) ;=> (1 1 #u8(2 3) #u8(4) #t)
(let ((p (open-output-bytevector))) (write-u8 1 p) (write-bytevector #u8(2 3 4) p 1) (get-output-bytevector p)) ;=> #u8(1 3 4)
(let ((b (make-bytevector 4 0)) (p (open-input-bytevector #u8(7 8 9)))) (list (read-bytevector! b p 1 3) b)) ;=> (2 #u8(0 7 8 0))
(list (input-port? (current-input-port)) (output-port? (current-output-port)) (textual-port? (current-error-port)) (binary-port? (open-input-bytevector #u8())) (port? 1)) ;=> (#t #t #t #t #f)
(let ((p (open-input-string "x"))) (close-port p) (list (input-port-open? p) (guard (e (#t 'closed)) (read-char p)))) ;=> (#f closed)
(call-with-port (open-input-string "q") read-char) ;=> #\q
(read-line (open-input-string "")) ;=> #<eof>
(read-string 0 (open-input-string "")) ;=> ""
(call-with-output-string (lambda (p) (write '|a b| p))) ;=> "|a b|"
(with-input-from-string "1 2" (lambda () (list (read) (read)))) ;=> (1 2)
(read-lines (open-input-string "a\nb\n")) ;=> ("a" "b")
(write-u8 1) ;=> !WrongType
(call-with-output-file "out.txt" (lambda (p) (write '(1 "x") p) (newline p))) (call-with-input-file "out.txt" read) ;=> (1 "x")
(with-output-to-file "two.txt" (lambda () (display "first"))) (with-input-from-file "two.txt" read-line) ;=> "first"
(let ((p (open-append-file "two.txt"))) (display " second" p) (close-port p)) (with-input-from-file "two.txt" read-line) ;=> "first second"
(list (file-exists? "two.txt") (begin (delete-file "two.txt") (file-exists? "two.txt"))) ;=> (#t #f)
(delete-file "two.txt") ;=> !FileError
(let ((p (open-binary-output-file "b"))) (write-bytevector #u8(1 2) p) (close-port p)) (read-bytevector 9 (open-binary-input-file "b")) ;=> #u8(1 2)
`,
);

checkTable(
  "writing",
  String.raw`
(let ((x (list 1 2))) (set-cdr! (cdr x) x) x) ;=> #0=(1 2 . #0#)
(let ((v (vector 1 2))) (vector-set! v 0 v) v) ;=> #0=#(#0# 2)
(let ((a (list 1))) (list a a)) ;=> ((1) (1))
(let ((a (list 1)) (p (open-output-string))) (write-shared (list a a) p) (get-output-string p)) ;=> "(#0=(1) #0#)"
(let ((a (list 1)) (p (open-output-string))) (write-simple (list a a) p) (get-output-string p)) ;=> "((1) (1))"
'#0=(a #1=(b #0# . #1#)) ;=> #0=(a #1=(b #0# . #1#))
(let ((x '(a . #2=(b)))) (eq? (cdr x) (cdr x))) ;=> #t
(let ((x '(#5=(q) #5#))) (eq? (car x) (cadr x))) ;=> #t
(with-output-to-string (lambda () (display '("a" #\b c 1.5 #t)))) ;=> "(a b c 1.5 #t)"
(with-output-to-string (lambda () (write '("a" #\b c |d e|)))) ;=> "(\"a\" #\\b c |d e|)"
car ;=> #<procedure car>
(define (named x) x) named ;=> #<procedure named>
(lambda (x) x) ;=> #<procedure>
(let ((f (lambda () 1))) f) ;=> #<procedure f>
(current-output-port) ;=> #<output-port>
(list (if #f #f) (eof-object)) ;=> (#<unspecified> #<eof>)
`,
);

checkTable(
  "reading",
  String.raw`
'(a #;(hidden) b #| block #| nested |# |# c) ;=> (a b c)
'(a . (b)) ;=> (a b)
'[a b] ;=> (a b)
#!fold-case
'ABC ;=> abc
'#(1 #(2)) ;=> #(1 #(2))
(quote #t) ;=> #t
)( ;=> !ReadError
(1 . 2 3) ;=> !ReadError
#\unknown ;=> !ReadError
"\q" ;=> !ReadError
#z ;=> !ReadError
(1 . ) ;=> !ReadError
#u8(300) ;=> !ReadError
`,
);

checkTable(
  "evaluation and libraries",
  String.raw`
(eval '(* 7 3) (environment '(scheme base))) ;=> 21
(let ((f (eval '(lambda (f x) (f x x)) (environment '(scheme base))))) (f + 10)) ;=> 20
(eval '(define evaluated 5) (interaction-environment)) evaluated ;=> 5
(eval '(display 1) (environment '(scheme base))) ;=> !UnboundVariable
(eval '(if) (interaction-environment)) ;=> !SyntaxError
(guard (e (#t 'caught)) (eval '(lambda) (interaction-environment))) ;=> caught
(define-library (my stack) (export make push! (rename peek top)) (import (scheme base)) (begin (define (make) (list '())) (define (push! s x) (set-car! s (cons x (car s)))) (define (peek s) (caar s)) (define hidden 1))) (import (my stack)) (let ((s (make))) (push! s 1) (push! s 2) (top s)) ;=> 2
hidden ;=> !UnboundVariable
(import (prefix (only (my stack) make top) st:)) (procedure? st:make) ;=> #t
(import (rename (my stack) (make create))) (procedure? create) ;=> #t
(import (except (my stack) push!)) 1 ;=> 1
(import (only (my stack) nothing)) ;=> !ImportError
(import (no such library)) ;=> !ImportError
(define-library (my macros) (export my-unless counter-value) (import (scheme base)) (begin (define counter 10) (define (counter-value) counter) (define-syntax my-unless (syntax-rules () ((_ c b) (begin (set! counter (+ counter 1)) (if c #f b))))))) (import (my macros)) (let ((if list) (counter 0)) (list (my-unless #f 'ran) (counter-value))) ;=> (ran 11)
(define-library (uses) (export go) (import (scheme base) (my stack)) (begin (define s (make)) (push! s 'x) (define (go) (top s)))) (import (uses)) (go) ;=> x
(import (scheme base) (scheme write) (srfi 1)) (fold + 0 '(1 2)) ;=> 3
(define-library (a) (export missing) (import (scheme base))) ;=> !SyntaxError
(cond-expand (r7rs 'yes) (else 'no)) ;=> yes
(cond-expand ((and (library (scheme base)) (not nothing)) 1) (else 2)) ;=> 1
(cond-expand ((library (no such)) 1) (else 2)) ;=> 2
(cond-expand (full-unicode (define ce 1)) (else (define ce 2))) ce ;=> 1
(let () (cond-expand (r7rs (define inner 3))) inner) ;=> 3
(list? (features)) ;=> #t
(import (scheme base)) (define (car x) 'mine) (car '(1)) ;=> mine
(cadr '(1 2)) ;=> 2
(define (uses-square x) (square x)) (define (square x) (list 'squared x)) (uses-square 2) ;=> (squared 2)
(define (uses-abs x) (+ 1 (abs x))) (uses-abs -1) ;=> 2
(define (abs x) 100) (uses-abs -1) ;=> 101
(set! vector-length (lambda (v) 'changed)) (vector-length #(1)) ;=> changed
(list (command-line) (get-environment-variable "HOME") (get-environment-variable "NOPE")) ;=> (("scheme" "a") "/workspace" #f)
(< 1e9 (current-second)) ;=> #t
(exact? (current-jiffy)) ;=> #t
`,
);

Deno.test("output goes out in order, and input comes in as it is asked for", () => {
  const bench = new Bench();
  bench.input = ["first line\n", "12 ", "rest\n"];
  same(
    bench.run('(display "name? ") (let* ((a (read-line)) (b (read))) (write a) (write b) (newline) (read-line))'),
    '" rest"',
  );
  same(bench.out, 'name? "first line"12\n');
  bench.run('(display "oops" (current-error-port))');
  same(bench.err, "oops");
});

Deno.test("files are loaded, included and searched for libraries", () => {
  const bench = new Bench();
  const put = (path: string, text: string) => bench.files.set(path, new TextEncoder().encode(text));
  put("lib.scm", "(define (twice x) (* 2 x))\n(define k (call/cc (lambda (c) c)))\n");
  put("defs.scm", "(define inner 20)");
  put("my/tools.sld", '(define-library (my tools)\n (export triple) (import (scheme base))\n (include "triple.scm"))');
  put("triple.scm", "(define (triple x)\n  (* 3 x))");
  same(bench.run('(load "lib.scm") (twice 4)'), "8");
  same(bench.run('(let () (include "defs.scm") (+ inner 1))'), "21");
  same(bench.run("(import (my tools)) (triple 5)"), "15");
  const error = bench.failure("(+ 1 (triple 'x))");
  same([error.line, error.source, error.trace.map((frame) => frame.procedure)], [2, "triple.scm", ["triple", null]]);
});

Deno.test("state stays between runs, also after an error", () => {
  const bench = new Bench();
  bench.run("(define x 1)");
  bench.failure("(set! x 2) (car x)");
  same(bench.run("x"), "2");
});
