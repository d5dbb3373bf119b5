"""Standard input of the program."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress

import anyio
import pytest

from cloche.cli.terminal.stdin import Stdin
from cloche.errors import ConfigError
from cloche.limits import STDIN_LIMIT
from tests.cli.conftest import Cloche


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    before = set(threading.enumerate())
    read, write = os.pipe()
    yield read, write
    with suppress(OSError):
        os.close(write)
    # A reader that is still there would read from whatever gets its number next.
    for thread in set(threading.enumerate()) - before:
        thread.join(0.5)
    os.close(read)


async def test_lines_come_one_by_one(pipe: tuple[int, int]) -> None:
    stdin = Stdin(pipe[0])
    os.write(pipe[1], b"a\nb\xff\nrest")
    with anyio.fail_after(5):
        assert [await stdin.line(), await stdin.line()] == ["a", "b�"]
        os.close(pipe[1])
        assert [await stdin.line(), await stdin.line()] == ["rest", None]


async def test_everything_is_there_after_the_end(pipe: tuple[int, int]) -> None:
    stdin = Stdin(pipe[0])
    os.write(pipe[1], b"a\nb")
    assert stdin.whole is None
    os.close(pipe[1])
    with anyio.fail_after(5):
        assert await stdin.all() == b"a\nb"
    assert stdin.whole == b"a\nb"


async def test_a_wait_can_be_cancelled(pipe: tuple[int, int]) -> None:
    stdin = Stdin(pipe[0])
    with anyio.move_on_after(0.05) as scope:
        await stdin.line()
    assert scope.cancelled_caught
    os.write(pipe[1], b"later\n")
    with anyio.fail_after(5):
        assert await stdin.line() == "later"


async def test_more_than_one_message_carries_is_refused(pipe: tuple[int, int]) -> None:
    stdin = Stdin(pipe[0])
    feeder = threading.Thread(target=_write, args=(pipe[1], STDIN_LIMIT + 1), daemon=True)
    feeder.start()
    with anyio.fail_after(10), pytest.raises(ConfigError, match="8 MB"):
        await stdin.all()
    assert stdin.whole is None
    feeder.join(5)


def _write(fd: int, size: int) -> None:
    while size > 0:
        size -= os.write(fd, b"x" * min(size, 65536))


def test_code_that_asks_for_nothing_does_not_wait_for_an_open_pipe(program: list[str], prepared: None) -> None:
    with subprocess.Popen([*program, "run", "-c", "print(1)"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            assert child.wait(10) == 0
            assert child.stdout is not None
            assert child.stdout.read() == b"1\n"
        finally:
            child.kill()


def test_an_open_pipe_is_read_line_by_line(program: list[str], prepared: None) -> None:
    code = "print(input('? '), flush=True)\nimport sys\nprint(sys.stdin.read())"
    with subprocess.Popen(
        [*program, "run", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stdout.read(2) == "? "
            child.stdin.write("first\n")
            child.stdin.flush()
            assert child.stdout.readline() == "first\n"
            out, _ = child.communicate("second\nthird\n", timeout=10)
        finally:
            child.kill()
    assert out == "second\nthird\n\n"


@pytest.mark.slow
def test_input_is_answered_from_a_pipe(cloche: Cloche, prepared: None) -> None:
    done = cloche("run", "-c", "print('hello', input('name? '))", stdin="Ada\n")
    assert done.stdout == "name? hello Ada\n"
    done = cloche("run", "-c", "input()", stdin="")
    assert done.returncode == 1
    assert done.stderr.endswith("EOFError: EOF when reading a line\n")


@pytest.mark.slow
def test_a_command_does_not_wait_forever_for_its_input(program: list[str], prepared: None) -> None:
    with subprocess.Popen(
        [*program, "bash", "-t", "0.5", "-c", "cat"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.wait(10) == 2
            assert child.stderr is not None
            assert "< /dev/null" in child.stderr.read()
        finally:
            child.kill()


@pytest.mark.slow
def test_closed_streams_are_no_trouble(program: list[str], prepared: None) -> None:
    words = " ".join(f"'{word}'" for word in program)
    done = subprocess.run(
        ["bash", "-c", f"{words} run -c 'print(1)' <&- && {words} run -c 'print(1)' >&-"],
        capture_output=True,
        timeout=15,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")
