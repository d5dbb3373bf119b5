"""Scheme in the sandbox: cells, programs in bash, interrupts, limits, and no way out."""

import time

import anyio
import pytest

from cloche import Result, Sandbox, Text

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def scheme(box: Sandbox, code: str, **options: object) -> Result:
    return await box.run(code, language="scheme", **options)  # type: ignore[arg-type]


async def test_cells_share_their_definitions(box: Sandbox) -> None:
    await scheme(box, "(define (square-all l) (map square l))", check=True)
    result = await scheme(box, "(display 'go) (square-all '(1 2 3))")
    assert (result.value, result.stdout, result.exit_code) == ("(1 4 9)", "go", 0)


async def test_output_comes_as_it_is_printed(box: Sandbox) -> None:
    cell = box.stream('(display "a") (sleep 0.4) (display "b")', language="scheme")
    times = [time.monotonic() async for event in cell if isinstance(event, Text)]
    assert times[-1] - times[0] > 0.25


async def test_input_is_asked_for_line_by_line(box: Sandbox) -> None:
    answers = iter(["Ada", "36"])

    def answer(_: str) -> str:
        return next(answers)

    result = await scheme(box, "(let* ((a (read-line)) (b (read))) (list a (+ b 1)))", on_input=answer)
    assert result.value == '("Ada" 37)'


async def test_programs_in_bash(box: Sandbox) -> None:
    program = "(import (scheme base) (scheme write))\n(display (apply + (map string->number (cdr (command-line)))))\n"
    await box.write("sum.scm", program)
    assert (await box.bash("scheme sum.scm 1 2 39")).stdout == "42"
    assert (await box.bash("mkdir -p d && cp sum.scm d && (cd d && scheme sum.scm 5)")).stdout == "5"
    assert (await box.bash("scheme -e '(write (command-line))' a b")).stdout == '("scheme" "a" "b")'
    assert (await box.bash("echo '(display (* 6 7)) (exit 4)' | scheme; echo :$?")).stdout == "42:4\n"
    code = "(for-each (lambda (l) (display l) (newline)) (sort (read-lines) string<?))"
    assert (await box.bash(f"printf 'b\\na\\n' | scheme -e '{code}' | head -1")).stdout == "a\n"
    assert (await box.bash("X=5 scheme -e '(display (get-environment-variable \"X\"))'")).stdout == "5"
    assert "R7RS" in (await box.bash("scheme --version")).stdout


async def test_a_program_that_fails_says_where(box: Sandbox) -> None:
    await box.write("bad.scm", "(define (f x)\n  (car x))\n(display (f 1))\n")
    result = await box.bash("scheme bad.scm")
    assert result.exit_code == 1
    assert result.stderr == "  bad.scm:3\n  bad.scm:2, in f\nWrongType: car: expected a pair, got 1\n"
    for command in ("scheme nowhere.scm", "scheme --what", "scheme -e", "scheme -e '(+ 1'"):
        failed = await box.bash(command)
        assert (failed.exit_code, failed.stdout) == (1, "")
        assert failed.stderr


async def test_a_program_does_not_see_the_cells(box: Sandbox) -> None:
    await scheme(box, "(define secret 1)")
    assert "secret is not defined" in (await box.bash("scheme -e '(display secret)'")).stderr
    assert (await scheme(box, "secret")).value == "1"


async def test_an_interrupt_keeps_everything(box: Sandbox) -> None:
    await scheme(box, "(define kept '(1 2 3))")
    for loop in ("(let loop () (loop))", "(sleep 30)", "(let loop ((n 1)) (loop (* n 3)))"):
        began = time.monotonic()
        result = await scheme(box, loop, timeout=0.3)
        assert time.monotonic() - began < 3
        assert result.timed_out
        assert result.state == "kept"
        assert result.error is not None
        assert (result.error.type, result.exit_code) == ("KeyboardInterrupt", 130)
    assert (await scheme(box, "kept")).value == "(1 2 3)"


