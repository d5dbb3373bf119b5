"""Passes new events to followers in this process."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import NamedTuple, Self

import anyio

from cloche.events.event import Event
from cloche.limits import FEED_LIMIT


class Feed:
    """The newest events of a session for one follower; bounded, since all of them are in the store."""

    def __init__(self, leave: "Callable[[Feed], None]") -> None:
        self._leave = leave
        self._events: deque[Event] = deque()
        self._missed = False
        self._ended = False
        self._changed = anyio.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._leave(self)

    def put(self, events: Sequence[Event]) -> None:
        """Add events; none of those that wait is kept if they become too many."""
        if len(self._events) + len(events) > FEED_LIMIT:
            self.miss()
        else:
            self._events.extend(events)
            self._changed.set()

    def miss(self) -> None:
        """Tell the follower that what comes next is in the store only."""
        self._events.clear()
        self._missed = True
        self._changed.set()

    def end(self) -> None:
        """Tell the follower that nothing more comes."""
        self._ended = True
        self._changed.set()

    async def take(self) -> list[Event] | None:
        """Wait for events; an empty list means that they are in the store only, None that no more come."""
        while not (self._events or self._missed or self._ended):
            self._changed = anyio.Event()
            await self._changed.wait()
        if self._missed:
            self._missed = False
            return []
        taken = list(self._events)
        self._events.clear()
        return taken or None


class FeedMark(NamedTuple):
    """How a session stands: which one it is, since one may be deleted and begun again, and its newest event."""

    session: int | None
    last: int | None


class FeedHub:
    """All feeds of a store, by session."""

    def __init__(self) -> None:
        self._feeds: dict[str, set[Feed]] = {}
        self._marks: dict[str, FeedMark] = {}
        self._ended = False

    @property
    def followed(self) -> Collection[str]:
        """The sessions that somebody follows."""
        return self._feeds.keys()

    def begin(self) -> None:
        """Take followers, also again after the end."""
        self._ended = False

    def open(self, sid: str) -> Feed:
        """A feed of a session, until its end."""
        feed = Feed(lambda feed: self._leave(sid, feed))
        if self._ended:
            feed.end()
        else:
            self._feeds.setdefault(sid, set()).add(feed)
        return feed

    def publish(self, sid: str, events: Sequence[Event]) -> None:
        """Give new events of a session to its followers."""
        for feed in self._feeds.get(sid, ()):
            feed.put(events)
        if events and sid in self._marks:
            self._marks[sid] = FeedMark(self._marks[sid].session, events[-1].id)

    def notice(self, marks: Mapping[str, FeedMark]) -> None:
        """Learn how sessions stand in the store: who follows one that another process wrote to has to look there."""
        for sid in self._feeds.keys() & marks.keys():
            old, new = self._marks.get(sid), marks[sid]
            if old and old.session not in (None, new.session):
                self.end(sid)
            elif old != new:
                self._marks[sid] = new
                for feed in self._feeds[sid]:
                    feed.miss()

    def end(self, sid: str | None = None) -> None:
        """End the feeds of a session, or all and those to come."""
        self._ended = self._ended or sid is None
        for each in list(self._feeds) if sid is None else [sid]:
            self._marks.pop(each, None)
            for feed in self._feeds.pop(each, ()):
                feed.end()

    def _leave(self, sid: str, feed: Feed) -> None:
        feeds = self._feeds.get(sid, set())
        feeds.discard(feed)
        if not feeds:
            self._feeds.pop(sid, None)
            self._marks.pop(sid, None)
