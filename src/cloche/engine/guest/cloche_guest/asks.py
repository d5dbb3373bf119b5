"""Questions to the host: what the sandbox may not do itself, such as fetching from the network."""

from __future__ import annotations

import json
from typing import Any

from cloche_guest import host


class AskError(Exception):
    """The host refused or failed; `kind` says how."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Asked:
    """One question on its way: an answer, and bytes that come with it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def data(self) -> Any:
        """Wait for the answer."""
        return self._open(host.wait(host.call("answer", self._handle)))

    async def data_async(self) -> Any:
        """The answer, while the event loop goes on."""
        return self._open(await host.call("answer", self._handle))

    def read(self) -> bytes:
        """Wait for the next bytes; none at their end."""
        return self._take(self._open(host.wait(host.call("piece", self._handle))))

    async def read_async(self) -> bytes:
        """The next bytes, while the event loop goes on."""
        return self._take(self._open(await host.call("piece", self._handle)))

    def readinto(self, buffer: Any) -> int:
        """Wait for the next bytes and put as many as there is room for into the buffer; 0 at their end."""
        if not self._open(host.wait(host.call("piece", self._handle))):
            return 0
        return int(host.call("take", self._handle, memoryview(buffer).cast("B")))

    def close(self) -> None:
        """Have the host stop; may be called twice."""
        host.call("drop", self._handle)

    def _take(self, size: int) -> bytes:
        buffer = bytearray(size)
        if size:
            host.call("take", self._handle, buffer)
        return bytes(buffer)

    def _open(self, answer: str) -> Any:
        known = json.loads(answer)
        if known.get("interrupted"):
            self.close()
            raise KeyboardInterrupt
        if error := known.get("error"):
            raise AskError(error["type"], error["message"])
        return known["data"]


def ask(question: dict[str, Any], body: bytes | None = None) -> Asked:
    """Ask the host; the bytes of `body` go along."""
    return Asked(int(host.call("ask", json.dumps(question), body)))
