"""Streams the body of a request from the guest to a server."""

from collections.abc import AsyncIterator, Awaitable, Callable

from cloche.limits import NET_KEPT_BODY
from cloche.sandbox.network.refusals import BadRequest, TooLarge

AHEAD = 256 << 10
"""Bytes that are collected before sending; a shorter body has a known length."""


class RequestBody:
    """A body in pieces; a short one is kept, so that it can be sent again."""

    def __init__(self, pieces: AsyncIterator[bytes], limit: int, length: int | None) -> None:
        if length is not None and length > limit:
            raise TooLarge(f"the request's body has {length} bytes, more than the {limit} that it may have")
        self._pieces = pieces
        self._limit = limit
        self._declared = length
        self._kept: list[bytes] = []
        self._size = 0
        self._ended = False

    async def prepare(self) -> int | None:
        """Read ahead; returns the length if it is known then."""
        while not self._ended and self._size < AHEAD:
            await self._read()
        return self._size if self._ended else self._declared

    @property
    def whole(self) -> bytes | None:
        """The whole body, if it has been read."""
        return b"".join(self._kept) if self._ended and self._size <= NET_KEPT_BODY else None

    @property
    def repeatable(self) -> bool:
        return self._size <= NET_KEPT_BODY

    async def pour(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send all pieces, first those that were kept."""
        if not self.repeatable:
            raise BadRequest(
                f"the redirect asks for the body again, and only bodies up to {NET_KEPT_BODY} bytes are kept for that: "
                "send the request to the final address"
            )
        for piece in list(self._kept):
            await send(piece)
        while not self._ended:
            if (piece := await self._read()) is not None:
                await send(piece)

    async def _read(self) -> bytes | None:
        piece = await anext(self._pieces, None)
        self._ended = piece is None
        self._size += len(piece or b"")
        if self._size > self._limit:
            raise TooLarge(f"the request's body is over the {self._limit} bytes that it may have")
        if self._declared is not None and (
            self._size > self._declared or (self._ended and 0 < self._size != self._declared)
        ):
            raise BadRequest(f"the request's body is not as long as its Content-Length of {self._declared} says")
        if piece is not None and self._size <= NET_KEPT_BODY:
            self._kept.append(piece)
        elif self._size > NET_KEPT_BODY:
            self._kept.clear()
        return piece
