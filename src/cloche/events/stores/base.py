"""The interface of an event store."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from msgspec import Struct

from cloche.events.event import Event
from cloche.events.files import Files
from cloche.events.filter import EventFilter
from cloche.events.stores.feeds import Feed, Hub


class Span(Struct, frozen=True, kw_only=True):
    """Which events of a session are read, and in which order; `end` is included."""

    start: int = 0
    end: int | None = None
    reverse: bool = False
    filter: EventFilter | None = None
    limit: int | None = None


class SessionInfo(Struct, frozen=True):
    """A session that is stored."""

    sid: str
    title: str
    """What it was given, else the first line of the user's first message."""
    events: int
    first_time: float
    """Seconds since 1970, of the first event."""
    last_time: float


class Store(ABC):
    """Keeps the events of many sessions.

    A store numbers the events of each session from 0 without a gap, whoever writes. What `append` has returned
    survives the end of the process. `read` gives a page, not everything. A store belongs to one event loop.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        """Where what is too large for an event goes."""
        self._hub = Hub()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Make the store ready, also again after it was closed."""
        self._hub.begin()

    async def close(self) -> None:
        """End all followers and let go of what is held; what was appended stays."""
        self._hub.end()

    @abstractmethod
    async def append(self, sid: str, events: Sequence[Event]) -> list[Event]:
        """Store events, all or none, in this order; gives them back with their ids."""

    @abstractmethod
    async def read(self, sid: str, span: Span) -> list[Event]:
        """The first events of a span, as many as fit into a page; none only if there are none."""

    @abstractmethod
    async def last_id(self, sid: str) -> int:
        """The id of the newest event; -1 if there is none."""

    @abstractmethod
    async def claim(self, sid: str, id: int) -> bool:
        """Take an event to act on it, once for all times and processes; False if it was taken before."""

    @abstractmethod
    async def sessions(self) -> list[SessionInfo]:
        """All sessions, the one that was used last first."""

    @abstractmethod
    async def rename(self, sid: str, title: str) -> None:
        """Give a session a title; nothing happens if there is no such session."""

    @abstractmethod
    async def delete(self, sid: str) -> None:
        """Forget a session; its followers end."""

    def feed(self, sid: str) -> Feed:
        """The events of a session that are appended from now on."""
        return self._hub.open(sid)
