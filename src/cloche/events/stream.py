"""The stream of a session: its events in order, for all readers."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from msgspec import structs

from cloche.errors import EventError, StoreClosed, StoreDamaged
from cloche.events.event import Body, Event, EventSource, new_event
from cloche.events.file_store import Files
from cloche.events.filter import EventFilter
from cloche.events.masking import Masker, SecretValues
from cloche.events.spill import contents_folder, is_long, restore_spilled, spill_content, spilled_of
from cloche.events.stores.sqlite_rows import too_deep
from cloche.events.stores.store import Span, Store
from cloche.events.subscribers import Subscriber, Subscribers
from cloche.logs import add_masks

_SID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class EventStream:
    """The events of one session in a store, which many streams and processes may use at once.

    `async with` is needed for `subscribe`; everything else works without.
    """

    def __init__(
        self, sid: str, store: Store, *, files: Files | None = None, secrets: Mapping[str, str] | None = None
    ) -> None:
        if not _SID.fullmatch(sid):
            raise ValueError(
                f"{sid!r} is no session id: letters, digits, `.`, `_` and `-`, at most 128, no dot in front."
            )
        if not isinstance(store, Store):  # pyright: ignore[reportUnnecessaryIsInstance] - who comes from OpenHands
            raise TypeError(
                f"a {type(store).__name__} keeps no events: give a store, and the files apart if need be, as in "
                "EventStream(sid, SQLiteStore(), files=FileStore())"
            )
        self.sid = sid
        self.store = store
        self.files = store.files if files is None else files
        self._secrets = SecretValues(secrets)
        add_masks(self._secrets)
        self._subscribers = Subscribers()

    async def __aenter__(self) -> Self:
        await self._subscribers.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._subscribers.__aexit__(kind, error, at)

    def open_beside(self, sid: str) -> "EventStream":
        """Another stream in the same store, which masks the same secrets."""
        other = EventStream(sid, self.store, files=self.files)
        other._secrets = self._secrets
        return other

    async def add_event(self, event: Body | Event, source: str | None = None) -> Event:
        """Store an event, with secrets masked, and return it with its id; from then on it survives a crash.

        If the caller is cancelled meanwhile, the event may be stored or not.
        """
        return (await self.add_events([event], source))[0]

    async def add_events(self, events: Sequence[Body | Event], source: str | None = None) -> list[Event]:
        """Store events one after the other, all or none of them."""
        return await self.store.append(self.sid, [await self._prepare(each, source) for each in events])

    async def subscribe(self, name: str, to: Subscriber, *, after_id: int | None = None) -> None:
        """Pass each new event, or each after `after_id`, to a function or into a memory object stream.

        A function may be slow: it gets all events, one after the other, and its exceptions are logged. A memory stream
        that is full gets `Lagged(after_id)` as its last item and is closed; `follow(after_id)` has the rest.
        """
        last = await self.get_latest_event_id() if after_id is None else max(after_id, -1)
        self._subscribers.add(name, to, self.follow(last), last)

    def unsubscribe(self, name: str) -> None:
        """Remove a subscriber."""
        self._subscribers.remove(name)

    async def get_events(
        self,
        start: int = 0,
        end: int | None = None,
        reverse: bool = False,
        filter: EventFilter | None = None,
        limit: int | None = None,
    ) -> AsyncGenerator[Event]:
        """The stored events from `start` to `end`, both included; read in pages."""
        left = limit
        while left is None or left > 0:
            span = Span(start=start, end=end, reverse=reverse, filter=filter, limit=left)
            page = await self.store.read(self.sid, span)
            for event in page:
                yield event
            if not page:
                return
            left = None if left is None else left - len(page)
            last = _event_id(page[-1])
            start, end = (start, last - 1) if reverse else (last + 1, end)

    async def follow(self, after_id: int = -1, *, filter: EventFilter | None = None) -> AsyncGenerator[Event]:
        """The events after `after_id`: those that are stored, then each new one, from any process.

        No event is left out, none comes twice. It ends when the session is deleted or the store is closed.
        """
        last = after_id
        with self.store.feed(self.sid) as feed, suppress(StoreClosed):
            fresh: list[Event] | None = []
            while fresh is not None:
                if not _is_continuous(fresh, last):
                    async for event in self.get_events(last + 1):
                        last = _event_id(event)
                        if filter is None or filter.matches(event):
                            yield event
                for event in fresh:
                    if (number := _event_id(event)) > last:
                        last = number
                        if filter is None or filter.matches(event):
                            yield event
                fresh = await feed.take()

    async def get_event(self, id: int) -> Event:
        """One event; raises KeyError if there is none with this id."""
        async for event in self.get_events(id, id):
            return event
        raise KeyError(f"session {self.sid} has no event {id}")

    async def get_latest_event_id(self) -> int:
        """The id of the newest event; -1 if there is none."""
        return await self.store.last_id(self.sid)

    async def claim(self, id: int) -> bool:
        """Claim an event to act on it, once across all processes; False if it was claimed before."""
        return await self.store.claim(self.sid, id)

    async def read_spilled(self, event: Event) -> str:
        """The whole content of an event, even if it was moved to a file."""
        return await restore_spilled(event, self.files, self._folder)

    async def copy(self, sid: str, end: int, details: Mapping[str, Any]) -> None:
        """Make a new session with the events up to `end`, under their ids; what was claimed is claimed there too."""
        if await self.files.list(self._folder):
            async for event in self.get_events(0, end):
                await self._copy_content(event, contents_folder(sid))
        if not await self.store.copy(self.sid, sid, end=end, details=details):
            raise EventError(f"{self.sid} was not copied: there is a session {sid} already")

    async def delete(self) -> None:
        """Delete the session and its files."""
        # Files first: if the disk is full, the store needs their space.
        await self.files.delete(f"sessions/{self.sid}")
        await self.store.delete(self.sid)

    def set_secrets(self, secrets: Mapping[str, str]) -> None:
        """Mask exactly these values in every event from now on; they need at least 4 characters."""
        self._secrets.set(secrets)

    def update_secrets(self, secrets: Mapping[str, str]) -> None:
        """Mask these values too."""
        self._secrets.update(secrets)

    def mask(self, event: Event) -> Event:
        """The event as it would be stored, with the current secrets masked."""
        return self._secrets.mask_event(event)

    def masker(self) -> Masker:
        """Masks the current secrets in live output, which arrives in chunks."""
        return self._secrets.masker()

    async def _copy_content(self, event: Event, folder: str) -> None:
        with suppress(FileNotFoundError, StoreDamaged):
            if (spilled := spilled_of(event)) is not None:
                text = await self.read_spilled(event)
                await self.files.write(f"{folder}/{spilled.sha256}.txt", text)

    @property
    def _folder(self) -> str:
        return contents_folder(self.sid)

    async def _prepare(self, given: Body | Event, source: str | None) -> Event:
        if not isinstance(given, Event):
            event = new_event(given, source or EventSource.ENVIRONMENT)
        elif given.id is not None:
            raise EventError(
                f"An event of the kind `{given.kind}` was not added to {self.sid}: it already has the id {given.id}, "
                "and an event is in one stream, once. Make a new one of its body."
            )
        else:
            event = _complete_event(given, source)
        try:
            event = self._secrets.mask_event(event)
        except RecursionError as error:
            raise too_deep(event) from error
        return await spill_content(event, self.files, self._folder) if is_long(event) else event


def _complete_event(event: Event, source: str | None) -> Event:
    """The event with a time and a source."""
    if event.timestamp and event.source and source is None:
        return event
    now = new_event(event.body)
    return structs.replace(
        event, timestamp=event.timestamp or now.timestamp, source=source or event.source or now.source
    )


def _is_continuous(events: Sequence[Event], last: int) -> bool:
    """Whether the events have no gap, and start at the one after `last` or before; others may have written too."""
    if not events:
        return False
    first, final = _event_id(events[0]), _event_id(events[-1])
    return first <= last + 1 and final - first + 1 == len(events)


def _event_id(event: Event) -> int:
    assert event.id is not None, "what is stored has an id"
    return event.id