async def test_a_question_can_be_interrupted(box: Sandbox) -> None:
    asked = anyio.Event()
    results: list[Result] = []

    async def never(_: str) -> str:
        asked.set()
        await anyio.sleep_forever()
        return ""

    async def ask() -> None:
        results.append(await scheme(box, "(define answer (read-line))", on_input=never))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        with anyio.fail_after(10):
            await asked.wait()
            await box.interrupt()
    assert results[0].error is not None
    assert (results[0].error.type, results[0].state) == ("KeyboardInterrupt", "kept")


async def test_a_guard_does_not_catch_an_interrupt(box: Sandbox) -> None:
    code = "(let again () (guard (e (#t 'no)) (dynamic-wind (lambda () 1) (lambda () (let l () (l))) again)) (again))"
    result = await scheme(box, code, timeout=0.3)
    assert result.timed_out
    assert result.state == "kept"


FILLING = (
    "(let loop ((i 0)) (string->symbol (string-append (make-string 100 #\\a) (number->string i))) (loop (+ i 1)))",
    "(let ((t (make-hash-table))) (let loop ((i 0)) (hash-table-set! t i (list i)) (loop (+ i 1))))",
)
"""They fill tables, which takes longest."""


@pytest.mark.parametrize(
    "code",
    [
        "(let loop ((l '())) (loop (cons (make-vector 100000 0) l)))",
        "(let loop ((l '())) (loop (cons (make-bytevector 1000000 0) l)))",
        "(let loop ((l '()) (n (expt 7 100000))) (loop (cons n l) (+ n 1)))",
        "(define (f n) (cons n (f (+ n 1)))) (f 0)",
        *(pytest.param(code, marks=pytest.mark.slow) for code in FILLING),
    ],
)
@pytest.mark.timeout(150)
async def test_memory_is_bounded_and_the_session_goes_on(box: Sandbox, code: str) -> None:
    await scheme(box, "(define kept 41)")
    result = await scheme(box, code, timeout=100)
    assert result.error is not None
    assert result.error.type in ("OutOfMemory", "RecursionError")
    assert result.state == "kept"
    assert (await scheme(box, "(+ kept 1)")).value == "42"


async def test_sizes_are_bounded(box: Sandbox) -> None:
    for code in (
        "(make-vector (expt 10 9))",
        "(expt 3 (expt 10 9))",
        "(make-string 1000000000)",
        "(iota (expt 10 12))",
    ):
        result = await scheme(box, code)
        assert result.error is not None
        assert result.error.type == "OutOfMemory"


async def test_there_is_no_way_to_the_host(box: Sandbox) -> None:
    for path in ("/etc/passwd", "../../etc/passwd", "/proc/self/environ", "/workspace/../../etc/passwd"):
        result = await scheme(box, f'(call-with-input-file "{path}" read-line)')
        assert result.error is not None
        assert result.error.type == "FileError"
    for name in ("constructor", "__proto__", "toString", "Deno", "globalThis", "eval-js", "system"):
        result = await scheme(box, f"({name} 1)")
        assert result.error is not None
        assert result.error.type == "UnboundVariable"
    odd = '(list (get-environment-variable "__proto__") (get-environment-variable "constructor"))'
    assert (await scheme(box, odd)).value == "(#f #f)"
    table = (
        "(let ((t (make-hash-table))) (hash-table-set! t '__proto__ 1) (hash-table-ref/default t 'constructor 'none))"
    )
    assert (await scheme(box, table)).value == "none"


async def test_files_pass_between_languages(box: Sandbox) -> None:
    await box.run("open('data.txt', 'w').write('1 2 3')")
    await scheme(
        box, '(define numbers (call-with-input-file "data.txt" (lambda (p) (list (read p) (read p) (read p)))))'
    )
    code = '(call-with-output-file "sum.txt" (lambda (p) (write (apply + numbers) p)))'
    await scheme(box, code, check=True)
    assert (await box.run("open('sum.txt').read()")).value == "'6'"


async def test_completion_and_whole_text(box: Sandbox) -> None:
    await scheme(box, "(define my-own-name 1)")
    found = await box.complete("(+ my-own", language="scheme")
    assert list(found.matches) == ["my-own-name"]
    assert (await box.is_complete("(define x", language="scheme")).status == "incomplete"
    assert (await box.is_complete("(define x 1)", language="scheme")).status == "complete"
