"""asyncio's subprocesses: CPython's Popen, whose pipes are read and written while the event loop runs."""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import os
import subprocess
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.waiting import event_loop

_LIMIT = 2**16
_CHUNK = 65536
_LOOK = 1000.0
"""Milliseconds between two looks, if nothing rings."""


async def _ring(rings: int) -> None:
    await engine_calls.call_engine("await_ring", rings, _LOOK)


class InputWriter:
    """Writes to a process; what does not fit into its pipe waits."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._waiting = bytearray()
        self._ending = False
        self._done: asyncio.Task[None] | None = None
        os.set_blocking(number, False)

    def write(self, data: Any) -> None:
        """Add some input."""
        if self._ending:
            raise RuntimeError("the input has ended")
        self._waiting += data
        self._begin()

    def writelines(self, lines: Any) -> None:
        """Add some lines."""
        self.write(b"".join(lines))

    async def drain(self) -> None:
        """Wait until what was written is on its way."""
        while self._waiting and self._done is not None:
            await asyncio.shield(self._done)

    def close(self) -> None:
        """End the input."""
        self._ending = True
        self._begin()

    write_eof = close

    def can_write_eof(self) -> bool:
        """Whether the input can be ended."""
        return True

    def is_closing(self) -> bool:
        """Whether the input has ended."""
        return self._ending

    async def wait_closed(self) -> None:
        """Wait until all of it was written."""
        if self._done is not None:
            await asyncio.shield(self._done)

    def _begin(self) -> None:
        if self._done is None or self._done.done():
            self._done = event_loop.current_loop().create_task(self._send())

    async def _send(self) -> None:
        while self._waiting:
            rings = engine_calls.count_rings()
            try:
                del self._waiting[: os.write(self._number, self._waiting[:_CHUNK])]
            except BlockingIOError:
                await _ring(rings)
            except OSError:
                # Nobody reads it any more.
                self._waiting.clear()
                self._ending = True
        if self._ending and self._number >= 0:
            os.close(self._number)
            self._number = -1


class _Pause(asyncio.ReadTransport):
    """Lets a reader that has enough say so."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()
        self.free.set()

    def pause_reading(self) -> None:
        self.free.clear()

    def resume_reading(self) -> None:
        self.free.set()


async def _feed(reader: asyncio.StreamReader, file: Any) -> None:
    number = file.fileno()
    os.set_blocking(number, False)
    pause = _Pause()
    reader.set_transport(pause)
    while True:
        rings = engine_calls.count_rings()
        try:
            data = os.read(number, _CHUNK)
        except BlockingIOError:
            await _ring(rings)
            continue
        if not data:
            break
        reader.feed_data(data)
        await pause.free.wait()
    file.close()
    reader.feed_eof()


class Process:
    """A process that runs beside the event loop."""

    def __init__(self, popen: subprocess.Popen[Any], limit: int) -> None:
        self._popen = popen
        self.pid = popen.pid
        self.stdin = None
        if popen.stdin is not None:
            self.stdin = InputWriter(os.dup(popen.stdin.fileno()))
            popen.stdin.close()
        loop = event_loop.current_loop()
        self._tasks: list[asyncio.Task[None]] = []
        self.stdout, self.stderr = (self._reader(loop, file, limit) for file in (popen.stdout, popen.stderr))
        self._ended = loop.create_task(self._watch())

    def _reader(self, loop: Any, file: Any, limit: int) -> asyncio.StreamReader | None:
        if file is None:
            return None
        reader = asyncio.StreamReader(limit, loop)
        self._tasks.append(loop.create_task(_feed(reader, file)))
        return reader

    async def _watch(self) -> None:
        while True:
            rings = engine_calls.count_rings()
            if self._popen.poll() is not None:
                return
            await _ring(rings)

    @property
    def returncode(self) -> int | None:
        """The exit code; None while it runs."""
        return self._popen.returncode

    async def wait(self) -> int:
        """Wait for the end of the process."""
        await asyncio.shield(self._ended)
        return self._popen.returncode

    async def communicate(self, input: bytes | None = None) -> tuple[bytes | None, bytes | None]:
        """Send input, wait for the end, and return all output."""
        if self.stdin is not None:
            if input:
                self.stdin.write(input)
            self.stdin.close()
        loop = event_loop.current_loop()
        tasks = [None if reader is None else loop.create_task(reader.read()) for reader in (self.stdout, self.stderr)]
        found = [None if task is None else await task for task in tasks]
        await self.wait()
        return found[0], found[1]

    def send_signal(self, signal: int) -> None:
        """Send a signal to the process."""
        if self.returncode is not None:
            raise ProcessLookupError
        self._popen.send_signal(signal)

    def terminate(self) -> None:
        """End the process by SIGTERM."""
        if self.returncode is not None:
            raise ProcessLookupError
        self._popen.terminate()

    def kill(self) -> None:
        """End the process by SIGKILL."""
        if self.returncode is not None:
            raise ProcessLookupError
        self._popen.kill()


def _start(command: Any, limit: int, **kwds: Any) -> Process:
    return Process(subprocess.Popen(command, bufsize=0, **kwds), limit)


async def create_subprocess_exec(
    program: Any,
    *args: Any,
    stdin: Any = None,
    stdout: Any = None,
    stderr: Any = None,
    limit: int = _LIMIT,
    **kwds: Any,
) -> Process:
    """Start a program with arguments."""
    return _start([program, *args], limit, stdin=stdin, stdout=stdout, stderr=stderr, **kwds)


async def create_subprocess_shell(
    cmd: Any, stdin: Any = None, stdout: Any = None, stderr: Any = None, limit: int = _LIMIT, **kwds: Any
) -> Process:
    """Start a shell command."""
    return _start(cmd, limit, shell=True, stdin=stdin, stdout=stdout, stderr=stderr, **kwds)


def install() -> None:
    """Install the two functions."""
    for module in (asyncio, asyncio.subprocess):
        module.create_subprocess_exec = create_subprocess_exec
        module.create_subprocess_shell = create_subprocess_shell
