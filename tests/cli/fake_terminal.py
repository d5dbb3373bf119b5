"""A person at a terminal, whose screen is drawn as a real one would."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path
from select import select
from typing import Any

import pyte

ROWS = 50


class _Screen(pyte.Screen):
    """Answers what a terminal answers, such as where the cursor is."""

    fd = -1

    def write_process_input(self, data: str) -> None:
        os.write(self.fd, data.encode())


class Terminal:
    """Types, and waits for what the screen shows."""

    def __init__(
        self, argv: list[str], *, columns: int = 100, cwd: Path | None = None, env: dict[str, str] | None = None
    ):
        self.fd, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
        self.child = subprocess.Popen(
            argv,
            stdin=other,
            stdout=other,
            stderr=other,
            env={**os.environ, "TERM": "xterm-256color", **(env or {})},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(other)
        self.screen: Any = _Screen(columns, ROWS)
        self.screen.fd = self.fd
        self._stream: Any = pyte.ByteStream(self.screen)

    @property
    def lines(self) -> list[str]:
        """What the screen shows, without what is empty at the end."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def colour(self, text: str) -> str:
        """The colour in which this text begins, where it is shown last."""
        for row in reversed(range(len(self.lines))):
            column = self.screen.display[row].find(text)
            if column >= 0:
                return self.screen.buffer[row][column].fg
        raise AssertionError(f"{text!r} is not shown, but {self.text}")

    def wait(self, seen: Callable[[], bool], seconds: float = 10) -> None:
        """Draw what comes until this is seen."""
        deadline = time.monotonic() + seconds
        while not seen():
            assert time.monotonic() < deadline, f"not seen, but:\n{self.text}"
            self.draw(0.1)

    def draw(self, seconds: float) -> None:
        if select([self.fd], [], [], seconds)[0]:
            try:
                self._stream.feed(os.read(self.fd, 65536))
            except OSError:
                # The program has ended.
                time.sleep(0.01)

    def expect(self, text: str) -> None:
        self.wait(lambda: text in self.text)

    def expect_prompt(self, prompt: str) -> None:
        """Wait until the last line is this prompt, with nothing entered yet."""
        self.wait(lambda: self.lines[-1:] == [prompt])

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def enter(self, line: str, prompt: str) -> list[str]:
        """Enter a line at a prompt, and give what is printed until the next prompt, which is this."""
        start = len(self.lines)
        self.type(line + "\r")
        self.wait(lambda: len(self.lines) > start and self.lines[-1] == prompt)
        return self.lines[start:-1]

    def end(self) -> int:
        """Wait until the program has ended, and give its code."""
        self.wait(lambda: self.child.poll() is not None)
        return self.child.wait(5)

    def close(self) -> None:
        self.child.kill()
        self.child.wait(5)
        os.close(self.fd)


Open = Callable[..., Terminal]
"""Starts the program with these arguments, and waits for its prompt."""


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
