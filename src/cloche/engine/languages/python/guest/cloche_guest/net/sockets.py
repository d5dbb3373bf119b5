"""Sockets of the guest: client connections that speak HTTP; everything else is refused with one clear error."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable
from itertools import count
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from cloche_guest.net.connection import Connection
from cloche_guest.net.names import address_of, name_of, text_of
from cloche_guest.net.refusal import not_http

_BLOCK = 1 << 20
_BACKLOG = 2 << 20
_numbers = count(1 << 16)
_StockSocket = socket.socket

by_number: WeakValueDictionary[int, Socket] = WeakValueDictionary()
"""The open sockets by their file descriptors, which are only numbers."""


class Socket(_StockSocket):
    """A socket whose connections the host makes, one HTTP request at a time."""

    __slots__ = ("_connection", "_deferred", "_family", "_kind", "_number", "_options", "_own", "_proto", "_timeout")

    def __init__(self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None) -> None:
        if fileno is not None:
            raise OSError(errno.EBADF, "there is no socket behind a file descriptor in this sandbox")
        self._family = socket.AF_INET if family == -1 else family
        self._kind = (socket.SOCK_STREAM if type == -1 else int(type)) & 0xF
        self._proto = max(proto, 0)
        self._begin()

    def _begin(self) -> None:
        self._io_refs, self._closed = 0, False
        self._number = next(_numbers)
        by_number[self._number] = self
        self._timeout: float | None = socket.getdefaulttimeout()
        self._options: dict[tuple[int, int], Any] = {}
        self._connection: Connection | None = None
        self._own: tuple[Any, ...] = ("0.0.0.0", 0)
        self._deferred: OSError | None = None

    @property
    def family(self) -> Any:
        return _enum(socket.AddressFamily, self._family)

    @property
    def type(self) -> Any:
        return _enum(socket.SocketKind, self._kind)

    @property
    def proto(self) -> int:
        return self._proto

    @property
    def timeout(self) -> float | None:
        return self._timeout

    def fileno(self) -> int:
        return self._number

    def gettimeout(self) -> float | None:
        return self._timeout

    def settimeout(self, value: float | None, /) -> None:
        if value is not None and value < 0:
            raise ValueError("Timeout value out of range")
        self._timeout = None if value is None else float(value)

    def setblocking(self, flag: bool, /) -> None:
        self._timeout = None if flag else 0.0

    def getblocking(self) -> bool:
        return self._timeout != 0

    def setsockopt(self, level: int, option: int, value: Any, size: int | None = None, /) -> None:
        self._options[level, option] = value

    def getsockopt(self, level: int, option: int, size: int = 0, /) -> Any:
        if (level, option) == (socket.SOL_SOCKET, getattr(socket, "SO_TYPE", None)):
            return self._kind
        return self._options.get((level, option), bytes(size) if size else 0)

    def get_inheritable(self) -> bool:
        return False

    def set_inheritable(self, inheritable: bool) -> None:
        """There are no child processes to inherit it."""

    def bind(self, address: Any, /) -> None:
        if self._family not in (socket.AF_INET, socket.AF_INET6):
            raise not_http("only addresses of the internet can be used")
        self._own = tuple(address)

    def listen(self, backlog: int = 0, /) -> NoReturn:
        raise not_http("a server cannot be opened")

    def accept(self) -> NoReturn:
        raise not_http("a server cannot be opened")

    def connect(self, address: Any, /) -> None:
        connection = self.open_connection(address)
        if self._kind == socket.SOCK_STREAM:
            # It is too quick to need a timeout, and must not fail because the socket does not block.
            connection.reach(self._timeout or None)
        self._connection = connection

    def connect_ex(self, address: Any, /) -> int:
        try:
            self.connect(address)
        except OSError as error:
            if error.errno is None:
                raise
            return error.errno
        return 0

    def open_connection(self, address: Any) -> Connection:
        """A connection that has not been checked yet."""
        if self._closed:
            raise OSError(errno.EBADF, "Bad file descriptor")
        if self._connection is not None:
            raise OSError(errno.EISCONN, "Transport endpoint is already connected")
        if self._family not in (socket.AF_INET, socket.AF_INET6):
            raise not_http("only places on the internet can be connected to")
        host, port = address[:2]
        if not isinstance(port, int) or not 0 <= port <= 65535:
            raise OverflowError("connect(): port must be 0-65535.")
        return Connection(name_of(text_of(host)), port)

    @property
    def connection(self) -> Connection:
        """Its connection; raises if it has none."""
        if self._number < 0:
            raise OSError(errno.EBADF, "Bad file descriptor")
        if self._kind != socket.SOCK_STREAM:
            raise not_http("datagrams cannot be sent or received")
        if self._connection is None:
            raise OSError(errno.ENOTCONN, "Socket not connected")
        return self._connection

    @connection.setter
    def connection(self, value: Connection) -> None:
        self._connection = value

    def getpeername(self) -> Any:
        if self._connection is None:
            raise OSError(errno.ENOTCONN, "Socket not connected")
        return self._place(address_of(self._connection.host), self._connection.port)

    def getsockname(self) -> Any:
        if self._connection is None:
            return self._own
        return self._place("::1" if self._family == socket.AF_INET6 else "127.0.0.1", 1024 + self._number % 60000)

    def _place(self, host: str, port: int) -> tuple[Any, ...]:
        return (host, port, 0, 0) if self._family == socket.AF_INET6 else (host, port)

    def send(self, data: Any, flags: int = 0, /) -> int:
        with memoryview(data) as view, view.cast("B") as part:
            return self._send(part[:_BLOCK])

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        with memoryview(data) as view, view.cast("B") as all_data:
            for at in range(0, len(all_data), _BLOCK):
                self._send(all_data[at : at + _BLOCK])

    def sendmsg(self, buffers: Iterable[Any], *_more: Any) -> int:
        return sum(self.send(data) for data in buffers)

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        return self._sendfile_use_send(file, offset, count)

    def sendto(self, data: Any, *_more: Any) -> int:
        return self.send(data)

    def _send(self, part: memoryview) -> int:
        connection = self.connection
        connection.write(part)
        if self._timeout == 0:
            return len(part)
        if connection.sending is not None and connection.sending.backlog > _BACKLOG:
            connection.sending.wait_room(self._timeout)
        elif connection.sending is None and not connection.idle:
            self._await_head(connection)
        return len(part)

    def _await_head(self, connection: Connection) -> None:
        # Programs expect an unreachable address to be reported here, and a timeout when they receive.
        exchange = connection.receiving
        if exchange is not None and not exchange.answered:
            try:
                connection.wait(self._timeout)
            except TimeoutError as error:
                self._deferred = error

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        with memoryview(buffer) as view, view.cast("B") as whole:
            return self._receive(whole[:nbytes] if nbytes else whole)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        buffer = bytearray(min(size, _BLOCK))
        return bytes(memoryview(buffer)[: self._receive(memoryview(buffer))])

    def recvfrom(self, size: int, flags: int = 0, /) -> tuple[bytes, Any]:
        return self.recv(size), self.getpeername()

    def recvfrom_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> tuple[int, Any]:
        return self.recv_into(buffer, nbytes), self.getpeername()

    def recvmsg(self, size: int, *_more: Any) -> tuple[bytes, list[Any], int, Any]:
        return self.recv(size), [], 0, self.getpeername()

    def _receive(self, buffer: memoryview) -> int:
        connection = self.connection
        if self._deferred is not None:
            deferred, self._deferred = self._deferred, None
            raise deferred
        while len(buffer):
            size = connection.take(buffer)
            if size >= 0:
                return size
            if self._timeout == 0 and not connection.readable():
                raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
            connection.wait(self._timeout)
        return 0

    def shutdown(self, how: int, /) -> None:
        connection = self.connection
        if how != socket.SHUT_WR:
            connection.close()

    def dup(self) -> NoReturn:
        raise not_http("a socket cannot be duplicated")

    def detach(self) -> int:
        number, self._number, self._closed = self._number, -1, True
        by_number.pop(number, None)
        self._connection = None
        return number

    def _real_close(self) -> None:
        connection = self._connection
        self.detach()
        if connection is not None:
            connection.close()


def take_over(kind: type[Socket], sock: Socket) -> Socket:
    """Replace a socket by one of another class, which takes over its connection."""
    new = kind.__new__(kind)
    new._family, new._kind, new._proto = sock._family, sock._kind, sock._proto
    new._begin()
    new._timeout, new._options, new._connection = sock._timeout, sock._options, sock._connection
    new._own, new._deferred = sock._own, sock._deferred
    sock.detach()
    return new


def _enum(kind: Any, value: int) -> Any:
    try:
        return kind(value)
    except ValueError:
        return value


def install() -> None:
    """Make this the socket class."""
    Socket.__module__, Socket.__name__, Socket.__qualname__ = "socket", "socket", "socket"
    socket.socket = Socket
