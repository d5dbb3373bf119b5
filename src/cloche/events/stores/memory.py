"""A store in memory, for tests."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from anyio.lowlevel import checkpoint
from msgspec import structs

from cloche.events.event import Event
from cloche.events.file_store import MemoryFileStore
from cloche.events.filter import parse_moment
from cloche.events.spill import move_spilled
from cloche.events.stores.sqlite_rows import decode_details, encode_details, merge_details, row_of, title_of
from cloche.events.stores.store import SessionInfo, Span, Store
from cloche.limits import EVENT_PAGE


class MemoryStore(Store):
    """Events in memory."""

    def __init__(self) -> None:
        super().__init__(MemoryFileStore())
        self._events: dict[str, list[Event]] = {}
        self._titles: dict[str, str] = {}
        self._created: dict[str, float] = {}
        self._details: dict[str, dict[str, Any]] = {}
        self._claims: dict[str, set[int]] = {}

    async def append(self, sid: str, events: Sequence[Event]) -> list[Event]:
        await checkpoint()
        for event in events:
            # Refuse here, too, what could not be written to a file.
            row_of(event)
        stored = self._events.setdefault(sid, [])
        self._created.setdefault(sid, time.time())
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

    async def create(self, sid: str, details: Mapping[str, Any]) -> bool:
        await checkpoint()
        if sid in self._events:
            return False
        self._events[sid] = []
        self._created[sid] = time.time()
        self._details[sid] = _copy(details)
        return True

    async def copy(self, sid: str, to: str, *, end: int, details: Mapping[str, Any]) -> bool:
        if not await self.create(to, details):
            return False
        self._events[to] = [move_spilled(event, to) for event in self._events.get(sid, [])[: end + 1]]
        self._claims[to] = {id for id in self._claims.get(sid, ()) if id <= end}
        self._titles[to] = self._titles.get(sid, "")
        return True

    async def update_details(self, sid: str, changes: Mapping[str, Any]) -> None:
        await checkpoint()
        if sid in self._events:
            self._details[sid] = merge_details(self._details.get(sid, {}), _copy(changes))

    async def session(self, sid: str) -> SessionInfo | None:
        await checkpoint()
        return self._info(sid) if sid in self._events else None

    async def sessions(
        self, details: Mapping[str, str | None] | None = None, *, search: str = "", limit: int = -1, offset: int = 0
    ) -> list[SessionInfo]:
        await checkpoint()
        wanted, folded = (details or {}).items(), search.casefold()
        found = [
            info
            for info in map(self._info, self._events)
            if all(info.details.get(name) == value for name, value in wanted)
            and (folded in info.sid.casefold() or folded in info.title.casefold())
        ]
        found.sort(key=lambda session: session.last_time, reverse=True)
        return found[offset : None if limit < 0 else offset + limit]

    def _info(self, sid: str) -> SessionInfo:
        events, created = self._events[sid], self._created[sid]
        first, last = (parse_moment(events[at].timestamp) or 0 if events else created for at in (0, -1))
        details = _copy(self._details.get(sid, {}))
        return SessionInfo(sid, self._titles.get(sid, ""), len(events), first, last, created, details)

    async def rename(self, sid: str, title: str) -> None:
        await checkpoint()
        if sid in self._events:
            self._titles[sid] = title

    async def delete(self, sid: str) -> None:
        await checkpoint()
        self._events.pop(sid, None)
        self._titles.pop(sid, None)
        self._created.pop(sid, None)
        self._details.pop(sid, None)
        self._claims.pop(sid, None)
        self._hub.end(sid)


def _copy(details: Mapping[str, Any]) -> dict[str, Any]:
    """A copy, as a file would give it back."""
    return decode_details(encode_details(details))
