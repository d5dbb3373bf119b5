"""chibi's tests of R7RS, form by form in one Scheme; those with complex numbers, which ours has not, do not apply."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from beside.cases import Case, Outcome
from beside.tally import Judged

import cloche

NAME = "r7rs"
FOLDER = "tests/r7rs-tests.scm"
SECONDS = 20.0
TESTS = re.compile(r"\((test|test-assert|test-values|test-error|test-not|test-numeric-syntax)[\s)]")
COMPLEX = re.compile(
    r"[\d.nf][+-][\d.infa]*i\b|[\s(][+-]i\b|@-?\d|\(scheme complex\)"
    r"|\b(make-(rectangular|polar)|magnitude|angle|(real|imag)-part)\b"
)
"""How complex numbers are written, and the procedures for them."""
FORM = re.compile(
    r"""\s*(?:;[^\n]*|\#\|.*?\|\#|\#;|(?P<open>\#?(?:u8)?\()|(?P<close>\))|(?P<atom>"(?:[^"\\]|\\.)*"|\#\\(?:\w+|.)|\|[^|]*\||[^\s()";]+)|(?P<quote>['`,]@?))""",
    re.DOTALL,
)
LIBRARY = """
(define-syntax passing
  (syntax-rules ()
    ((_ name good) (begin (display (if (guard (e (#t #f)) good) "PASS " "FAIL ")) (write name) (newline)))))
(define (close? a b)
  (cond ((and (number? a) (number? b) (inexact? a) (real? b))
         (or (= a b) (and (nan? a) (nan? b)) (< (abs (- a b)) (* 1e-5 (+ 1e-300 (abs a))))))
        ((and (pair? a) (pair? b)) (and (close? (car a) (car b)) (close? (cdr a) (cdr b))))
        ((and (vector? a) (vector? b)) (close? (vector->list a) (vector->list b)))
        (else (equal? a b))))
(define (test-begin . _) #f)
(define (test-end . _) #f)
(define-syntax test
  (syntax-rules ()
    ((_ name expected actual) (passing 'actual (let ((wanted expected)) (close? wanted actual))))
    ((_ expected actual) (passing 'actual (let ((wanted expected)) (close? wanted actual))))))
(define-syntax test-values
  (syntax-rules ()
    ((_ expected actual)
     (passing 'actual
       (close? (call-with-values (lambda () expected) list) (call-with-values (lambda () actual) list))))))
(define-syntax test-assert
  (syntax-rules () ((_ name actual) (passing 'actual actual)) ((_ actual) (passing 'actual actual))))
(define-syntax test-not
  (syntax-rules () ((_ name actual) (passing 'actual (not actual))) ((_ actual) (passing 'actual (not actual)))))
(define-syntax test-error
  (syntax-rules ()
    ((_ name actual) (passing 'actual (guard (e (#t #t)) actual #f)))
    ((_ actual) (passing 'actual (guard (e (#t #t)) actual #f)))))
"""
"""What their test library has of it, in our words."""


async def judge_all(checkout: Path, words: Sequence[str]) -> list[Judged]:
    """What came of every form that has tests."""
    text = (checkout / FOLDER).read_text().replace("(chibi test)", "")
    judged: list[Judged] = []
    async with cloche.Sandbox(languages=("scheme",), timeout=SECONDS) as box:
        await box.run(LIBRARY, language="scheme", check=True)
        for number, form in enumerate(split_forms(text)):
            done = await box.run(form, language="scheme")
            name = f"form {number}: {' '.join(form.split())[:60]}"
            if TESTS.search(form) and not COMPLEX.search(form) and any(word in form for word in words or [""]):
                ours = Outcome(done.stdout, str(done.error or ""), done.exit_code, done.timed_out)
                judged.append(_judge(Case(name=name, group=FOLDER, code=form), ours))
    return judged


def _judge(case: Case, ours: Outcome) -> Judged:
    lines = [line for line in ours.stdout.splitlines() if line.startswith(("PASS ", "FAIL "))]
    # A form that cannot be read or ends early says nothing of the tests behind. A definition runs none.
    missing = 0 if case.code.startswith("(define") else max(len(TESTS.findall(case.code)) - len(lines), 0)
    points = [f"{case.name} {line[5:]} {number}" for number, line in enumerate(lines)]
    applying = [*points, *(f"{case.name} not reached {number}" for number in range(missing))]
    passed = [point for point, line in zip(points, lines, strict=True) if line.startswith("PASS ")]
    return Judged(case, Outcome(), ours, applying, passed)


def split_forms(text: str) -> Iterator[str]:
    """The forms at the top level."""
    depth = start = at = 0
    while found := FORM.match(text, at):
        at = found.end()
        if found["open"]:
            start = start if depth else found.start("open")
            depth += 1
        elif found["close"]:
            depth -= 1
            if depth == 0:
                yield text[start:at]
