"""A store in memory, for tests."""

from collections.abc import Sequence

from anyio.lowlevel import checkpoint
from msgspec import structs

from cloche.events.event import Event
from cloche.events.file_store import MemoryFileStore
from cloche.events.filter import parse_moment
from cloche.events.stores.sqlite_rows import row_of, title_of
from cloche.events.stores.store import SessionInfo, Span, Store
from cloche.limits import EVENT_PAGE


class MemoryStore(Store):
    """Events in memory."""

    def __init__(self) -> None:
        super().__init__(MemoryFileStore())
        self._events: dict[str, list[Event]] = {}
        self._titles: dict[str, str] = {}
        self._claims: dict[str, set[int]] = {}

    async def append(self, sid: str, events: Sequence[Event]) -> list[Event]:
        await checkpoint()
        for event in events:
            # Refuse here, too, what could not be written to a file.
            row_of(event)
        stored = self._events.setdefault(sid, [])
        added = [structs.replace(event, id=number) for number, event in enumerate(events, len(stored))]
        stored += added
        if not self._titles.get(sid):
            self._titles[sid] = title_of(added)
        self._hub.publish(sid, added)
        return added

    async def read(self, sid: str, span: Span) -> list[Event]:
        await checkpoint()
        end = None if span.end is None else span.end + 1
        found = self._events.get(sid, [])[max(span.start, 0) : end and max(end, 0)]
        if span.filter is not None:
            found = [event for event in found if span.filter.matches(event)]
        if span.reverse:
            found.reverse()
        return found[: EVENT_PAGE if span.limit is None else min(span.limit, EVENT_PAGE)]

    async def last_id(self, sid: str) -> int:
        await checkpoint()
        return len(self._events.get(sid, [])) - 1

    async def claim(self, sid: str, id: int) -> bool:
        await checkpoint()
        if sid not in self._events:
            return False
        claims = self._claims.setdefault(sid, set())
        free = id not in claims
        claims.add(id)
        return free

    async def sessions(self) -> list[SessionInfo]:
        await checkpoint()
        found = [
            SessionInfo(
                sid,
                self._titles[sid],
                len(each),
                parse_moment(each[0].timestamp) or 0,
                parse_moment(each[-1].timestamp) or 0,
            )
            for sid, each in self._events.items()
            if each
        ]
        return sorted(found, key=lambda session: session.last_time, reverse=True)

    async def rename(self, sid: str, title: str) -> None:
        await checkpoint()
        if sid in self._events:
            self._titles[sid] = title

    async def delete(self, sid: str) -> None:
        await checkpoint()
        self._events.pop(sid, None)
        self._titles.pop(sid, None)
        self._claims.pop(sid, None)
        self._hub.end(sid)
