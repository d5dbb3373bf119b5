"""The interface of an event store."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

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
    """Seconds since 1970, of the first event; without events, when the session was created."""
    last_time: float
    created: float = 0.0
    """When the session was created, or had its first event."""
    details: dict[str, Any] = {}
    """What its owner keeps beside the events."""


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
    async def create(self, sid: str, details: Mapping[str, Any]) -> bool:
        """Create a session that has no events yet; False if it exists. `append` creates what is missing by itself."""

    @abstractmethod
    async def copy(self, sid: str, to: str, *, end: int, details: Mapping[str, Any]) -> bool:
        """Create a session with the events of another one up to `end`, their ids, claims and title; False if it exists.

        Events whose content is in a file name that of the new session, which the caller copies.
        """

    @abstractmethod
    async def update_details(self, sid: str, changes: Mapping[str, Any]) -> None:
        """Set these keys of a session's details, or remove those that are None; nothing if there is no such session."""

    @abstractmethod
    async def session(self, sid: str) -> SessionInfo | None:
        """One session; None if there is none."""

    @abstractmethod
    async def sessions(
        self, details: Mapping[str, str | None] | None = None, *, search: str = "", limit: int = -1, offset: int = 0
    ) -> list[SessionInfo]:
        """The sessions, the most recently used first; by default all.

        With `details` those that have these, or lack those that are None; with `search` those with this text in their
        id or title, ignoring case.
        """

    @abstractmethod
    async def rename(self, sid: str, title: str) -> None:
        """Give a session a title; does nothing if there is no such session."""

    @abstractmethod
    async def delete(self, sid: str) -> None:
        """Delete a session; its followers end."""

    def listen(self, hear: Callable[[str, Sequence[Event]], None]) -> None:
        """Tell a function of the events that this process appends to any session; it must not block or raise."""
        self._hub.listeners.append(hear)

    def feed(self, sid: str) -> Feed:
        """The events of a session that are appended from now on."""
        return self._hub.open(sid)
