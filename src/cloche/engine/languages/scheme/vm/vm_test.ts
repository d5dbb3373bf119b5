import { ok, strictEqual, throws } from "node:assert/strict";
import { Bench } from "../harness_test.ts";

const DEEP = "(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))";

Deno.test("a program is polled while it runs, and ends with what the poll throws", () => {
  const bench = new Bench();
  bench.run("(define x 7)");
  class Stop extends Error {}
  bench.onPoll = () => {
    if (bench.polls > 20) throw new Stop();
  };
  for (
    const loop of [
      "(let loop () (loop))",
      "(do () (#f))",
      "(define (f) (+ 1 (f))) (f)",
      "(for-each (lambda (x) (let l () (l))) '(1))",
    ]
  ) {
    bench.polls = 0;
    throws(() => bench.run(loop), Stop);
  }
  bench.polls = 0;
  throws(
    () =>
      bench.run(
        "(guard (e (#t 'caught)) (dynamic-wind (lambda () 1) (lambda () (let l () (l))) (lambda () (let l () (l)))))",
      ),
    Stop,
  );
  bench.onPoll = () => {};
  strictEqual(bench.run("x"), "7");
});

Deno.test("what is made in large pieces is polled for too", () => {
  const bench = new Bench();
  bench.run("(do ((i 0 (+ i 1))) ((= i 100)) (make-vector 1000000 0))");
  ok(bench.polls >= 20, `${bench.polls} polls`);
  bench.polls = 0;
  bench.run("(define x (expt 3 200000)) (do ((i 0 (+ i 1))) ((= i 2000)) (+ x i))");
  ok(bench.polls >= 1, `${bench.polls} polls`);
});

Deno.test("recursion is bounded, with an error that says so, and nothing is lost", () => {
  const bench = new Bench({ depth: 50_000 });
  strictEqual(bench.run(`${DEEP} (f 40000)`), "40000");
  const error = bench.failure("(f 100000)");
  strictEqual(error.type, "RecursionError");
  ok(error.message.startsWith("recursion too deep"));
  strictEqual(error.line, 1);
  strictEqual(bench.run("(f 100)"), "100");
});

Deno.test("calls nest deeply through every kind of form and procedure", () => {
  const bench = new Bench();
  for (
    const step of [
      "(+ 1 (guard (e (#f 1)) (g (- n 1))))",
      "(+ 1 (dynamic-wind (lambda () 1) (lambda () (g (- n 1))) (lambda () 2)))",
      "(+ 1 (car (map (lambda (x) (g (- n 1))) '(1))))",
      "(+ 1 (apply g (list (- n 1))))",
      "(+ 1 (call-with-values (lambda () (values 1 (g (- n 1)))) (lambda (x y) y)))",
      "(+ 1 (let* ((a 1)) (cond ((= a 2) 1) (else (case a ((1) (let ((z (g (- n 1)))) z)))))))",
      "(+ 1 (with-exception-handler (lambda (x) 1) (lambda () (g (- n 1)))))",
      "(+ 1 (force (delay (g (- n 1)))))",
      "(+ 1 (string-length (with-output-to-string (lambda () (set! out (g (- n 1)))))) out)",
      "(begin (set! out (g (- n 1))) (+ out 1))",
      "(let ((v (vector 0 0 0 0 0 (g (- n 1))))) (+ 1 (vector-ref v 5)))",
    ]
  ) {
    strictEqual(bench.run(`(define out 0) (define (g n) (if (= n 0) 0 ${step})) (g 8000)`), "8000", step);
  }
});

Deno.test("expressions that are nested beyond measure are errors", () => {
  const bench = new Bench();
  strictEqual(bench.outcome("(".repeat(100_000)), "!ReadError");
  strictEqual(bench.outcome(`${"(+ 1 ".repeat(500)}0${")".repeat(500)}`), "500");
  strictEqual(bench.outcome("(define-syntax inf (syntax-rules () ((_ x) (inf (x))))) (inf 1)"), "!SyntaxError");
  strictEqual(
    bench.outcome(
      "(define l (let loop ((i 0) (x '())) (if (= i 200000) x (loop (+ i 1) (list x))))) (equal? l (list (car l)))",
    ),
    "#t",
  );
  strictEqual(bench.outcome("(write l)"), "!RecursionError");
  strictEqual(bench.run("l"), "#<a value too large to be shown>");
  strictEqual(bench.run("(make-string 2000000 #\\a)")?.length, (1 << 20) + 3);
  strictEqual(bench.outcome("(eval l (interaction-environment))"), "!SyntaxError");
});

Deno.test("a long program does not nest", () => {
  strictEqual(new Bench().run(`(define n 0)\n${"(set! n (+ n 1))\n".repeat(20_000)}n`), "20000");
});

Deno.test("a primitive that is defined anew is called also where it was known before", () => {
  const bench = new Bench();
  bench.run("(define (f x) (list (car x) (+ 1 (length x))))");
  bench.run("(define (car x) (call/cc (lambda (k) (k 'mine)))) (define (length x) 41)");
  strictEqual(bench.run("(f '(1 2))"), "(mine 42)");
  strictEqual(bench.run("(map (lambda (x) x) '(1 2))"), "(1 2)");
  bench.run("(define (g x) (if (vector? x) (list (cadr x)) 'no))");
  bench.run("(define out #f) (define (cadr x) (out 'jumped))");
  strictEqual(
    bench.run(
      "(define n 0) (define r (list (call/cc (lambda (k) (set! out k) (g (vector)))))) (set! n (+ n 1)) (list r n)",
    ),
    "((jumped) 1)",
  );
  bench.run("(define (cadr x) (raise 'oops))");
  strictEqual(bench.run("(list (guard (e (#t (list 'caught e))) (+ 1 (car (g (vector))))))"), "((caught oops))");
  strictEqual(bench.failure("(g (vector))").message, "uncaught object raised: oops");
  strictEqual(bench.run("(with-exception-handler (lambda (e) 5) (lambda () (define (cadr x) 1) 7))"), "7");
});

Deno.test("several interpreters do not disturb one another", () => {
  const [one, other] = [new Bench(), new Bench()];
  one.run("(define x 1) (define (car y) 'mine)");
  strictEqual(other.outcome("x"), "!UnboundVariable");
  strictEqual(other.run("(car '(1))"), "1");
  strictEqual(one.run("(car '(1))"), "mine");
});

Deno.test("it is fast enough", () => {
  const bench = new Bench();
  const took = (code: string) => {
    const began = performance.now();
    bench.run(code);
    return performance.now() - began;
  };
  // Far from what is usual, for machines under load.
  ok(took("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 27)") < 1500);
  ok(took("(let loop ((i 1000000)) (if (= i 0) 'done (loop (- i 1))))") < 1000);
  ok(took("(let loop ((i 0)) (if (< i 50000) (begin (call/cc (lambda (k) (k i))) (loop (+ i 1)))))") < 2000);
});
