"""HTTP/1.1 over one connection."""

import select
import time
from typing import NoReturn

import anyio
import h11
from anyio.abc import ByteStream, SocketAttribute, SocketStream

from cloche.limits import NET_HEAD_LIMIT
from cloche.sandbox.network.deadlines import Pace, deadline
from cloche.sandbox.network.dial import close_stream
from cloche.sandbox.network.refusals import BadRequest, ConnectionLost, TooLarge
from cloche.sandbox.network.settings import NetworkLimits

BLOCK = 256 << 10
"""Bytes that are read, and passed on, at once."""

SELECTABLE = 1024
"""File descriptors below this can be asked whether something has come."""

INTERIM = 16
"""Answers of the kind "please wait" that a server may send."""

_BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


class Connection:
    """Carries one exchange after another."""

    def __init__(self, raw: SocketStream, stream: ByteStream, limits: NetworkLimits, host: str) -> None:
        self._raw = raw
        self._stream = stream
        self._limits = limits
        self._host = host
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=NET_HEAD_LIMIT)
        self._outward = Pace(limits, host)
        self.pace = Pace(limits, host)
        """Of the answer's body."""
        self.idle_since = 0.0
        self.used = False
        """Whether it has carried an exchange before."""
        self.heard = False
        """Whether anything of the current answer has come."""

    async def send(self, *events: h11.Request | h11.Data | h11.EndOfMessage) -> int:
        """Send parts of a request; gives the bytes that went out."""
        data = b"".join(self._encoded(events))
        if data:
            try:
                with self._outward.waiting("did not take the request"):
                    await self._stream.send(data)
            except _BROKEN as error:
                raise ConnectionLost(f"{self._host} hung up while the request was sent") from error
            self._outward.moved(len(data))
        return len(data)

    async def head(self, seconds: float) -> h11.Response:
        """Wait for the head of the answer."""
        with deadline(seconds, f"{self._host} did not answer"):
            for _ in range(INTERIM):
                while (event := self._next()) is h11.NEED_DATA:
                    await self._receive()
                if isinstance(event, h11.Response):
                    return event
                if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
                    break
        raise ConnectionLost(f"{self._host} closed the connection without an answer, or with none that HTTP/1.1 knows")

    async def block(self) -> bytes:
        """The next bytes of the answer's body, what has come at once; empty at its end."""
        parts: list[bytes] = []
        size = 0
        while size < BLOCK and self._http.their_state is h11.SEND_BODY:
            event = self._next()
            if isinstance(event, h11.Data):
                parts.append(event.data)
                size += len(event.data)
            elif event is h11.NEED_DATA and not parts:
                with self.pace.waiting("sent nothing more"):
                    count = await self._receive()
                self.pace.moved(count)
            elif event is h11.NEED_DATA:
                break
        return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)

    def recycle(self) -> bool:
        """Make ready for the next exchange; false when it has to be closed."""
        try:
            self._http.start_next_cycle()
        except h11.ProtocolError:
            return False
        self._outward, self.pace = Pace(self._limits, self._host), Pace(self._limits, self._host)
        self.idle_since = time.monotonic()
        self.used, self.heard = True, False
        return not self._http.trailing_data[0]

    @property
    def stale(self) -> bool:
        """Whether the server has closed it, or sent what nobody asked for."""
        sock = self._raw.extra(SocketAttribute.raw_socket)
        return not 0 <= sock.fileno() < SELECTABLE or bool(select.select([sock], [], [], 0)[0])

    async def close(self) -> None:
        await close_stream(self._raw)

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
        raise ConnectionLost(
            f"the connection to {self._host} ended early, or its answer is not HTTP: {error}"
        ) from None

    async def _receive(self) -> int:
        try:
            data = await self._stream.receive(BLOCK)
        except anyio.EndOfStream:
            data = b""
        except _BROKEN as error:
            raise ConnectionLost(f"the connection to {self._host} broke: {error.__cause__ or error!r}") from error
        self.heard = self.heard or bool(data)
        self._http.receive_data(data)
        return len(data)
