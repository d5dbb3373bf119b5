"""What a running program takes for granted about its process: arguments, folder, environment, main module."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

_SYS_NAMES = ("stdin", "stdout", "stderr", "argv", "path", "__stdin__", "__stdout__", "__stderr__", "excepthook")
SIGNALLED = 256
"""A status from here on says which signal has ended the program."""
_captured = False
_program = False
_expects_signals = False


class EndedBySignal(SystemExit):
    """A program ends itself by a signal; the code is that of a shell."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def begin_program(wanted: bool = True) -> None:
    """Say that this interpreter runs a program, and no cells."""
    global _program
    _program = wanted


def is_program() -> bool:
    """Whether a program runs here, and no cells."""
    return _program


def expect_signals(wanted: bool) -> None:
    """Say that a signal may come while this interpreter waits."""
    global _expects_signals
    _expects_signals = wanted


def looks_for_signals() -> bool:
    """Whether waits have to be interrupted now and then."""
    return _program or _expects_signals


def set_captured(captured: bool) -> None:
    """Say whether what this program prints goes to its caller instead of being shown."""
    global _captured
    _captured = captured


def is_captured() -> bool:
    """Whether what this program prints goes to its caller, as must what its commands print."""
    return _captured


@contextlib.contextmanager
def preserved() -> Iterator[None]:
    """Let a program run that changes all of this, and put it back."""
    values = {name: getattr(sys, name, None) for name in _SYS_NAMES}
    environ, folder, main = dict(os.environ), os.getcwd(), sys.modules["__main__"]  # noqa: PTH109 - for chdir
    try:
        yield
    finally:
        for name, value in values.items():
            setattr(sys, name, value)
        replace_environ(environ)
        os.chdir(folder)
        sys.modules["__main__"] = main
        set_captured(False)
        begin_program(False)


def replace_environ(values: dict[str, str]) -> None:
    """Make the environment exactly these values."""
    for name in set(os.environ) - set(values):
        del os.environ[name]
    os.environ.update(values)


def flush_output() -> None:
    """Send what the running program has printed so far."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - a guest may have put anything in place of its streams, or nothing
            continue
