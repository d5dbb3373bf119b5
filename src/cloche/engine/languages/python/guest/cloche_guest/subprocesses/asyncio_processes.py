"""asyncio's subprocesses over the sandbox's shell."""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import signal
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.subprocesses.popen import DEVNULL, PIPE, STDOUT, read_all, write_all
from cloche_guest.subprocesses.shell_jobs import FinishedJob, ShellJob
from cloche_guest.waiting import event_loop


class InputWriter:
    """Collects the input of a command until it is closed."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._closed = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Add some input."""
        self._parts.append(bytes(data))

    def writelines(self, lines: Any) -> None:
        """Add some lines."""
        self._parts.extend(lines)

    async def drain(self) -> None:
        """Nothing is buffered here."""

    def close(self) -> None:
        """End the input; the command starts."""
        self._closed.set()

    def write_eof(self) -> None:
        """End the input; the command starts."""
        self._closed.set()

    def is_closing(self) -> bool:
        """Whether the input has ended."""
        return self._closed.is_set()

    async def wait_closed(self) -> None:
        """Wait for the end of the input."""
        await self._closed.wait()

    async def data(self) -> bytes:
        """All input, once it has ended."""
        await self._closed.wait()
        return b"".join(self._parts)


class Process:
    """A command that runs alongside the event loop."""

    def __init__(self, job: ShellJob, stdin: Any, stdout: Any, stderr: Any) -> None:
        self._job, self._targets = job, (stdout, stderr)
        self.pid = job.pid
        self.returncode: int | None = None
        self.stdin = InputWriter() if stdin is PIPE else None
        self._given = read_all(stdin)
        self.stdout = asyncio.StreamReader(2**30) if stdout is PIPE else None
        self.stderr = asyncio.StreamReader(2**30) if stderr is PIPE else None
        self._task = event_loop.current_loop().create_task(self._run())

    async def _run(self) -> None:
        data = self._given if self.stdin is None else await self.stdin.data()
        done = self._job.finish(await self._job.begin(data))
        self._deliver(done)
        if self.returncode is None:
            self.returncode = done.exit

    def _deliver(self, done: FinishedJob) -> None:
        parts = zip((self.stdout, self.stderr), (done.stdout, done.stderr), self._targets, strict=True)
        for reader, data, target in parts:
            if reader is not None:
                reader.feed_data(data)
                reader.feed_eof()
            elif data and target not in (None, PIPE, DEVNULL, STDOUT):
                write_all(target, data)

    async def wait(self) -> int:
        """Wait for the end of the command."""
        await asyncio.shield(self._task)
        return self.returncode or 0

    async def communicate(self, input: bytes | None = None) -> tuple[bytes | None, bytes | None]:
        """Send input, wait for the end, and return all output."""
        if self.stdin is not None:
            self.stdin.write(input or b"")
            self.stdin.close()
        await self.wait()
        outputs = [None if reader is None else await reader.read() for reader in (self.stdout, self.stderr)]
        return outputs[0], outputs[1]

    def send_signal(self, number: int) -> None:
        """Any signal ends the command."""
        if self.returncode is None:
            engine_calls.kill(self._job.request["id"])
            self.returncode = -int(number)

    def terminate(self) -> None:
        """End the command."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the command."""
        self.send_signal(signal.SIGKILL)


def _start(command: Any, *, shell: bool, stdin: Any, stdout: Any, stderr: Any, options: dict[str, Any]) -> Process:
    live = stdout is None and stderr in (None, STDOUT)
    job = ShellJob(
        command, cwd=options.get("cwd"), env=options.get("env"), live=live, merge=stderr is STDOUT, shell=shell
    )  # fmt: skip
    return Process(job, stdin, stdout, stderr)


async def create_subprocess_exec(
    program: Any,
    *args: Any,
    stdin: Any = None,
    stdout: Any = None,
    stderr: Any = None,
    limit: int = 65536,
    **options: Any,
) -> Process:
    """Start a program with arguments."""
    return _start([program, *args], shell=False, stdin=stdin, stdout=stdout, stderr=stderr, options=options)


async def create_subprocess_shell(
    cmd: Any, stdin: Any = None, stdout: Any = None, stderr: Any = None, limit: int = 65536, **options: Any
) -> Process:
    """Start a shell command."""
    return _start(cmd, shell=True, stdin=stdin, stdout=stdout, stderr=stderr, options=options)


def install() -> None:
    """Install the two functions."""
    for module in (asyncio, asyncio.subprocess):
        module.create_subprocess_exec = create_subprocess_exec
        module.create_subprocess_shell = create_subprocess_shell
