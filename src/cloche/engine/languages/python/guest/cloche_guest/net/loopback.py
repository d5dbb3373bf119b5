"""The sandbox's own loopback: ports, and connections between its programs that carry any bytes."""

from __future__ import annotations

import errno
import json
import socket
import ssl
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.host_requests import ANSWERED, READABLE, HostRequest, RequestError, send_request, wait_until

_LOCAL = ("0.0.0.0", "::", "::1")
_TLS = b"\x16\x03"
_BIND_ERRORS = {
    "AddressInUse": (errno.EADDRINUSE, "Address already in use"),
    "TooMany": (errno.EMFILE, "Too many open files"),
}


def is_local(address: str) -> bool:
    """Whether an address is the sandbox itself."""
    return address in _LOCAL or address.startswith("127.") or address.lower().startswith("::ffff:127.")


def take_port(number: int) -> int:
    """Take a port of the sandbox, any with 0, and return its number."""
    answer = json.loads(engine_calls.call_engine("port", "bind", number))
    if error := answer.get("error"):
        code, text = _BIND_ERRORS.get(error["type"], (errno.EINVAL, "Invalid argument"))
        raise OSError(code, text if code != errno.EMFILE else f"{text}: {error['message']}")
    return int(answer["data"])


def give_port_back(number: int) -> None:
    """Close a port; may be called twice."""
    engine_calls.call_engine("port", "unbind", number)


class Listener:
    """Accepts connections at a port; the next one is always asked for, so that a poll can see it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._next = self._ask()

    @property
    def handle(self) -> int:
        """The number by which the engine knows what it waits for."""
        return self._next.handle

    def readable(self) -> bool:
        """Whether somebody waits to be accepted."""
        return self._next.is_answered()

    def accept(self, seconds: float | None) -> LocalConnection:
        """Wait for the next connection."""
        if seconds == 0 and not self.readable():
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        wait_until(self._next, ANSWERED, seconds)
        try:
            return self._accepted(self._next.data())
        except RequestError:
            raise OSError(errno.EINVAL, "Invalid argument") from None

    async def accept_async(self) -> LocalConnection:
        """The same, without blocking the event loop."""
        try:
            return self._accepted(await self._next.data_async())
        except RequestError:
            raise OSError(errno.EINVAL, "Invalid argument") from None

    def close(self) -> None:
        """Accept no more."""
        self._next.close()

    def _ask(self) -> HostRequest:
        return send_request({"kind": "accept", "port": self.port}, more=True)

    def _accepted(self, data: Any) -> LocalConnection:
        taken, self._next = self._next, self._ask()
        return LocalConnection(taken, peer=int(data["port"]), own=self.port)


class LocalConnection:
    """One end of a connection inside the sandbox. Has the methods of `Connection`, which the host makes."""

    host = "127.0.0.1"
    idle = False
    open = answered = True

    def __init__(self, request: HostRequest, *, peer: int, own: int) -> None:
        self._request = request
        self.port, self.own_port = peer, own
        self.place = f"{self.host}:{peer}"
        self.ended = False
        self.backlog = 0
        """Bytes that wait until the other side has read some."""
        self._finished = False
        self._used = False

    def __del__(self) -> None:
        self.close()

    @property
    def handle(self) -> int:
        """The number by which the engine knows it."""
        return self._request.handle

    @property
    def sending(self) -> LocalConnection:
        return self

    @property
    def receiving(self) -> LocalConnection:
        return self

    @property
    def secure(self) -> bool:
        return False

    @secure.setter
    def secure(self, value: bool) -> None:
        if value:
            raise ssl.SSLError(
                ssl.SSL_ERROR_SSL, "TLS is not spoken inside the sandbox: use http:// for its own servers"
            )

    def write(self, data: memoryview) -> None:
        """Send bytes."""
        if self.ended or self._finished:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        if not self._used and data[:2] == _TLS:
            self.secure = True
        self._used = True
        backlog = self._request.put(data)
        if backlog < 0:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        self.backlog = backlog

    def wait_room(self, seconds: float | None) -> None:
        """Wait until everything is on its way."""
        self._request.room(seconds)
        self.backlog = 0

    async def wait_room_async(self) -> None:
        """The same, without blocking the event loop."""
        await self._request.room_async()
        self.backlog = 0

    def wait(self, seconds: float | None) -> None:
        """Wait for bytes, or their end."""
        wait_until(self._request, READABLE, seconds)
        try:
            self._request.ready()
        except RequestError:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer") from None

    async def wait_async(self) -> None:
        """The same, without blocking the event loop."""
        try:
            await self._request.ready_async()
        except RequestError:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer") from None

    def readable(self) -> bool:
        """Whether take() would return bytes or the end now."""
        return self.ended or self._request.is_readable()

    def writable(self) -> bool:
        """Whether more bytes can be sent at once."""
        return self.ended or self._request.has_room()

    def take(self, buffer: memoryview) -> int:
        """Read bytes; 0 at the end, -1 if the caller must wait."""
        return 0 if self.ended else self._request.take(buffer)

    def shut(self, how: int) -> None:
        """Close one direction, or both."""
        if how != socket.SHUT_RD and not self._finished:
            self._finished = True
            self._request.finish()

    def close(self) -> None:
        """Close it, after what was sent; may be called twice."""
        if not self.ended:
            self.ended = True
            self._request.close_when_sent()


def open_local(port: int, seconds: float | None) -> LocalConnection | None:
    """Connect to a port of the sandbox; None if nobody listens there."""
    request = send_request({"kind": "connect", "port": port}, more=True)
    try:
        return _connected(request, port, request.data(seconds))
    except RequestError as error:
        return _refused(error)


async def open_local_async(port: int) -> LocalConnection | None:
    """The same, without blocking the event loop."""
    request = send_request({"kind": "connect", "port": port}, more=True)
    try:
        return _connected(request, port, await request.data_async())
    except RequestError as error:
        return _refused(error)


def _connected(request: HostRequest, port: int, data: Any) -> LocalConnection:
    return LocalConnection(request, peer=port, own=int(data["port"]))


def _refused(error: RequestError) -> None:
    if error.kind == "TooMany":
        raise ConnectionRefusedError(errno.ECONNREFUSED, f"Connection refused: {error}") from None
