"""The terminal as code in the sandbox may use it: filtered, in colour, and cleared on request."""

import os
import re
import shutil
import sys
from typing import TextIO

from prompt_toolkit.utils import get_cwidth

from cloche.cli.terminal.control_sequences import ControlFilter, strip_control
from cloche.sandbox.results.result import Stream

_STEP = re.compile(r"\x1b\[([0-9;]*)([A-HJKfm])|\x1b\[\?25[hl]|[\n\r\b\t]|[^\x1b\n\r\b\t]+")
_LINE = 1000
"""Characters kept of an unfinished line."""


class Screen:
    """Writes the output of cells, and tracks how far the cursor is from where the cell started."""

    def __init__(self) -> None:
        self.terminal = _is_terminal(sys.stdout)
        self.colours = self.terminal and "NO_COLOR" not in os.environ
        self._filters: dict[str, ControlFilter] = {"stdout": ControlFilter(), "stderr": ControlFilter()}
        self._row = self._column = 0
        self._lost = False
        self._line = ""
        self._clear_next = False

    def begin(self) -> None:
        """Start a cell here."""
        self._row = self._column = 0
        self._lost = self._clear_next = False
        self._line = ""

    def write(self, stream: Stream, text: str) -> None:
        """Write output of the code."""
        target = sys.stdout if stream == "stdout" else sys.stderr
        if not _is_terminal(target):
            return _write_text(target, text)
        self._forget()
        text = self._filters[stream].feed(text)
        self._follow(text)
        if stream == "stderr" and self.colours and "\x1b" not in text:
            text = f"\x1b[31m{text}\x1b[39m"
        return _write_text(target, text)

    def show(self, text: str) -> None:
        """Write a whole line of ours, with colours."""
        self._forget()
        self.fresh_line()
        self._follow(text + "\n")
        _write_text(sys.stdout, text + "\n")

    def paint(self, text: str, codes: str) -> str:
        """Write text of the code, without control sequences, in a colour."""
        text = strip_control(text) if self.terminal else text
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colours else text

    def clear(self, *, wait: bool) -> None:
        """Remove what the cell has shown so far, now or when something follows."""
        if not self.terminal:
            return
        self._clear_next = wait
        if not wait:
            self._erase()

    def fresh_line(self) -> None:
        """Move to the start of a line."""
        if self._column:
            self._follow("\n")
            _write_text(sys.stdout, "\n")

    def note_interrupt(self) -> None:
        """Show ^C, as a terminal does."""
        if self.terminal:
            self._follow("^C\n")
            _write_text(sys.stdout, "^C\n")

    def take_line(self) -> str:
        """Remove the unfinished line from the screen and return it: a question is asked after it."""
        line, self._line = self._line, ""
        if line and self.terminal:
            self._column = 0
            _write_text(sys.stdout, "\r\x1b[K")
        return line

    @property
    def used(self) -> bool:
        """Whether the cell has shown anything."""
        return self._row > 0 or self._column > 0

    def end(self) -> None:
        """End the cell: nothing of it affects what follows."""
        for each in self._filters.values():
            each.end()
        if self.terminal:
            _write_text(sys.stdout, "\x1b[0m\x1b[?25h")
            self.fresh_line()

    def _forget(self) -> None:
        if self._clear_next:
            self._clear_next = False
            self._erase()

    def _erase(self) -> None:
        if self._lost or self._row >= shutil.get_terminal_size().lines:
            _write_text(sys.stdout, "\x1b[H\x1b[2J")
        else:
            _write_text(sys.stdout, "\r" + (f"\x1b[{self._row}A" if self._row > 0 else "") + "\x1b[J")
        self._row = self._column = 0
        self._lost, self._line = False, ""

    def _follow(self, text: str) -> None:
        """Track the cursor."""
        columns = shutil.get_terminal_size().columns
        for step in _STEP.finditer(text):
            match step[0][0]:
                case "\n":
                    self._row, self._column, self._line = self._row + 1, 0, ""
                case "\r":
                    self._column, self._line = 0, ""
                case "\b":
                    self._column, self._line = max(0, self._column - 1), self._line[:-1]
                case "\t":
                    self._column, self._line = (self._column // 8 + 1) * 8, self._line + "\t"
                case "\x1b":
                    self._move(step)
                case _:
                    self._advance(step[0], columns)

    def _advance(self, text: str, columns: int) -> None:
        self._column += len(text) if text.isascii() else get_cwidth(text)
        if self._column > columns:
            self._row += (self._column - 1) // columns
            self._column = (self._column - 1) % columns + 1
        self._line = (self._line + text)[-_LINE:]

    def _move(self, step: re.Match[str]) -> None:
        count = int(step[1]) if (step[1] or "").isdigit() else 1
        match step[2]:
            case "A" | "F":
                self._row = max(0, self._row - min(count, 9999))
            case "B" | "E":
                self._row += min(count, 9999)
            case "H" | "f":
                self._lost = True
            case "m":
                self._line = (self._line + step[0])[-_LINE:]
            case _:
                pass


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _write_text(target: TextIO | None, text: str) -> None:
    # None if the program was started with the stream closed.
    if target and text:
        target.write(text)
        target.flush()
