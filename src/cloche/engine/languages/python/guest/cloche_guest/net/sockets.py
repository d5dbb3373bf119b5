"""Sockets of the guest: any bytes inside the sandbox, HTTP to the outside; the rest is refused with one clear error."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable
from itertools import count
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from cloche_guest.net.connection import Connection
from cloche_guest.net.loopback import Listener, LocalConnection, give_port_back, is_local, open_local, take_port
from cloche_guest.net.names import address_of, name_of, text_of
from cloche_guest.net.refusal import not_http

_BLOCK = 1 << 20
_BACKLOG = 2 << 20
_numbers = count(1 << 16)
_StockSocket = socket.socket

by_number: WeakValueDictionary[int, Socket] = WeakValueDictionary()
"""The open sockets by their file descriptors, which are only numbers."""


class Socket(_StockSocket):
    """A socket whose other end is a program of the sandbox, or the host, which makes one HTTP request at a time."""

    __slots__ = (
        "_bound", "_connection", "_deferred", "_family", "_kind", "_listener", "_number", "_options", "_own", "_proto",
        "_timeout",
    )  # fmt: skip

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
        self._connection: Connection | LocalConnection | None = None
        self._bound = 0
        """The port that it has taken."""
        self._listener: Listener | None = None
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
        if self._bound:
            raise OSError(errno.EINVAL, "Invalid argument")
        host, port = address[:2]
        host = address_of(text_of(host)) if host else self._any
        if self._kind == socket.SOCK_STREAM:
            if not is_local(host):
                raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
            if not 0 <= int(port) <= 65535:
                raise OverflowError("bind(): port must be 0-65535.")
            self._bound = port = take_port(int(port))
        self._own = self._place(host, port)

    @property
    def _any(self) -> str:
        return "::" if self._family == socket.AF_INET6 else "0.0.0.0"

    def listen(self, backlog: int = 0, /) -> None:
        if self._kind != socket.SOCK_STREAM:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        if not self._bound:
            self.bind((self._any, 0))
        if self._listener is None:
            self._listener = Listener(self._bound)

    @property
    def listener(self) -> Listener:
        """What accepts connections; raises if it does not listen."""
        if self._listener is None:
            raise OSError(errno.EBADF if self._closed else errno.EINVAL, "Invalid argument")
        return self._listener

    def accept(self) -> tuple[Socket, Any]:
        return self.accepted(self.listener.accept(self._timeout))

    def accepted(self, connection: LocalConnection) -> tuple[Socket, Any]:
        """The socket of a connection that was accepted, and where it comes from."""
        sock = Socket(self._family, self._kind, self._proto)
        sock._connection = connection
        return sock, sock.getpeername()

    def connect(self, address: Any, /) -> None:
        if port := self.local_port(address):
            self._connection = open_local(port, self._timeout or None)
            if self._connection is not None:
                return
        connection = self.open_connection(address)
        if self._kind == socket.SOCK_STREAM:
            # It is too quick to need a timeout, and must not fail because the socket does not block.
            connection.reach(self._timeout or None)
        self._connection = connection

    def local_port(self, address: Any) -> int:
        """The port of this sandbox that an address means, 0 if it is outside."""
        internet = self._kind == socket.SOCK_STREAM and self._family in (socket.AF_INET, socket.AF_INET6)
        if not internet or self._closed or self._connection is not None or not isinstance(address[1], int):
            return 0
        return address[1] if not address[0] or is_local(address_of(text_of(address[0]))) else 0

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
    def connection(self) -> Connection | LocalConnection:
        """Its connection; raises if it has none."""
        if self._number < 0:
            raise OSError(errno.EBADF, "Bad file descriptor")
        if self._kind != socket.SOCK_STREAM:
            raise not_http("datagrams cannot be sent or received")
        if self._connection is None:
            raise OSError(errno.ENOTCONN, "Socket not connected")
        return self._connection

    @connection.setter
    def connection(self, value: Connection | LocalConnection) -> None:
        self._connection = value

    def getpeername(self) -> Any:
        if self._connection is None:
            raise OSError(errno.ENOTCONN, "Socket not connected")
        host = self._connection.host
        if self._family == socket.AF_INET6 and isinstance(self._connection, LocalConnection):
            host = "::1"
        return self._place(address_of(host), self._connection.port)

    def getsockname(self) -> Any:
        if self._connection is None:
            return self._own
        if isinstance(self._connection, LocalConnection):
            return self._place("::1" if self._family == socket.AF_INET6 else "127.0.0.1", self._connection.own_port)
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
        if self._timeout == 0 and isinstance(connection, LocalConnection) and not connection.writable():
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        connection.write(part)
        if self._timeout == 0:
            return len(part)
        if connection.sending is not None and connection.sending.backlog > _BACKLOG:
            connection.sending.wait_room(self._timeout)
        elif connection.sending is None and not connection.idle:
            self._await_head(connection)
        return len(part)

    def _await_head(self, connection: Connection | LocalConnection) -> None:
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
        if isinstance(connection, LocalConnection):
            connection.shut(how)
        elif how != socket.SHUT_WR:
            connection.close()

    def dup(self) -> NoReturn:
        raise not_http("a socket cannot be duplicated")

    def detach(self) -> int:
        number, self._number, self._closed = self._number, -1, True
        by_number.pop(number, None)
        self._connection = self._listener = None
        return number

    def _real_close(self) -> None:
        connection, listener = self._connection, self._listener
        self.detach()
        for part in (connection, listener):
            if part is not None:
                part.close()
        bound, self._bound = self._bound, 0
        if bound:
            give_port_back(bound)

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self._real_close()


def take_over(kind: type[Socket], sock: Socket) -> Socket:
    """Replace a socket by one of another class, which takes over its connection."""
    new = kind.__new__(kind)
    new._family, new._kind, new._proto = sock._family, sock._kind, sock._proto
    new._begin()
    new._timeout, new._options, new._connection = sock._timeout, sock._options, sock._connection
    new._own, new._deferred, new._bound, new._listener = sock._own, sock._deferred, sock._bound, sock._listener
    sock._bound = 0
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
    # Made of two sockets that are connected.
    socket.socketpair = socket._fallback_socketpair
