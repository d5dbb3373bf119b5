import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { runError } from "./services.ts";
import { Bench } from "./harness_test.ts";

function place(code: string): unknown[] {
  const { type, line, column } = new Bench().failure(code);
  return [type, line, column];
}

Deno.test("an error is where the expression stands that failed", () => {
  deepStrictEqual(place("(define a 1)\n(define (f x)\n  (+ a (car x)))\n(f 5)"), ["WrongType", 3, 8]);
  deepStrictEqual(place("(list 1\n  (vector-ref #(1) 3))"), ["OutOfRange", 2, 3]);
  deepStrictEqual(place("(+ 1 missing)"), ["UnboundVariable", 1, 6]);
  deepStrictEqual(place("\n(no-such 1)"), ["UnboundVariable", 2, 2]);
  deepStrictEqual(place("(let ((x 1))\n  (x 2))"), ["NotProcedure", 2, 3]);
  deepStrictEqual(place("(define (f a) a)\n(list (f 1 2))"), ["ArityError", 2, 7]);
  deepStrictEqual(place("(begin\n  (raise 'oops))"), ["Raised", 2, 3]);
  deepStrictEqual(place('(define (f)\n  (error "no" 1))\n(f)'), ["Error", 2, 3]);
  deepStrictEqual(place("(set! nowhere 1)"), ["UnboundVariable", 1, 1]);
});

Deno.test("a mistake in a form is where the form stands, before anything in it is run", () => {
  deepStrictEqual(place("1\n(let ((x))\n  x)\n2"), ["SyntaxError", 2, 1]);
  deepStrictEqual(place("(define (f)\n  (if))"), ["SyntaxError", 2, 3]);
  deepStrictEqual(place("(lambda (x x) x)"), ["SyntaxError", 1, 1]);
  deepStrictEqual(place("(list\n ())"), ["SyntaxError", 2, 2]);
  deepStrictEqual(place("(lambda ()\n (if #t (define x 1)))"), ["SyntaxError", 2, 9]);
  deepStrictEqual(place("(else 1)"), ["SyntaxError", 1, 1]);
  deepStrictEqual(place("(display . 1)"), ["SyntaxError", 1, 1]);
});

Deno.test("an error in what a macro made is at the place of its use", () => {
  const macro = "(define-syntax twice (syntax-rules () ((_ x) (car (+ x x)))))\n";
  deepStrictEqual(place(`${macro}(list\n  (twice 2))`), ["WrongType", 3, 3]);
  deepStrictEqual(place(`${macro}(twice\n  (car 5))`), ["WrongType", 3, 3]);
});

Deno.test("an error inside of what comes with the interpreter is where that was called", () => {
  deepStrictEqual(place("\n(hash-table-ref (make-hash-table) 1)"), ["Error", 2, 1]);
  deepStrictEqual(place("\n\n(list\n  (map car 5))"), ["WrongType", 3, 1]);
  deepStrictEqual(place("(define (f l)\n  (+ 1 (fold + 0 l)))\n(f 'x)"), ["WrongType", 2, 3]);
  deepStrictEqual(place("\n(assert (= 1 2))"), ["Error", 2, 1]);
  deepStrictEqual(place("1\n(eval '(car 1) (interaction-environment))"), ["WrongType", 2, 1]);
  deepStrictEqual(place("\n(map (lambda (x)\n  (car x)) '(1))"), ["WrongType", 3, 3]);
});

Deno.test("a backtrace names the procedures and lines that wait", () => {
  const { trace } = new Bench().failure(
    "(define (inner x)\n  (* 2 (car x)))\n(define (outer x)\n  (+ 1 (inner x)))\n(list (outer 5))",
  );
  deepStrictEqual(trace.map(({ procedure, line }) => [procedure, line]), [["inner", 2], ["outer", 4], [null, 5]]);
});

Deno.test("a missing parenthesis is reported with the place where its partner opened", () => {
  const error = new Bench().failure("(define x 1)\n(define (f y)\n  (+ y 1)\n");
  deepStrictEqual([error.type, error.line, error.incomplete], ["ReadError", 3, true]);
  strictEqual(error.hint, "the parenthesis opened in line 2, column 1 is never closed");
  const extra = new Bench().failure("(list 1))\n");
  deepStrictEqual([extra.type, extra.line, extra.column, extra.incomplete], ["ReadError", 1, 9, false]);
  ok(new Bench().failure('(display "abc').incomplete);
  ok(new Bench().failure("#| never ended").incomplete);
});

Deno.test("nothing of a text that cannot be read is run", () => {
  const bench = new Bench();
  bench.failure("(display 1) (display 2");
  strictEqual(bench.out, "");
});

Deno.test("the nearest name is offered", () => {
  strictEqual(new Bench().failure("(vector-lenght #(1))").hint, "did you mean vector-length?");
  strictEqual(new Bench().failure("(define counter 1) (+ conter 1)").hint, "did you mean counter?");
  strictEqual(new Bench().failure("(qqqqqqqqqqq)").hint, null);
  ok(new Bench().failure("(import (my lib))").hint?.includes("my/lib.sld"));
});

Deno.test("messages show values shortly", () => {
  const { message } = new Bench().failure('(car (vector 1 "two"))');
  strictEqual(message, 'car: expected a pair, got #(1 "two")');
  ok(new Bench().failure("(car (make-vector 10000 0))").message.length < 300);
  strictEqual(
    new Bench().failure("((lambda (a b . c) a) 1)").message,
    "procedure: expected at least 2 arguments, got 1",
  );
  strictEqual(new Bench().failure("(raise (list 1 2))").message, "uncaught object raised: (1 2)");
});

Deno.test("an error becomes a result with a traceback in which repetition is counted", () => {
  const code = "(define (f n)\n  (if (= n 0) (car n) (+ 1 (f (- n 1)))))\n(f 10)";
  const { type, line, traceback } = runError(new Bench().failure(code));
  deepStrictEqual([type, line], ["WrongType", 2]);
  strictEqual(
    traceback,
    "  <cell>:3\n  <cell>:2, in f\n  (repeated 10 more times)\nWrongType: car: expected a pair, got 0\n",
  );
});
