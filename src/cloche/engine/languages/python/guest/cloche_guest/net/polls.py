"""select and poll for the guest's sockets and for the system's files."""

from __future__ import annotations

import select
import selectors
import time
from collections.abc import Iterable
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.host_requests import ANSWERED, READABLE, WRITABLE, wait_any
from cloche_guest.net.loopback import Listener, LocalConnection
from cloche_guest.net.sockets import Socket, by_number

_SLICE = 0.01
_LONG = 1.0
"""Seconds between two looks at files: pipes say by themselves that something has happened."""
_select = select.select
_poll = select.poll


def _socket_of(file: Any) -> Socket | None:
    if isinstance(file, Socket):
        return file
    number = file if isinstance(file, int) else getattr(file, "fileno", int)()
    return by_number.get(number)


def _is_readable(sock: Socket) -> bool:
    source = sock._listener or sock._connection
    return source is not None and source.readable()


def _is_writable(sock: Socket) -> bool:
    return not isinstance(sock._connection, LocalConnection) or sock._connection.writable()


def _watch(wanted: Iterable[tuple[Any, bool]]) -> dict[int, int] | None:
    """What the engine can tell about these sockets, which are to be read or written; None if it cannot."""
    found: dict[int, int] = {}
    for file, reads in wanted:
        sock = _socket_of(file)
        source = None if sock is None else sock._listener or sock._connection
        if not isinstance(source, (Listener, LocalConnection)):
            return None
        state = WRITABLE if not reads else ANSWERED if isinstance(source, Listener) else READABLE
        found[source.handle] = found.get(source.handle, 0) | state
    return found


def _wait(timeout: float | None, look: Any, part: float = _SLICE, watched: dict[int, int] | None = None) -> Any:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        rings = engine_calls.count_rings()
        left = None if end is None else end - time.monotonic()
        if (found := look()) or (left is not None and left <= 0):
            return found
        if watched and engine_calls.can_wait():
            wait_any(watched, left)
        else:
            engine_calls.await_ring(rings, part if left is None else min(left, part))


def select_files(rlist: Any, wlist: Any, xlist: Any, timeout: float | None = None, /) -> Any:
    """Wait until one or more file descriptors are ready for some kind of I/O."""
    reading, writing, special = list(rlist), list(wlist), list(xlist)
    if not any(_socket_of(file) for file in (*reading, *writing, *special)):
        if not reading and not writing and not special:
            return wait_files(reading, writing, special, timeout)
        found = _wait(timeout, lambda: _ready_files(reading, writing, special), _LONG)
        return found or ([], [], [])
    watched = _watch([*((file, True) for file in reading), *((file, False) for file in writing)])
    found = _wait(timeout, lambda: _ready(reading, writing), watched=watched)
    return (*found, []) if found else ([], [], [])


def _ready(reading: Iterable[Any], writing: Iterable[Any]) -> tuple[list[Any], list[Any]] | None:
    ready = [file for file in reading if (sock := _socket_of(file)) is not None and _is_readable(sock)]
    free = [file for file in writing if (sock := _socket_of(file)) is not None and _is_writable(sock)]
    return (ready, free) if ready or free else None


def _ready_files(reading: Any, writing: Any, special: Any) -> tuple[list[Any], list[Any], list[Any]] | None:
    found = wait_files(reading, writing, special, 0)
    return found if any(found) else None


class Poll:
    """Supports registering and unregistering file descriptors, and then polling them for I/O events."""

    def __init__(self) -> None:
        self._files = _poll()
        self._sockets: dict[int, int] = {}
        self._others: set[int] = set()

    def register(self, fd: Any, eventmask: int = select.POLLIN | select.POLLPRI | select.POLLOUT, /) -> None:
        """Register a file descriptor with the polling object."""
        sock = _socket_of(fd)
        if sock is None:
            self._files.register(fd, eventmask)
            self._others.add(fd if isinstance(fd, int) else fd.fileno())
        else:
            self._sockets[sock.fileno()] = eventmask

    def modify(self, fd: Any, eventmask: int, /) -> None:
        """Modify an already registered file descriptor."""
        sock = _socket_of(fd)
        if sock is None:
            self._files.modify(fd, eventmask)
        elif sock.fileno() in self._sockets:
            self._sockets[sock.fileno()] = eventmask
        else:
            raise FileNotFoundError(2, "No such file or directory")

    def unregister(self, fd: Any, /) -> None:
        """Remove a file descriptor being tracked by the polling object."""
        number = fd if isinstance(fd, int) else fd.fileno()
        if number in self._sockets:
            del self._sockets[number]
        else:
            self._files.unregister(fd)
            self._others.discard(number)

    def poll(self, timeout: float | None = None, /) -> list[tuple[int, int]]:
        """Polls the set of registered file descriptors."""
        part = _SLICE if self._sockets else _LONG
        reads = [(number, True) for number, mask in self._sockets.items() if mask & select.POLLIN]
        writes = [(number, False) for number, mask in self._sockets.items() if mask & select.POLLOUT]
        watched = None if self._others else _watch([*reads, *writes])
        return _wait(None if timeout is None or timeout < 0 else timeout / 1000, self._look, part, watched) or []

    def _look(self) -> list[tuple[int, int]]:
        found = self._files.poll(0)
        for number, mask in self._sockets.items():
            sock = by_number.get(number)
            events = select.POLLNVAL if sock is None else _events(sock, mask)
            if events:
                found.append((number, events))
        return found


def _events(sock: Socket, mask: int) -> int:
    readable = select.POLLIN if mask & select.POLLIN and _is_readable(sock) else 0
    return readable | (mask & select.POLLOUT if _is_writable(sock) else 0)


wait_files = _select


def install() -> None:
    """Install both; the originals still serve files."""
    global wait_files
    wait_files = select.select
    select.select = select_files
    select.poll = selectors.PollSelector._selector_cls = Poll
    selectors.SelectSelector._select = staticmethod(select_files)
