"""The clients of a session: what happens beside its events goes to all of them."""

import logging
from collections.abc import Callable
from typing import Any, Protocol

log = logging.getLogger(__name__)


class Client(Protocol):
    """A connection that watches a session. No method may block, and what it raises is only logged."""

    def hear_output(self, action: int, stream: str, text: str) -> None:
        """A piece of what an action prints while it runs, without secrets; `stream` is `stdout` or `stderr`."""
        ...

    def hear_status(self, level: str, status: str, text: str) -> None:
        """A status of the session, which is an event too."""
        ...

    def hear_message(self, message: dict[str, Any]) -> None:
        """A message for the clients of the session; it is not stored."""
        ...


class OutputListener(Client):
    """A client that hears only what actions print."""

    def hear_status(self, level: str, status: str, text: str) -> None:
        """It is an event too."""

    def hear_message(self, message: dict[str, Any]) -> None:
        """It is for people who watch."""


class Audience:
    """The clients that are attached to one session."""

    def __init__(self) -> None:
        self._clients: list[Client] = []
        self.status = ""
        """The text of the last status."""

    def __len__(self) -> int:
        return len(self._clients)

    def attach(self, client: Client) -> None:
        """Tell it everything from now on; once, however often it is attached."""
        if not self._holds(client):
            self._clients.append(client)

    def detach(self, client: Client) -> bool:
        """Tell it nothing more; returns whether it was attached."""
        there = self._holds(client)
        self._clients = [each for each in self._clients if each is not client]
        return there

    def tell_output(self, action: int, stream: str, text: str) -> None:
        """Pass on a piece of output."""
        self._tell(lambda client: client.hear_output(action, stream, text))

    def tell_status(self, level: str, status: str, text: str) -> None:
        """Pass on a status."""
        self.status = text or self.status
        self._tell(lambda client: client.hear_status(level, status, text))

    def tell_message(self, message: dict[str, Any]) -> None:
        """Pass on a message."""
        self._tell(lambda client: client.hear_message(message))

    def _holds(self, client: Client) -> bool:
        return any(each is client for each in self._clients)

    def _tell(self, hear: Callable[[Client], None]) -> None:
        for client in self._clients.copy():
            try:
                hear(client)
            except Exception:  # one connection that fails must not cost the others their news
                log.exception("a client could not be told")
