"""subprocess.Popen over the sandbox's shell."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.subprocesses.shell_jobs import FinishedJob, ShellJob
from cloche_guest.waiting import event_loop

PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL


class _InputPipe(io.BytesIO):
    """The writing end of a command's input: the command starts when it is closed."""

    final = b""

    def close(self) -> None:
        if not self.closed:
            self.final = self.getvalue()
        super().close()

    def data(self) -> bytes:
        return self.final if self.closed else self.getvalue()


class _OutputPipe(io.RawIOBase):
    """The reading end of a command's output: reading waits until the command has ended."""

    def __init__(self, owner: Popen, name: str) -> None:
        self._owner, self._name = owner, name
        self._source: io.BytesIO | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._source is None:
            self._source = io.BytesIO(getattr(self._owner.finished(), self._name))
        return self._source.readinto(buffer)


class Popen:
    """Execute a child program in the sandbox's shell.

    The command runs alongside Python; its output can be read once it has ended.
    """

    def __init__(
        self, args: Any, bufsize: int = -1, executable: Any = None, stdin: Any = None, stdout: Any = None,
        stderr: Any = None, preexec_fn: Any = None, close_fds: bool = True, shell: bool = False, cwd: Any = None,
        env: Any = None, universal_newlines: Any = None, startupinfo: Any = None, creationflags: int = 0,
        restore_signals: bool = True, start_new_session: bool = False, pass_fds: Any = (), *, user: Any = None,
        group: Any = None, extra_groups: Any = None, encoding: Any = None, errors: Any = None, text: Any = None,
        umask: int = -1, pipesize: int = -1, process_group: Any = None,
    ) -> None:  # fmt: skip
        self.args, self.returncode = args, None
        self.text_mode = bool(encoding or errors or text or universal_newlines)
        self._encoding, self._errors = encoding or "utf-8", errors or "strict"
        self._targets = (stdout, stderr)
        live = stdout is None and stderr in (None, STDOUT)
        self._job = ShellJob(args, cwd=cwd, env=env, live=live, merge=stderr is STDOUT, shell=shell)
        self.pid = self._job.pid
        self._inlet = _InputPipe() if stdin is PIPE else None
        self._given = read_all(stdin)
        self.stdin = self._text(self._inlet, writing=True) if self._inlet is not None else None
        self.stdout = self._reader("stdout") if stdout is PIPE else None
        self.stderr = self._reader("stderr") if stderr is PIPE else None
        self._task: asyncio.Task[FinishedJob] | None = None
        self._result: FinishedJob | None = None
        if self._inlet is None:
            self._begin()

    def _text(self, raw: Any, *, writing: bool = False) -> Any:
        if not self.text_mode:
            return raw
        return io.TextIOWrapper(raw, encoding=self._encoding, errors=self._errors, write_through=writing)

    def _reader(self, name: str) -> Any:
        return self._text(io.BufferedReader(_OutputPipe(self, name)))

    def _begin(self) -> asyncio.Task[FinishedJob]:
        if self._task is None:
            data = self._given if self._inlet is None else self._inlet.data()
            self._task = event_loop.current_loop().create_task(self._answer(self._job.begin(data)))
        return self._task

    async def _answer(self, promise: Any) -> FinishedJob:
        return self._job.finish(await promise)

    def _settle(self, task: asyncio.Task[FinishedJob]) -> FinishedJob:
        if self._result is None:
            self._result = task.result()
            self._deliver(self._result)
        if self.returncode is None:
            self.returncode = self._result.exit
        return self._result

    def _deliver(self, done: FinishedJob) -> None:
        stdout, stderr = self._targets
        for target, data, fallback in ((stdout, done.stdout, sys.__stdout__), (stderr, done.stderr, sys.__stderr__)):
            if target in (PIPE, DEVNULL, STDOUT) or not data:
                continue
            write_all(fallback if target is None else target, data)

    def finished(self) -> FinishedJob:
        """Wait for the end of the command."""
        self.wait()
        return self._result or FinishedJob(self.returncode or 0, b"", b"")

    def wait(self, timeout: float | None = None) -> int:
        """Wait for child process to terminate; returns self.returncode."""
        if self.returncode is not None:
            return self.returncode
        task = self._begin()
        try:
            if timeout is None:
                event_loop.wait_for_task(task)
            elif not task.done():
                event_loop.wait_for_task(event_loop.current_loop().create_task(asyncio.wait({task}, timeout=timeout)))
        except KeyboardInterrupt:
            self.kill()
            raise
        if not task.done():
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        self._settle(task)
        return self.returncode or 0

    def poll(self) -> int | None:
        """Check if child process has terminated. Set and return returncode attribute."""
        task = self._begin()
        if self.returncode is None and not task.done() and engine_calls.can_wait():
            engine_calls.sleep(0.001)
        if self.returncode is None and task.done():
            self._settle(task)
        return self.returncode

    def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Send data to the child's input, wait for its end, and return its output as (stdout, stderr)."""
        if input and self.stdin is not None and not self.stdin.closed:
            self.stdin.write(input)
        if self.stdin is not None and not self.stdin.closed:
            self.stdin.close()
        self.wait(timeout)
        stdout, stderr = (None if stream is None else stream.read() for stream in (self.stdout, self.stderr))
        return stdout, stderr

    def send_signal(self, sig: int) -> None:
        """Send a signal to the process: any of them ends it."""
        if self.poll() is None:
            engine_calls.kill(self._job.request["id"])
            self.returncode = -int(sig)

    def terminate(self) -> None:
        """Terminate the process with SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    @property
    def universal_newlines(self) -> bool:
        return self.text_mode

    def __enter__(self) -> Popen:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.stdin is not None and not self.stdin.closed:
            self.stdin.close()
        self.wait()

    def __class_getitem__(cls, _item: Any) -> type[Popen]:
        return cls

    def __repr__(self) -> str:
        return f"<Popen: returncode: {self.returncode} args: {self.args!r}>"


def read_all(source: Any) -> bytes | None:
    if source is None or source is PIPE:
        return None
    if source is DEVNULL:
        return b""
    if isinstance(source, int):
        with os.fdopen(os.dup(source), "rb") as stream:
            return stream.read()
    data = getattr(source, "buffer", source).read()
    return data.encode() if isinstance(data, str) else data


def write_all(target: Any, data: bytes) -> None:
    if isinstance(target, int):
        while data:
            data = data[os.write(target, data) :]
        return
    target.flush()
    if getattr(target, "buffer", None) is not None:
        target.buffer.write(data)
    elif isinstance(target, io.TextIOBase):
        target.write(data.decode("utf-8", "replace"))
    else:
        target.write(data)
    target.flush()


def install() -> None:
    """Install Popen; run, call, check_output and the rest of subprocess are built on it."""
    subprocess.Popen = Popen
    subprocess._can_fork_exec = True
