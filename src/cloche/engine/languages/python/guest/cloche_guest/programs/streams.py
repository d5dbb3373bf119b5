"""The standard streams of a program, and their repair after a cell that broke them."""

from __future__ import annotations

import builtins
import contextlib
import getpass
import io
import os
import sys
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.programs import program_state

_BLOCK = 65536
_in_blocks = False
_DEVICES = {0: "/dev/stdin", 1: "/dev/stdout", 2: "/dev/stderr"}


class AskingInput(io.RawIOBase):
    """Standard input that asks the caller for each line."""

    def __init__(self) -> None:
        self._rest = b""

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            try:
                self._rest = (engine_calls.ask_user("", False) + "\n").encode("utf-8", "surrogateescape")
            except EOFError:
                return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def open_input(data: bytes | None = None) -> io.TextIOWrapper:
    """Standard input over given bytes, or one that asks."""
    raw: Any = io.BufferedReader(AskingInput()) if data is None else io.BytesIO(data)
    stream = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape")
    stream.mode = "r"
    return stream


def open_output(number: int, *, line_buffering: bool = True, unbuffered: bool = False) -> io.TextIOWrapper:
    """Standard output or error over its file descriptor: lines go out as they are complete."""
    raw = io.FileIO(number, "wb", closefd=False)
    buffer = raw if unbuffered else io.BufferedWriter(raw, _BLOCK)
    stream = _text(buffer, line_buffering=line_buffering, errors=_errors(number))
    stream.reconfigure(write_through=unbuffered)
    return stream


def open_standard(*, live: bool, piped: bool, unbuffered: bool) -> None:
    """Give a program streams over its file descriptors 0, 1 and 2; unless it is piped, its input asks the caller."""
    if piped:
        raw = io.BufferedReader(io.FileIO(0, "rb", closefd=False))
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape")
        sys.stdin.mode = "r"
    else:
        sys.stdin = sys.__stdin__ = open_input()
    sys.stdout = sys.__stdout__ = open_output(1, line_buffering=live, unbuffered=unbuffered)
    sys.stderr = sys.__stderr__ = open_output(2, unbuffered=unbuffered)


def capture_output(number: int) -> io.TextIOWrapper:
    """Standard output or error into memory."""
    return _text(io.BytesIO(), line_buffering=False, errors=_errors(number))


def _text(buffer: Any, *, line_buffering: bool, errors: str) -> io.TextIOWrapper:
    kind = io.TextIOWrapper if errors == _errors(1) else _ErrorStream
    stream = kind(buffer, encoding="utf-8", errors=errors, newline="\n", line_buffering=line_buffering)
    stream.mode = "w"
    stream.cloche_buffer = buffer
    return stream


class _ErrorStream(io.TextIOWrapper):
    """Standard error: earlier output is sent first, even while standard output is collected."""

    def write(self, text: str, /) -> int:
        if _in_blocks:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
        return super().write(text)


def buffer_in_blocks(wanted: bool) -> None:
    """Send standard output in blocks or in lines from now on; what is waiting is sent now."""
    global _in_blocks
    _in_blocks = wanted
    stream = getattr(sys, "stdout", None)
    if isinstance(stream, io.TextIOWrapper) and hasattr(stream, "cloche_buffer"):
        with contextlib.suppress(Exception):
            stream.reconfigure(line_buffering=not wanted)


def _errors(number: int) -> str:
    return "surrogateescape" if number == 1 else "backslashreplace"


def install() -> None:
    """Give the process fresh streams."""
    sys.stdin = sys.__stdin__ = open_input()
    sys.stdout = sys.__stdout__ = open_output(1)
    sys.stderr = sys.__stderr__ = open_output(2)
    builtins.input = ask_line
    getpass.getpass = ask_password


def set_input(text: str | None) -> None:
    """Let the next cell read these bytes, given as latin-1 text, or ask the caller for each line."""
    sys.stdin = sys.__stdin__ = open_input(None if text is None else text.encode("latin-1"))


def restore_streams() -> None:
    """Replace streams that a cell closed or removed; a cell's own replacements stay."""
    for number in (1, 2):
        _restore_descriptor(number)
    if _broken(getattr(sys, "stdin", None), "readline"):
        sys.stdin = sys.__stdin__ = open_input()
    if _broken(getattr(sys, "stdout", None), "write"):
        sys.stdout = sys.__stdout__ = open_output(1)
    if _broken(getattr(sys, "stderr", None), "write"):
        sys.stderr = sys.__stderr__ = open_output(2)


def _broken(stream: Any, verb: str) -> bool:
    try:
        return stream is None or bool(getattr(stream, "closed", False)) or not callable(getattr(stream, verb, None))
    except BaseException:  # noqa: BLE001 - a guest's own object may raise anything
        return True


_devices: dict[int, tuple[int, int]] = {}


def remember_descriptors() -> None:
    """Note the devices of the standard descriptors."""
    for number in (1, 2):
        status = os.fstat(number)
        _devices[number] = (status.st_dev, status.st_ino)


def _restore_descriptor(number: int) -> None:
    try:
        status = os.fstat(number)
        if (status.st_dev, status.st_ino) == _devices.get(number):
            return
    except OSError:
        pass
    fresh = os.open(_DEVICES[number], os.O_WRONLY)
    if fresh != number:
        os.dup2(fresh, number)
        os.close(fresh)


def ask_line(prompt: object = "", /) -> str:
    """Read a line from standard input. The prompt string, if given, is shown before."""
    if isinstance(getattr(getattr(sys.stdin, "buffer", None), "raw", None), AskingInput):
        return engine_calls.ask_user(str(prompt), False)
    if prompt != "":
        sys.stdout.write(str(prompt))
    program_state.flush_output()
    line = sys.stdin.readline()
    if not line:
        raise EOFError("EOF when reading a line")
    return line.removesuffix("\n")


def ask_password(prompt: str = "Password: ", stream: Any = None, **_options: Any) -> str:
    """Ask for a line that is not shown."""
    return engine_calls.ask_user(str(prompt), True)
