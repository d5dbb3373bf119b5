"""What the two APIs have in common for a server."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import msgspec

from cloche.llm.scripted_server.turns import ServerTurn


class Wire(ABC):
    """Writes the answers of one API."""

    ping: bytes
    """A sign of life in a stream."""

    @abstractmethod
    def write_stream(self, turn: ServerTurn, model: str) -> Iterator[bytes]:
        """The events of an answer."""

    @abstractmethod
    def write_text(self, text: str) -> bytes:
        """An event with more text."""

    @abstractmethod
    def write_document(self, turn: ServerTurn, model: str) -> dict[str, Any]:
        """A whole answer."""

    @abstractmethod
    def write_error(self, turn: ServerTurn) -> dict[str, Any]:
        """An error as a document."""

    @abstractmethod
    def write_error_event(self, turn: ServerTurn) -> bytes:
        """An error as an event of a stream."""

    @abstractmethod
    def has_key(self, headers: dict[str, str], key: str) -> bool:
        """Whether a request has the key."""


def write_event(data: object, name: str = "") -> bytes:
    """An event of a stream."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"
