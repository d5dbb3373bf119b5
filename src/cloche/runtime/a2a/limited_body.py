"""The body of an answer, read up to its limits."""

from collections.abc import AsyncIterator
from math import inf

import anyio
import httpx

from cloche.errors import RemoteAgentError
from cloche.limits import A2A_MESSAGE_LIMIT, A2A_MESSAGE_VALUES, A2A_TASK_LIMIT

END_WAIT = 0.1
"""Seconds a server may take to end a stream that nobody needs any more: then its connection can be used again."""
_SPLITTERS = (("\u2028", rb"\u2028"), ("\u2029", rb"\u2029"), ("\x85", rb"\u0085"))
_ESCAPES = [(char.encode(), escape) for char, escape in _SPLITTERS]
"""Characters at which the HTTP library ends a line, though they may stand in JSON; so they are escaped."""


class ByteBudget:
    """What all answers about one task may be together."""

    def __init__(self) -> None:
        self.left = A2A_TASK_LIMIT

    def spend(self, size: int) -> None:
        """Count bytes that came."""
        self.left -= size
        if self.left < 0:
            raise RemoteAgentError(f"it sent more than {A2A_TASK_LIMIT} bytes about one task")


class MessageMeter:
    """Measures one message of JSON: it is decoded in one step, which must not hold up everything else."""

    def __init__(self) -> None:
        self._size = 0
        self._values = 0

    def count(self, text: bytes) -> None:
        """Count JSON, up to the end of a line; raises RemoteAgentError for a message that is too large."""
        self._size += len(text)
        self._values += _count_values(text)
        check_size(self._size)
        if self._values > A2A_MESSAGE_VALUES:
            raise RemoteAgentError(f"it sent a message of more than {A2A_MESSAGE_VALUES} values")


class LimitedBody(httpx.AsyncByteStream):
    """A body that ends in an error beyond its limits, and soon after `stop` was called."""

    def __init__(self, stream: httpx.AsyncByteStream, budget: ByteBudget, *, is_events: bool) -> None:
        self._stream = stream
        self._budget = budget
        self._is_events = is_events
        self._ends_at = inf

    def stop(self) -> None:
        """Nothing more is needed of it."""
        self._ends_at = min(self._ends_at, anyio.current_time() + END_WAIT)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = aiter(self._stream)
        meter = MessageMeter()
        rest: list[bytes] = []
        waiting = 0
        while (piece := await self._next(pieces)) is not None:
            self._budget.spend(len(piece))
            end = max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1 if self._is_events else 0
            check_size(waiting := len(piece) - end if end else waiting + len(piece))
            if end:
                whole = b"".join([*rest, piece[:end]])
                rest = []
                meter = _count_lines(whole, meter)
                yield _escape_splitters(whole)
            rest.append(piece[end:])
        last = b"".join(rest)
        meter.count(last)
        yield last

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def _next(self, pieces: AsyncIterator[bytes]) -> bytes | None:
        """The next piece; None at the end."""
        while self._ends_at < inf:
            piece = None
            with anyio.move_on_after(self._ends_at - anyio.current_time()):
                piece = await anext(pieces, None)
            if piece is None:
                return None
        return await anext(pieces, None)


def check_size(size: int) -> None:
    """Raise RemoteAgentError for a message that is too long."""
    if size > A2A_MESSAGE_LIMIT:
        raise RemoteAgentError(f"it sent a message of more than {A2A_MESSAGE_LIMIT} bytes")


def _count_lines(text: bytes, meter: MessageMeter) -> MessageMeter:
    """Count the lines of an event stream; an empty one begins another message."""
    for line in text.splitlines():
        if line:
            meter.count(line)
        else:
            meter = MessageMeter()
    return meter


def _count_values(text: bytes) -> int:
    """About how many values there are in JSON, without those that are written in strings."""
    bare = text.replace(rb"\\", b"").replace(rb"\"", b"")
    outside = b"".join(bare.split(b'"')[::2])
    return sum(map(outside.count, (b",", b"[", b"{")))


def _escape_splitters(data: bytes) -> bytes:
    for raw, escape in _ESCAPES:
        if raw in data:
            data = data.replace(raw, escape)
    return data
