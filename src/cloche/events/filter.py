"""Which events a reader wants."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from cloche.events.codec import event_to_dict
from cloche.events.event import Body, Event, Status, Unknown
from cloche.events.registry import is_action

_UNSEARCHED = frozenset({"id", "timestamp", "source", "action", "observation", "status", "cause"})
"""Keys of the envelope that are not searched: they say what an event is, not what is in it."""


class EventFilter(Struct, frozen=True, kw_only=True):
    """Which events a reader wants; by default all."""

    include_types: Collection[str | type[Body]] | None = None
    """Kinds by name, for actions and observations alike (`"run"`), or classes (`CmdRunAction`)."""
    exclude_types: Collection[str | type[Body]] | None = None
    source: str | None = None
    query: str | None = None
    """Text to find in the event, ignoring case."""
    exclude_hidden: bool = False
    start_date: str | datetime | None = None
    """The earliest time; without an offset it is local time, as in the wire format."""
    end_date: str | datetime | None = None
    """The latest time."""

    def __post_init__(self) -> None:
        for date in (self.start_date, self.end_date):
            if date is not None and parse_moment(date) is None:
                raise ValueError(f"{date!r} is no time. Give one as `2024-01-31` or `2024-01-31T12:00:00+00:00`.")
        if isinstance(self.include_types, str) or isinstance(self.exclude_types, str):
            raise ValueError('the kinds of events are a list, such as `["run"]`.')

    def matches(self, event: Event) -> bool:
        """Whether the event is wanted."""
        return (
            (self.include_types is None or label_of(event.body) in list_labels(self.include_types))
            and (self.exclude_types is None or label_of(event.body) not in list_labels(self.exclude_types))
            and (self.source is None or event.source == self.source)
            and not (self.exclude_hidden and is_hidden(event.body))
            and self._in_time(event)
            and (not self.query or event_contains(event_to_dict(event), self.query.casefold()))
        )

    def _in_time(self, event: Event) -> bool:
        first, last = parse_moment(self.start_date), parse_moment(self.end_date)
        if first is None and last is None:
            return True
        time = parse_moment(event.timestamp)
        return time is not None and (first is None or first <= time) and (last is None or time <= last)


def label_of(body: Body) -> str:
    """The kind of a body with its family: `action/run`, `observation/run`, `status`."""
    if isinstance(body, Status):
        return body.kind
    if isinstance(body, Unknown):
        return f"action/{body.kind}" if body.raw.get("action") is not None else f"observation/{body.kind}"
    return f"action/{body.kind}" if is_action(body) else f"observation/{body.kind}"


def list_labels(types: Collection[str | type[Body]]) -> set[str]:
    """The labels of the given kinds and classes."""
    found: set[str] = set()
    for each in types:
        if isinstance(each, str):
            found |= {f"action/{each}", f"observation/{each}", each}
        else:
            family = "action" if _is_action_kind(each) else "observation"
            found.add(each.kind if each is Status else f"{family}/{each.kind}")
    return found


def is_hidden(body: Body) -> bool:
    """Whether an event is not shown to people."""
    return bool(getattr(body, "hidden", False))


def parse_moment(time: str | datetime | None) -> float | None:
    """Seconds since 1970; None if it is not a time."""
    try:
        moment = datetime.fromisoformat(time) if isinstance(time, str) else time
        return moment.timestamp() if moment else None
    except (ValueError, OverflowError, OSError):
        return None


def event_contains(wire: dict[str, Any], folded: str) -> bool:
    """Whether any string of an event in wire format contains `folded`, which is casefolded."""
    searched = (value for key, value in wire.items() if key not in _UNSEARCHED)
    return any(folded in text.casefold() for value in searched for text in _walk_texts(value))


def json_contains(data: bytes, folded: str) -> bool:
    """Like `event_contains`, for JSON; most events that do not match are rejected without decoding."""
    text = data.decode()
    escaped = msgspec.json.encode(folded)[1:-1].decode()
    return escaped.casefold() in text.casefold() and event_contains(msgspec.json.decode(text), folded)


def _is_action_kind(kind: type[Body]) -> bool:
    return hasattr(kind, "runnable")


def _walk_texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():  # pyright: ignore[reportUnknownVariableType]: JSON
                yield from _walk_texts(inner)
        case list():
            for inner in value:  # pyright: ignore[reportUnknownVariableType]: JSON
                yield from _walk_texts(inner)
        case _:
            return
