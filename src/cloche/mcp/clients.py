"""Tracks clients over HTTP, for protocol versions with connections: their open requests, and which are gone."""

import time
from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from typing import Any

import anyio

from cloche.mcp.session_key import SessionKey

Scope = MutableMapping[str, Any]
CLIENT_IN_SCOPE = "cloche.client"
"""The key of the client in the scope of a request."""


class HttpClient:
    """One client, identified by the name of its connection."""

    def __init__(self, owner: SessionKey, scope: Scope) -> None:
        self.owner = owner
        self.scope = scope
        """The scope of the request that opened the connection."""
        self._open = 0
        self._answering = 0
        self._answered = anyio.Event()
        self._broken = False
        self._seen = time.monotonic()
        self._calls: set[anyio.CancelScope] = set()
        self._named: set[SessionKey] = set()

    @property
    def is_connected(self) -> bool:
        """Whether it has an open request, which may be a stream that waits for messages."""
        return self._open > 0

    @property
    def unused(self) -> float:
        """Seconds since its last request."""
        return 0.0 if self._open else time.monotonic() - self._seen

    def is_gone(self, after: float) -> bool:
        """Whether its last request was cut off and it has not come back for this many seconds."""
        return self._broken and self.unused > after

    def use(self, owner: SessionKey) -> None:
        """Note that it uses a sandbox."""
        if owner.kind == "named":
            self._named.add(owner)

    def uses(self, owner: SessionKey) -> bool:
        """Whether it uses this named sandbox."""
        return owner in self._named

    def drop(self, owner: SessionKey) -> None:
        """Note that a sandbox was closed."""
        self._named.discard(owner)

    def take_named(self) -> set[SessionKey]:
        """Take the named sandboxes away from it, and return them."""
        named, self._named = self._named, set()
        return named

    def forget(self) -> None:
        """Cancel its calls; if it comes back, it starts afresh."""
        self._broken = False
        for call in self._calls:
            call.cancel()

    async def answered(self) -> None:
        """Wait until all its requests are answered, but for a stream that waits for messages."""
        while self._answering:
            await self._answered.wait()

    @contextmanager
    def request(self, *, waits: bool = False) -> Generator["OpenAnswer"]:
        """One request; open while the block runs. It `waits` if it is a stream for messages."""
        answering = OpenAnswer()
        self._open += 1
        self._answering += not waits
        try:
            yield answering
        finally:
            self._open -= 1
            self._answering -= not waits
            self._answered.set()
            self._answered = anyio.Event()
            self._seen = time.monotonic()
            self._broken = answering.is_broken

    @contextmanager
    def call(self) -> Generator[None]:
        """A call of a tool, cancelled if the client is gone: the MCP library would let it continue."""
        with anyio.CancelScope() as scope:
            self._calls.add(scope)
            try:
                yield
            finally:
                self._calls.discard(scope)


class OpenAnswer:
    """The progress of the response to a request."""

    is_whole = False
    is_broken = False

    def sent(self, message: MutableMapping[str, Any]) -> None:
        """Note a message that is sent."""
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.is_whole = True

    def received(self, message: MutableMapping[str, Any]) -> None:
        """Note a message that is received: the connection may have ended before the response did."""
        if message["type"] == "http.disconnect" and not self.is_whole:
            self.is_broken = True


class HttpClients:
    """All connected clients, in the order in which they connected."""

    def __init__(self) -> None:
        self._known: dict[SessionKey, HttpClient] = {}

    def __len__(self) -> int:
        return len(self._known)

    def list_clients(self) -> list[HttpClient]:
        """All of them."""
        return list(self._known.values())

    def add(self, owner: SessionKey, scope: Scope) -> None:
        """Add a new client."""
        self._known[owner] = HttpClient(owner, scope)

    def find(self, owner: SessionKey) -> HttpClient | None:
        """The client with this name, if there is one."""
        return self._known.get(owner)

    def remove(self, client: HttpClient) -> None:
        """Forget a client that has left."""
        self._known.pop(client.owner, None)

    def knows(self, client: HttpClient) -> bool:
        """Whether it has not left."""
        return self._known.get(client.owner) is client

    def drop(self, owner: SessionKey) -> None:
        """Note for all clients that a sandbox was closed."""
        for client in self._known.values():
            client.drop(owner)

    def is_connected(self, owner: SessionKey) -> bool:
        """Whether an owner is a client with an open request."""
        client = self._known.get(owner)
        return client is not None and client.is_connected

    def is_used(self, owner: SessionKey) -> bool:
        """Whether any client uses this named sandbox."""
        return any(client.uses(owner) for client in self._known.values())

    def gone(self, after: float) -> list[HttpClient]:
        """Clients that were cut off and have not come back for this many seconds."""
        return [client for client in self._known.values() if client.is_gone(after)]

    def longest_unused(self) -> HttpClient | None:
        """The client that has had no open request for the longest time."""
        idle = [client for client in self._known.values() if not client.is_connected]
        return max(idle, key=lambda client: client.unused, default=None)


def client_of(scope: MutableMapping[str, Any]) -> HttpClient | None:
    """The client that sent a request, if the protocol has connections."""
    return scope.get(CLIENT_IN_SCOPE)
