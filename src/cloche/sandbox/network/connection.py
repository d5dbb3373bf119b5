"""HTTP/1.1 over one connection."""

import re
import select
import socket
import time
from contextlib import suppress
from typing import NoReturn

import anyio
import h11
from anyio.abc import ByteStream, SocketAttribute, SocketStream

from cloche.limits import NET_HEAD_LIMIT
from cloche.sandbox.network.deadlines import PaceLimit, limit_time
from cloche.sandbox.network.dialer import close_stream
from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.refusals import BadRequest, ConnectionLost, TooLarge

BLOCK = 256 << 10
"""Bytes that are read and passed on at a time."""

SELECTABLE = 1024
"""`select` only works for file descriptors below this number."""

INTERIM = 16
"""How many informational (1xx) responses a server may send."""

QUICK: int | None = getattr(socket, "TCP_QUICKACK", None)
_QUOTE = re.compile(r":? *(?:bytearray\()?b['\"]")
"""Where h11's message starts to quote bytes."""

_BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


class Connection:
    """A connection that is used for one exchange after another."""

    def __init__(self, raw: SocketStream, stream: ByteStream, limits: NetworkLimits, host: str) -> None:
        self._raw = raw
        self._stream = stream
        self._limits = limits
        self._host = host
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=NET_HEAD_LIMIT)
        self._left: int | None = None
        self._ahead = b""
        self._outward = PaceLimit(limits, host)
        self.pace = PaceLimit(limits, host)
        """How fast the body of the response arrives."""
        self.idle_since = 0.0
        self.used = False
        """Whether it was used before."""
        self.heard = False
        """Whether any part of the current response has arrived."""

    async def send(self, *events: h11.Request | h11.Data | h11.EndOfMessage) -> int:
        """Send parts of a request; returns the number of bytes."""
        data = b"".join(self._encoded(events))
        if data:
            try:
                with self._outward.waiting("did not take the request"):
                    await self._stream.send(data)
            except _BROKEN as error:
                raise ConnectionLost(f"{self._host} hung up while the request was sent") from error
            self._outward.moved(len(data))
            self._acknowledge()
        return len(data)

    async def head(self, seconds: float) -> h11.Response:
        """Wait for the head of the response."""
        with limit_time(seconds, f"{self._host} did not answer"):
            for _ in range(INTERIM):
                while (event := self._next()) is h11.NEED_DATA:
                    self._http.receive_data(await self._receive())
                if isinstance(event, h11.Response):
                    return event
                if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
                    break
        raise ConnectionLost(f"{self._host} closed the connection without an answer, or with none that HTTP/1.1 knows")

    def expect(self, length: int) -> None:
        """Expect a body of this length, which is then passed on without parsing."""
        self._left = length
        self._ahead = self._http.trailing_data[0]

    async def block(self) -> bytes:
        """The next bytes of the response body, as many as have arrived; empty at the end."""
        if self._left is not None:
            return await self._plain_block()
        parts: list[bytes] = []
        size = 0
        while size < BLOCK and self._http.their_state is h11.SEND_BODY:
            event = self._next()
            if isinstance(event, h11.Data):
                parts.append(event.data)
                size += len(event.data)
            elif event is h11.NEED_DATA and not parts:
                self._http.receive_data(await self._receive_body())
            elif event is h11.NEED_DATA:
                break
        return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)

    def recycle(self, keep_alive: bool) -> bool:
        """Prepare for the next exchange; returns False if the connection must be closed."""
        rest = self._ahead if self._left is not None else self._http.trailing_data[0]
        their_end = self._left == 0 or self._http.their_state is h11.DONE
        if not keep_alive or rest or not their_end or self._http.our_state is not h11.DONE:
            return False
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=NET_HEAD_LIMIT)
        self._outward, self.pace = PaceLimit(self._limits, self._host), PaceLimit(self._limits, self._host)
        self._left, self._ahead = None, b""
        self.idle_since = time.monotonic()
        self.used, self.heard = True, False
        return True

    @property
    def stale(self) -> bool:
        """Whether the server has closed it, or has sent something unasked."""
        sock = self._raw.extra(SocketAttribute.raw_socket)
        return not 0 <= sock.fileno() < SELECTABLE or bool(select.select([sock], [], [], 0)[0])

    async def close(self) -> None:
        await close_stream(self._raw)

    def _acknowledge(self) -> None:
        """Acknowledge the next bytes at once: servers that write in small steps would wait 40 ms each time."""
        if QUICK is not None:
            with suppress(OSError):
                self._raw.extra(SocketAttribute.raw_socket).setsockopt(socket.IPPROTO_TCP, QUICK, 1)

    def _encoded(self, events: tuple[h11.Request | h11.Data | h11.EndOfMessage, ...]) -> list[bytes]:
        try:
            return [piece for event in events for piece in self._http.send_with_data_passthrough(event) or ()]
        except h11.LocalProtocolError as error:
            raise BadRequest(f"the request cannot be sent: {error}") from None

    def _next(self) -> object:
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            self._fail(error)

    def _fail(self, error: h11.RemoteProtocolError) -> NoReturn:
        if error.error_status_hint == 431:
            raise TooLarge(f"the headers of {self._host}'s answer are over {NET_HEAD_LIMIT} bytes") from None
        # The rest of its message quotes the response, which may contain a secret.
        what = _QUOTE.split(str(error), 1)[0]
        raise ConnectionLost(f"the connection to {self._host} ended early, or its answer is not HTTP: {what}") from None

    async def _plain_block(self) -> bytes:
        if self._left == 0:
            return b""
        data = self._ahead or await self._receive_body()
        if not data:
            raise ConnectionLost(
                f"the connection to {self._host} ended {self._left} bytes before the end of the answer"
            )
        assert self._left is not None
        data, self._ahead = (data, b"") if len(data) <= self._left else (data[: self._left], data[self._left :])
        self._left -= len(data)
        return data

    async def _receive_body(self) -> bytes:
        with self.pace.waiting("sent nothing more"):
            data = await self._receive()
        self.pace.moved(len(data))
        return data

    async def _receive(self) -> bytes:
        """The bytes that have arrived; empty at the end."""
        try:
            data = await self._stream.receive(BLOCK)
        except anyio.EndOfStream:
            return b""
        except _BROKEN as error:
            raise ConnectionLost(f"the connection to {self._host} broke: {error.__cause__ or error!r}") from error
        self.heard = True
        return data
