"""Command lines of cells, which the sandbox's shell runs."""

from __future__ import annotations

import errno
import itertools
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cloche_guest import engine_calls
from cloche_guest.programs import program_state
from cloche_guest.subprocesses.processes import PYTHON

_numbers = itertools.count(100)


class FinishedJob(NamedTuple):
    """A command that has ended."""

    exit: int
    stdout: bytes
    stderr: bytes


class ShellJob:
    """One command, from its request to its answer."""

    def __init__(
        self, command: str | Sequence[Any], *, cwd: Any = None, env: Mapping[Any, Any] | None = None,
        live: bool = False, merge: bool = False, shell: bool = False,
    ) -> None:  # fmt: skip
        self.pid = next(_numbers)
        self.words = _words(command, shell)
        self.request: dict[str, Any] = {
            "id": str(self.pid),
            "cwd": _folder(cwd),
            "env": {os.fsdecode(k): os.fsdecode(v) for k, v in (os.environ if env is None else env).items()},
            "live": live and not program_state.is_captured(),
            "merge": merge,
        }
        if isinstance(self.words, str):
            self.request["script"] = self.words
        else:
            self.request["argv"] = self.words
        self._shown = live

    def begin(self, stdin: bytes | None = None) -> Any:
        """Start the command; return the promise of its answer."""
        self.request["stdin"] = None if stdin is None else stdin.decode("latin-1")
        return engine_calls.begin_shell(self.request)

    def finish(self, answer: str) -> FinishedJob:
        """Read the answer; a live command that could not be shown at once is shown now."""
        reply = json.loads(answer)
        if reply.get("interrupted"):
            raise KeyboardInterrupt
        if "error" in reply:
            raise OSError(errno.EAGAIN, str(reply["error"]))
        done = FinishedJob(
            int(reply["exit"]), reply.get("stdout", "").encode("latin-1"), reply.get("stderr", "").encode("latin-1")
        )
        if not isinstance(self.words, str) and _is_missing(reply, done):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.words[0])
        if self._shown and not self.request["live"]:
            show_output(done)
            return FinishedJob(done.exit, b"", b"")
        return done

    def run(self, stdin: bytes | None = None) -> FinishedJob:
        """Run the command to its end."""
        if not engine_calls.can_wait():
            raise RuntimeError("a command cannot be run from here: this code was called by the event loop")
        return self.finish(engine_calls.wait_for(self.begin(stdin)))


def _is_missing(reply: dict[str, Any], done: FinishedJob) -> bool:
    return bool(reply.get("missing")) or (done.exit == 127 and b"not found" in done.stderr)


def _words(command: Any, shell: bool) -> str | list[str]:
    if isinstance(command, (str, bytes)) or hasattr(command, "__fspath__"):
        text = os.fsdecode(command)
        return text if shell else [_program(text)]
    words = [os.fsdecode(word) for word in command]
    if not words:
        raise IndexError("list index out of range")
    return words[0] if shell else [_program(words[0]), *words[1:]]


def _program(name: str) -> str:
    return "python3" if name in (PYTHON, sys.executable) else name


def _folder(cwd: Any) -> str:
    if cwd is None:
        return os.getcwd()  # noqa: PTH109 - a string for the request
    folder = os.path.abspath(os.fsdecode(cwd))  # noqa: PTH100
    if not os.path.isdir(folder):  # noqa: PTH112
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(cwd))
    return folder


def show_output(done: FinishedJob) -> None:
    """Write a command's output to the program's own streams."""
    for stream, data in ((sys.__stdout__, done.stdout), (sys.__stderr__, done.stderr)):
        if data and stream is not None:
            stream.flush()
            stream.buffer.write(data)
            stream.flush()


def run_shown(script: str) -> int:
    """Run a shell script with its output on sys.stdout and sys.stderr; return its exit code."""
    if sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__:
        return ShellJob(script, shell=True, live=True).run().exit
    done = ShellJob(script, shell=True).run()
    sys.stdout.write(done.stdout.decode("utf-8", "replace"))
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return done.exit


def run_captured(script: str) -> str:
    """Run a shell script and return what it wrote, errors included."""
    return ShellJob(script, shell=True, merge=True).run().stdout.decode("utf-8", "replace")
