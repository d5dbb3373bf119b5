"""`cloche bash` at a terminal."""

import fcntl
import os
import pty
import re
import subprocess
import termios
import time
from collections.abc import Iterator
from select import select

import pytest

from cloche.cli.shell import is_open, lacks_end

PROMPT = "cloche:/workspace$ "
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")


class Terminal:
    """A person at a terminal: types, and waits for what appears."""

    def __init__(self, argv: list[str]) -> None:
        self.fd, other = pty.openpty()
        env = {**os.environ, "TERM": "dumb"}
        self.child = subprocess.Popen(
            argv, stdin=other, stdout=other, stderr=other, env=env, start_new_session=True, preexec_fn=_take_terminal
        )
        os.close(other)
        self.seen = ""

    def expect(self, text: str, seconds: float = 10) -> str:
        """Read up to this text, and give what came before it."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < deadline, f"{text!r} did not appear, but {self.seen!r}"
            if select([self.fd], [], [], 0.1)[0]:
                self.seen += ESCAPES.sub("", os.read(self.fd, 4096).decode())
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def enter(self, line: str, prompt: str = PROMPT) -> str:
        """Enter a line, and give what is printed before the next prompt."""
        self.type(line + "\n")
        self.expect(line + "\n")
        return self.expect(prompt)

    def close(self) -> None:
        self.child.kill()
        self.child.wait(5)
        os.close(self.fd)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal(program: list[str], prepared: None) -> Iterator[Terminal]:
    terminal = Terminal([*program, "bash"])
    try:
        terminal.expect(PROMPT)
        yield terminal
    finally:
        terminal.close()


def test_state_stays_and_the_prompt_shows_the_folder(terminal: Terminal) -> None:
    assert terminal.enter("x=5; echo $x") == "5\n"
    assert terminal.enter("false") == ""
    assert terminal.enter("echo $? $x") == "1 5\n"
    assert terminal.enter("cd; pwd", "cloche:~$ ") == "/home/user\n"
    assert terminal.enter("cd /tmp", "cloche:/tmp$ ") == ""


def test_ctrl_c_stops_the_command_and_not_the_shell(terminal: Terminal) -> None:
    terminal.type("echo on; sleep 60\n")
    terminal.expect("on\n")
    time.sleep(0.2)
    terminal.type("\x03")
    terminal.expect(PROMPT)
    assert terminal.enter("echo $?") == "130\n"
    terminal.type("echo never")
    time.sleep(0.2)
    terminal.type("\x03")
    terminal.expect(PROMPT)
    assert terminal.enter("echo still here") == "still here\n"


def test_a_command_may_take_several_lines(terminal: Terminal) -> None:
    terminal.enter("for i in 1 2; do", "> ")
    terminal.enter("echo $i", "> ")
    assert terminal.enter("done") == "1\n2\n"
    terminal.enter("cat <<END", "> ")
    terminal.enter("text", "> ")
    assert terminal.enter("END") == "text\n"
    assert "syntax error" in terminal.enter("echo )")


def test_exit_leaves_with_its_code(terminal: Terminal) -> None:
    terminal.type("exit 3\n")
    assert terminal.child.wait(10) == 3


def test_ctrl_d_leaves_with_the_last_code(terminal: Terminal) -> None:
    terminal.enter("(exit 4)")
    terminal.type("\x04")
    terminal.expect("exit")
    assert terminal.child.wait(10) == 4


def test_input_is_asked_at_the_terminal(program: list[str], prepared: None) -> None:
    terminal = Terminal([*program, "run", "-c", "print('hello', input('name? '))"])
    try:
        terminal.expect("name? ")
        terminal.type("Ada\n")
        terminal.expect("hello Ada\n")
        assert terminal.child.wait(10) == 0
    finally:
        terminal.close()


@pytest.mark.parametrize("text", ["a |", "a &&", "a ||", "a \\", "cat <<X", "cat <<-'X'\nb"])
def test_text_that_says_more_is_to_come(text: str) -> None:
    assert is_open(text)


@pytest.mark.parametrize("text", ["a", "a | b", "a; b &", "cat <<X\nb\nX", "cat <<-X\n\tX", "echo '|' x"])
def test_text_that_is_whole(text: str) -> None:
    assert not is_open(text)


def test_an_error_at_the_end_means_that_more_is_to_come() -> None:
    assert lacks_end("bash: syntax error: Parse error at 1:14: near `fi'", "if true; then")
    assert lacks_end("bash: line 1: unexpected EOF while looking for matching `\"'", 'echo "a')
    assert not lacks_end("bash: syntax error: Parse error at 1:4: Expected THEN", "if ; then")
