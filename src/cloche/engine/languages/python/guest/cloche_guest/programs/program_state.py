"""The state of a program's process: streams, arguments, folder, environment, main module."""

from __future__ import annotations

import contextlib
import os
import sys
from types import ModuleType
from typing import Any

_SYS_NAMES = ("stdin", "stdout", "stderr", "argv", "path", "__stdin__", "__stdout__", "__stderr__", "excepthook")


class ProgramState:
    """One program's view of the process; the cells share the root one, each `python3` command has its own."""

    def __init__(self, *, captured: bool = False) -> None:
        self.captured = captured
        self._sys: dict[str, Any] = {}
        self._environ: dict[str, str] = {}
        self._folder = "/"
        self._main: ModuleType | None = None

    def save(self) -> None:
        """Remember how the process looks now."""
        self._sys = {name: getattr(sys, name, None) for name in _SYS_NAMES}
        self._environ = dict(os.environ)
        with contextlib.suppress(OSError):
            self._folder = os.getcwd()  # noqa: PTH109 - the plain string is what chdir wants back
        self._main = sys.modules.get("__main__")

    def load(self) -> None:
        """Restore the process to the remembered state."""
        for name, value in self._sys.items():
            setattr(sys, name, value)
        if dict(os.environ) != self._environ:
            replace_environ(self._environ)
        with contextlib.suppress(OSError):
            os.chdir(self._folder)
        if self._main is not None:
            sys.modules["__main__"] = self._main


_cells = ProgramState()
_active = _cells


def active_program() -> ProgramState:
    """The program that runs now."""
    return _active


def switch_program(target: ProgramState) -> ProgramState:
    """Put the running program aside for another one, and return it."""
    global _active
    previous = _active
    previous.save()
    _active = target
    target.load()
    return previous


def enter_program(fresh: ProgramState) -> ProgramState:
    """Put the running program aside for a new one that sets up the process itself."""
    global _active
    previous = _active
    previous.save()
    fresh.save()
    _active = fresh
    return previous


def resume_program(mine: ProgramState) -> None:
    """Continue a program after a wait in which another one may have run."""
    if _active is not mine:
        switch_program(mine)


def resume_cells() -> None:
    """Put aside a program that sleeps in the background, because a cell is about to run."""
    resume_program(_cells)


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
