"""Requests to the host: what the sandbox may not do itself, such as fetching from the network."""

from __future__ import annotations

import json
from time import monotonic
from typing import Any

from cloche_guest import engine_calls

READABLE, WRITABLE, ANSWERED = 1, 2, 4
"""What a request may be ready for; wait_any() takes several, added up."""


class RequestError(Exception):
    """The host refused or failed; `kind` says how."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class HostRequest:
    """An open request: its answer, and the bytes that come with it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def data(self, seconds: float | None = None) -> Any:
        """Wait for the answer; raise TimeoutError after the timeout."""
        return self._open(engine_calls.wait_for(self._call("answer", seconds)))

    async def data_async(self, seconds: float | None = None) -> Any:
        """The answer, without blocking the event loop."""
        return self._open(await self._call("answer", seconds, calm=True))

    def ready(self, seconds: float | None = None) -> int:
        """Wait for bytes and return how many can be read; 0 at their end."""
        return int(self._open(engine_calls.wait_for(self._call("piece", seconds))))

    async def ready_async(self, seconds: float | None = None) -> int:
        """The same, without blocking the event loop."""
        return int(self._open(await self._call("piece", seconds, calm=True)))

    def take(self, buffer: memoryview) -> int:
        """Read what has arrived into the buffer; 0 at the end, -1 if ready() must be awaited first."""
        return int(engine_calls.call_engine("take", self.handle, buffer))

    def read(self) -> bytes:
        """Wait for the next bytes; none at their end."""
        return self._bytes(self.ready())

    async def read_async(self) -> bytes:
        """The next bytes, without blocking the event loop."""
        return self._bytes(await self.ready_async())

    def readinto(self, buffer: Any) -> int:
        """Wait for the next bytes and read as many as fit into the buffer; 0 at their end."""
        return self.take(memoryview(buffer).cast("B")) if self.ready() else 0

    def put(self, data: Any) -> int:
        """Send more bytes of an open request; return how many are still waiting, -1 if no more are wanted."""
        return int(engine_calls.call_engine("put", self.handle, data))

    def room(self, seconds: float | None = None) -> bool:
        """Wait until all of them are sent; false if no more are wanted."""
        return not self._open(engine_calls.wait_for(self._call("room", seconds)))

    async def room_async(self) -> bool:
        """The same, without blocking the event loop."""
        return not self._open(await self._call("room", calm=True))

    def finish(self) -> None:
        """End the body of an open request."""
        engine_calls.call_engine("finish", self.handle)

    def is_answered(self) -> bool:
        """Whether data() would return at once."""
        return bool(engine_calls.call_engine("state", self.handle) & ANSWERED)

    def is_readable(self) -> bool:
        """Whether take() would return bytes or their end."""
        return bool(engine_calls.call_engine("state", self.handle) & READABLE)

    def has_room(self) -> bool:
        """Whether all bytes are sent."""
        return bool(engine_calls.call_engine("state", self.handle) & WRITABLE)

    def close_when_sent(self) -> None:
        """Read no more, and end it once all bytes are sent; may be called twice."""
        engine_calls.call_engine("close", self.handle)

    def leave(self) -> None:
        """Read no more; the host may finish what it does."""
        engine_calls.call_engine("leave", self.handle)

    def close(self) -> None:
        """Tell the host to stop; may be called twice."""
        engine_calls.call_engine("drop", self.handle)

    def _call(self, name: str, seconds: float | None = None, *, calm: bool = False) -> Any:
        return engine_calls.call_engine(name, self.handle, -1 if seconds is None else max(seconds, 0), calm)

    def _bytes(self, size: int) -> bytes:
        buffer = bytearray(size)
        if size:
            self.take(memoryview(buffer))
        return bytes(buffer)

    def _open(self, answer: str) -> Any:
        known = json.loads(answer)
        if "data" in known:
            return known["data"]
        if known.get("late"):
            raise TimeoutError("timed out")
        if error := known.get("error"):
            raise RequestError(error["type"], error["message"])
        self.close()
        raise KeyboardInterrupt


def send_request(request: dict[str, Any], body: Any = None, *, more: bool = False) -> HostRequest:
    """Send a request to the host with the bytes of `body`; `more` leaves it open for more bytes."""
    return HostRequest(int(engine_calls.call_engine("ask", json.dumps(request), body, more)))


def wait_any(watched: dict[int, int], seconds: float | None) -> None:
    """Wait until one of these requests, given by their handles, is ready for what is asked; return early at times."""
    wanted = json.dumps(list(watched.items()))
    promise = engine_calls.call_engine("poll", wanted, engine_calls.wait_time(seconds))
    if json.loads(engine_calls.wait_for(promise)).get("interrupted"):
        raise KeyboardInterrupt


def wait_until(request: HostRequest, state: int, seconds: float | None) -> None:
    """Wait until a request is ready for something; raise TimeoutError after the timeout."""
    end = None if seconds is None else monotonic() + seconds
    while not engine_calls.call_engine("state", request.handle) & state:
        left = None if end is None else end - monotonic()
        if left is not None and left <= 0:
            raise TimeoutError("timed out")
        wait_any({request.handle: state}, left)
