"""Passes new events to followers in this process."""

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import NamedTuple, Self

import anyio

from cloche.events.event import Event
from cloche.limits import FEED_LIMIT

log = logging.getLogger(__name__)


class Feed:
    """The newest events of a session for one follower; bounded, because the store has all of them."""

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
        """Add events; if too many wait, all are dropped, and the follower reads the store."""
        if len(self._events) + len(events) > FEED_LIMIT:
            self.miss()
        else:
            self._events.extend(events)
            self._changed.set()

    def miss(self) -> None:
        """Tell the follower to read the store for what comes next."""
        self._events.clear()
        self._missed = True
        self._changed.set()

    def end(self) -> None:
        """Tell the follower that there are no more events."""
        self._ended = True
        self._changed.set()

    async def take(self) -> list[Event] | None:
        """Wait for events; an empty list means that they must be read from the store, None that there are no more."""
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
    """The state of a session: its key, because a session may be deleted and begun again, and its newest event."""

    session: int | None
    last: int | None


class FeedHub:
    """All feeds of a store, by session."""

    def __init__(self) -> None:
        self._feeds: dict[str, set[Feed]] = {}
        self._marks: dict[str, FeedMark] = {}
        self._ended = False
        self.listeners: list[Callable[[str, Sequence[Event]], None]] = []
        """Told of the events of all sessions."""

    @property
    def followed(self) -> Collection[str]:
        """The sessions that have followers."""
        return self._feeds.keys()

    def begin(self) -> None:
        """Accept followers, also again after `end`."""
        self._ended = False

    def open(self, sid: str) -> Feed:
        """Open a feed of a session, until its end."""
        feed = Feed(lambda feed: self._leave(sid, feed))
        if self._ended:
            feed.end()
        else:
            self._feeds.setdefault(sid, set()).add(feed)
        return feed

    def publish(self, sid: str, events: Sequence[Event]) -> None:
        """Pass new events of a session to its followers."""
        for hear in self.listeners:
            try:
                hear(sid, events)
            except Exception:  # one listener that fails must not cost the followers their events
                log.exception("a listener failed at events of the session %s", sid)
        for feed in self._feeds.get(sid, ()):
            feed.put(events)
        if events and sid in self._marks:
            self._marks[sid] = FeedMark(self._marks[sid].session, events[-1].id)

    def notice(self, marks: Mapping[str, FeedMark]) -> None:
        """Compare with the sessions in the store: if another process wrote to one, its followers read the store."""
        for sid in self._feeds.keys() & marks.keys():
            old, new = self._marks.get(sid), marks[sid]
            if old and old.session not in (None, new.session):
                self.end(sid)
            elif old != new:
                self._marks[sid] = new
                for feed in self._feeds[sid]:
                    feed.miss()

    def end(self, sid: str | None = None) -> None:
        """End the feeds of a session, or all feeds, including later ones."""
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
