"""Servers of socketserver that would have a thread for each request: here requests take turns."""

from __future__ import annotations

from time import monotonic
from typing import Any

from cloche_guest.host_requests import ANSWERED, READABLE, wait_any
from cloche_guest.net.loopback import Listener, LocalConnection
from cloche_guest.net.sockets import Socket

_PATIENCE = 0.05
"""Seconds that a client may be silent before it is taken for one that only keeps its connection."""


def begin_request(server: Any, request: Any) -> None:
    """A request is handled now. If it is HTTP, its connection may not keep others waiting once it is answered."""
    http = hasattr(getattr(server, "RequestHandlerClass", None), "handle_one_request")
    listens = getattr(server, "socket", None)
    if http and isinstance(request, Socket) and isinstance(listens, Socket) and request._connection is not None:
        request._connection = _PatientConnection(request._connection, listens._listener)


class _PatientConnection(LocalConnection):
    """A connection that ends when its client asks nothing more and somebody else waits."""

    def __init__(self, connection: Any, listener: Listener | None) -> None:
        super().__init__(connection._request, peer=connection.port, own=connection.own_port)
        connection.ended = True
        self._listener = listener
        self._answered = False

    def write(self, data: memoryview) -> None:
        super().write(data)
        self._answered = True

    def take(self, buffer: memoryview) -> int:
        size = super().take(buffer)
        if size > 0:
            self._answered = False
        return size

    def wait(self, seconds: float | None) -> None:
        if not self._answered or self._listener is None:
            super().wait(seconds)
            return
        end = None if seconds is None else monotonic() + seconds
        wait_any({self.handle: READABLE}, _PATIENCE)
        while not self.readable():
            if self._listener.readable():
                self.close()
                return
            left = None if end is None else end - monotonic()
            if left is not None and left <= 0:
                raise TimeoutError("timed out")
            wait_any({self.handle: READABLE, self._listener.handle: ANSWERED}, left)
