"""Standard input, read by a thread of its own: code that does not ask for input never waits for it."""

import asyncio
import os
import threading

from cloche.errors import ConfigError
from cloche.sandbox.requests import STDIN_LIMIT

CHUNK = 65536


class Stdin:
    """What is piped in or typed. A terminal is only read when a line is wanted."""

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self._data = bytearray()
        self._room = threading.Condition()
        self._wanted = False
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._stopped = False
        self.ended = False
        self.terminal = _is_terminal(fd)
        # Not a worker of the event loop: those are waited for at exit, and a read may never return.
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def whole(self) -> bytes | None:
        """Everything, if the end is reached and one message can carry it."""
        return bytes(self._data) if self.ended and len(self._data) <= STDIN_LIMIT else None

    async def all(self) -> bytes:
        """Wait for the end and give everything."""
        while not self.ended and len(self._data) <= STDIN_LIMIT:
            await self._change()
        if len(self._data) > STDIN_LIMIT:
            raise ConfigError(
                f"standard input is over the limit of {STDIN_LIMIT >> 20} MB: put it into a file and show its folder "
                "to the sandbox with --mount or --workspace"
            )
        return bytes(self._data)

    async def line(self) -> str | None:
        """The next line; None at the end or when stopped."""
        self._want(True)
        while not self._stopped and not self.ended and b"\n" not in self._data and len(self._data) < STDIN_LIMIT:
            await self._change()
        self._want(False)
        line, newline, rest = self._data.partition(b"\n")
        if self._stopped or not (line or newline):
            return None
        with self._room:
            self._data = rest
            self._room.notify()
        return line.decode("utf-8", "replace")

    def stop(self) -> None:
        """Nobody waits for a line any more."""
        self._stopped = True
        self._changed.set()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _want(self, wanted: bool) -> None:
        with self._room:
            self._wanted = wanted
            self._room.notify()

    def _is_welcome(self) -> bool:
        return self._wanted if self.terminal else len(self._data) <= STDIN_LIMIT

    def _read(self) -> None:
        while not self.ended:
            with self._room:
                self._room.wait_for(self._is_welcome)
            try:
                chunk = os.read(self._fd, CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._add, chunk)
            except RuntimeError:
                return

    def _add(self, chunk: bytes) -> None:
        with self._room:
            self._data += chunk
        self.ended = self.ended or not chunk
        self._changed.set()


def _is_terminal(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False
