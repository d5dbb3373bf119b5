"""A connection for asyncio: requests are written, and responses arrive at a protocol without blocking the loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from typing import Any

from cloche_guest.net.loopback import LocalConnection
from cloche_guest.net.refusal import not_http
from cloche_guest.net.sockets import Socket

_BLOCK = 256 << 10
_HIGH_WATER = 1 << 20
_SILENCE = 10.0
"""Seconds after which a silent client is assumed to wait for the server to speak first, unlike in HTTP."""


class HttpTransport(asyncio.Transport):
    """Carries HTTP between a protocol and the host."""

    def __init__(self, loop: Any, sock: Socket, protocol: Any, extra: dict[str, Any]) -> None:
        super().__init__({"socket": sock, "sockname": sock.getsockname(), "peername": sock.getpeername(), **extra})
        self._loop = loop
        self._sock = sock
        self._connection = sock.connection
        self._protocol = protocol
        self._closing = False
        self._paused = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._reader: asyncio.Task[None] | None = None
        self._draining = False
        self._buffer: memoryview | None = None
        self._turn = asyncio.Event()
        self._silence = loop.call_later(_SILENCE, self._give_up)

    def secure(self, extra: dict[str, Any]) -> None:
        """Continue over TLS."""
        self._connection.secure = True
        self._extra.update(extra)

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._lose(None)

    def abort(self) -> None:
        self._lose(None)

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    def is_reading(self) -> bool:
        return not self._paused and not self._closing

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._turn.set()

    def can_write_eof(self) -> bool:
        return False

    def write_eof(self) -> None:
        raise not_http("one half of a connection cannot be closed")

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """The limits are fixed."""

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return (0, _HIGH_WATER)

    def get_write_buffer_size(self) -> int:
        sending = self._connection.sending
        return sending.backlog if sending is not None else 0

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        for data in list_of_data:
            self.write(data)

    def write(self, data: Any) -> None:
        if self._closing:
            return
        self._silence.cancel()
        try:
            with memoryview(data) as view, view.cast("B") as part:
                self._connection.write(part)
        except OSError as error:
            self._lose(error)
            return
        if not self._draining and self.get_write_buffer_size() > _HIGH_WATER:
            self._draining = True
            self._protocol.pause_writing()
            self._begin(self._drain())
        if not self._connection.idle:
            self._turn.set()
            if self._reader is None:
                self._reader = self._begin(self._read())

    async def _drain(self) -> None:
        sending = self._connection.sending
        try:
            if sending is not None:
                await sending.wait_room_async()
        except OSError as error:
            self._lose(error)
        finally:
            self._draining = False
            self._protocol.resume_writing()

    async def _read(self) -> None:
        try:
            while not self._closing:
                self._turn.clear()
                receiving = self._connection.receiving
                if self._paused or receiving is None or not receiving.open:
                    await self._turn.wait()
                elif not await self._pass_on():
                    return
        except OSError as error:
            self._lose(error)

    async def _pass_on(self) -> bool:
        """Pass some bytes to the protocol; false at the end of the connection."""
        size = self._deliver()
        if size < 0:
            await self._connection.wait_async()
            return True
        if size == 0 or (self._connection.ended and self._connection.idle):
            self._loop.call_soon(self._end)
            return False
        # The receiver needs a turn of the loop first.
        await asyncio.sleep(0)
        return True

    def _deliver(self) -> int:
        if isinstance(self._protocol, asyncio.BufferedProtocol):
            size = self._connection.take(memoryview(self._protocol.get_buffer(_BLOCK)).cast("B"))
            if size > 0:
                self._protocol.buffer_updated(size)
            return size
        if self._buffer is None:
            self._buffer = memoryview(bytearray(_BLOCK))
        size = self._connection.take(self._buffer)
        if size > 0:
            self._protocol.data_received(bytes(self._buffer[:size]))
        return size

    def _end(self) -> None:
        if not self._closing:
            self._protocol.eof_received()
            self._lose(None)

    def _give_up(self) -> None:
        self._lose(not_http("nothing was sent over a connection"))

    def _begin(self, work: Any) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _lose(self, error: OSError | None) -> None:
        if self._closing:
            return
        self._closing = True
        self._silence.cancel()
        self._turn.set()
        self._sock.close()
        self._loop.call_soon(self._protocol.connection_lost, error)


class LocalTransport(HttpTransport):
    """Carries any bytes between a protocol and another program of the sandbox."""

    def __init__(self, loop: Any, sock: Socket, protocol: Any, extra: dict[str, Any], server: Any = None) -> None:
        super().__init__(loop, sock, protocol, extra)
        self._silence.cancel()
        self._server = server
        if server is not None:
            server._attach(self)

    def start(self) -> None:
        """Connect the protocol, and begin to read."""
        self._protocol.connection_made(self)
        if self._reader is None and not self._closing:
            self._reader = self._begin(self._read())

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._connection.shut(socket.SHUT_WR)

    def _end(self) -> None:
        if not self._closing and not self._protocol.eof_received():
            self._lose(None)

    def _lose(self, error: OSError | None) -> None:
        server, self._server = self._server, None
        super()._lose(error)
        if server is not None:
            server._detach(self)


def open_transport(
    loop: Any, sock: Socket, protocol: Any, extra: dict[str, Any] | None = None, server: Any = None
) -> HttpTransport:
    """The transport of a connected socket; its protocol is told. `extra` is what it says about TLS."""
    if isinstance(sock.connection, LocalConnection):
        local = LocalTransport(loop, sock, protocol, {}, server)
        local.start()
        return local
    transport = HttpTransport(loop, sock, protocol, {})
    if extra:
        transport.secure(extra)
    protocol.connection_made(transport)
    return transport
