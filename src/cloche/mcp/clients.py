"""Clients connected over HTTP, for protocol versions with connections: what each has open, and who is gone."""

import time
from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from typing import Any

import anyio

from cloche.mcp.session_key import SessionKey

Scope = MutableMapping[str, Any]
CLIENT_IN_SCOPE = "cloche.client"
"""Where the scope of a request has its client."""


class HttpClient:
    """One client, known by the name that its connection was given."""

    def __init__(self, owner: SessionKey, scope: Scope) -> None:
        self.owner = owner
        self.scope = scope
        """The scope of the request that opened the connection."""
        self._open = 0
        self._broken = False
        self._seen = time.monotonic()
        self._calls: set[anyio.CancelScope] = set()
        self._named: set[SessionKey] = set()

    @property
    def is_connected(self) -> bool:
        """Whether it has a request open, which may be a stream that waits for news."""
        return self._open > 0

    @property
    def unused(self) -> float:
        """Seconds since it last had one."""
        return 0.0 if self._open else time.monotonic() - self._seen

    def is_gone(self, after: float) -> bool:
        """Whether what it had open was broken off, and it has not come back for so many seconds."""
        return self._broken and self.unused > after

    def use(self, owner: SessionKey) -> None:
        """Note whose sandbox it was given."""
        if owner.kind == "named":
            self._named.add(owner)

    def uses(self, owner: SessionKey) -> bool:
        """Whether it was given a named sandbox, which is open."""
        return owner in self._named

    def drop(self, owner: SessionKey) -> None:
        """Note that a sandbox has ended."""
        self._named.discard(owner)

    def take_named(self) -> set[SessionKey]:
        """The named sandboxes that it was given, which it leaves."""
        named, self._named = self._named, set()
        return named

    def forget(self) -> None:
        """Stop what was called; one that comes back all the same begins anew."""
        self._broken = False
        for call in self._calls:
            call.cancel()

    @contextmanager
    def request(self) -> Generator["OpenAnswer"]:
        """One request, from its beginning to its end."""
        answering = OpenAnswer()
        self._open += 1
        try:
            yield answering
        finally:
            self._open -= 1
            self._seen = time.monotonic()
            self._broken = answering.is_broken

    @contextmanager
    def call(self) -> Generator[None]:
        """A call of a tool, which ends when the client is gone: the library lets it run on."""
        with anyio.CancelScope() as scope:
            self._calls.add(scope)
            try:
                yield
            finally:
                self._calls.discard(scope)


class OpenAnswer:
    """How far the answer to a request is."""

    is_whole = False
    is_broken = False

    def sent(self, message: MutableMapping[str, Any]) -> None:
        """Note what is sent."""
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.is_whole = True

    def received(self, message: MutableMapping[str, Any]) -> None:
        """Note what is received: the end of the connection, before or after the answer was."""
        if message["type"] == "http.disconnect" and not self.is_whole:
            self.is_broken = True


class HttpClients:
    """All clients that are known, in the order they came."""

    def __init__(self) -> None:
        self._known: dict[SessionKey, HttpClient] = {}

    def __len__(self) -> int:
        return len(self._known)

    def add(self, owner: SessionKey, scope: Scope) -> None:
        """Note a new one."""
        self._known[owner] = HttpClient(owner, scope)

    def find(self, owner: SessionKey) -> HttpClient | None:
        """The one of this name, if it is known."""
        return self._known.get(owner)

    def remove(self, client: HttpClient) -> None:
        """Forget one that has left."""
        self._known.pop(client.owner, None)

    def knows(self, client: HttpClient) -> bool:
        """Whether it has not left."""
        return self._known.get(client.owner) is client

    def drop(self, owner: SessionKey) -> None:
        """Note, for all, that a sandbox has ended."""
        for client in self._known.values():
            client.drop(owner)

    def is_connected(self, owner: SessionKey) -> bool:
        """Whether an owner is a client that is certainly there."""
        client = self._known.get(owner)
        return client is not None and client.is_connected

    def is_used(self, owner: SessionKey) -> bool:
        """Whether a client that is known was given a named sandbox."""
        return any(client.uses(owner) for client in self._known.values())

    def gone(self, after: float) -> list[HttpClient]:
        """Those that went without a word, and have not come back for so many seconds."""
        return [client for client in self._known.values() if client.is_gone(after)]

    def longest_unused(self) -> HttpClient | None:
        """The one that has had nothing open for the longest time, if there is any."""
        idle = [client for client in self._known.values() if not client.is_connected]
        return max(idle, key=lambda client: client.unused, default=None)


def client_of(scope: MutableMapping[str, Any]) -> HttpClient | None:
    """The client whose request this is, where the protocol has connections."""
    return scope.get(CLIENT_IN_SCOPE)
