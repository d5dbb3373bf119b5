"""The interface of an event store."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from msgspec import Struct

from cloche.events.event import Event
from cloche.events.file_store import Files
from cloche.events.filter import EventFilter
from cloche.events.stores.feeds import Feed, FeedHub


class Span(Struct, frozen=True, kw_only=True):
    """Which events of a session are read, and in which order; `end` is included."""

    start: int = 0
    end: int | None = None
    reverse: bool = False
    filter: EventFilter | None = None
    limit: int | None = None


class SessionInfo(Struct, frozen=True):
    """A stored session."""

    sid: str
    title: str
    """Its title, else the first line of the user's first message."""
    events: int
    first_time: float
    """Seconds since 1970, of the first event."""
    last_time: float


class Store(ABC):
    """Stores the events of many sessions.

    A store numbers the events of each session from 0 without gaps, no matter who writes. Events that `append` has
    returned survive the end of the process. `read` returns a page, not everything. A store belongs to one event loop.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        """Where contents go that are too large for an event."""
        self._hub = FeedHub()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Open the store; it may be opened again after it was closed."""
        self._hub.begin()

    async def close(self) -> None:
        """End all followers and release resources; appended events stay."""
        self._hub.end()

    @abstractmethod
    async def append(self, sid: str, events: Sequence[Event]) -> list[Event]:
        """Store events, all or none, in this order; returns them with their ids."""

    @abstractmethod
    async def read(self, sid: str, span: Span) -> list[Event]:
        """The first events of a range, as many as fit into a page; empty only if there are none."""

    @abstractmethod
    async def last_id(self, sid: str) -> int:
        """The id of the newest event; -1 if there is none."""

    @abstractmethod
    async def claim(self, sid: str, id: int) -> bool:
        """Claim an event to act on it, once across all processes; False if it was claimed before."""

    @abstractmethod
    async def sessions(self) -> list[SessionInfo]:
        """All sessions, the most recently used first."""

    @abstractmethod
    async def rename(self, sid: str, title: str) -> None:
        """Give a session a title; does nothing if there is no such session."""

    @abstractmethod
    async def delete(self, sid: str) -> None:
        """Delete a session; its followers end."""

    def feed(self, sid: str) -> Feed:
        """The events of a session that are appended from now on."""
        return self._hub.open(sid)
