"""Reads standard input in a separate thread, so that code which does not ask for input never waits for it."""

import asyncio
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

from cloche.errors import ConfigError
from cloche.limits import STDIN_LIMIT

CHUNK = 65536


class Stdin:
    """Piped or typed input. A terminal is read only when a line is wanted."""

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self._data = bytearray()
        self._lock = threading.Condition()
        self._wanted = False
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._ended = False
        self.terminal = _is_terminal(fd)
        # Not a worker thread of the event loop: these are waited for at exit, and a read may never return.
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def whole(self) -> bytes | None:
        """All of the input, if it has ended and fits into one message."""
        with self._lock:
            return bytes(self._data) if self._ended and len(self._data) <= STDIN_LIMIT else None

    async def all(self) -> bytes:
        """Wait for the end and return everything."""
        while (data := self.whole) is None:
            if len(self._data) > STDIN_LIMIT:
                raise ConfigError(
                    f"standard input is over the limit of {STDIN_LIMIT >> 20} MB: put it into a file and show its "
                    "folder to the sandbox with --mount or --workspace"
                )
            await self._change()
        return data

    async def line(self) -> str | None:
        """The next line; None at the end."""
        while (line := self._take()) is None and not self._ended:
            await self._change()
        return None if line is None else line.decode("utf-8", "replace")

    def drop(self) -> None:
        """Forget what was typed before now: it was no answer to what is asked next."""
        with self._lock:
            self._data.clear()
        if self.terminal and sys.platform != "win32":
            import termios

            termios.tcflush(self._fd, termios.TCIFLUSH)

    async def _change(self) -> None:
        await self._changed.wait()
        self._changed.clear()

    def _take(self) -> bytes | None:
        with self._lock:
            end = self._data.find(b"\n") + 1
            if not end and (self._ended or len(self._data) > STDIN_LIMIT):
                end = len(self._data)
            line = bytes(self._data[:end])
            del self._data[:end]
            self._wanted = not line
            self._lock.notify()
        return line.removesuffix(b"\n") if line else None

    def _is_welcome(self) -> bool:
        return self._wanted if self.terminal else len(self._data) <= STDIN_LIMIT

    def _read(self) -> None:
        while not self._ended:
            with self._lock:
                self._lock.wait_for(self._is_welcome)
            try:
                chunk = os.read(self._fd, CHUNK)
            except OSError:
                chunk = b""
            with self._lock:
                self._data += chunk
                self._ended = not chunk
                self._wanted = False
            try:
                self._loop.call_soon_threadsafe(self._changed.set)
            except RuntimeError:
                return


@contextmanager
def read_hidden(fd: int = 0) -> Generator[None]:
    """Typed characters are not shown meanwhile."""
    if sys.platform == "win32":
        yield
        return
    import termios

    before = termios.tcgetattr(fd)
    changed = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(fd, termios.TCSADRAIN, changed)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _is_terminal(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False
