"""An event as a table row: its JSON, and the columns that readers filter by."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from cloche.errors import EventError
from cloche.events.codec import decode_event, encode_event, unknown_event
from cloche.events.event import Event, EventSource, Unknown
from cloche.events.filter import is_hidden, label_of, parse_moment
from cloche.events.kinds.conversation import MessageAction
from cloche.limits import EVENT_DEPTH, EVENT_LIMIT, MB

TITLE = 80
"""The most characters of a title that is taken from a message."""


class EventRow(NamedTuple):
    """An event without its id, which the table assigns."""

    label: str
    source: str | None
    time: float
    hidden: bool
    data: bytes


def row_of(event: Event) -> EventRow:
    """The row of an event that has no id yet."""
    if isinstance(event.body, Unknown) and "id" in event.body.raw:
        raw = {key: value for key, value in event.body.raw.items() if key != "id"}
        event = structs.replace(event, body=Unknown(event.body.kind, raw))
    try:
        data = encode_event(event)
        if _is_deep(data):
            raise too_deep(event)
    except RecursionError as error:
        raise too_deep(event) from error
    except (TypeError, ValueError, msgspec.EncodeError) as error:
        raise EventError(f"An event of the kind `{event.kind}` could not be written as JSON: {error}.") from error
    if len(data) > EVENT_LIMIT:
        raise EventError(
            f"An event of the kind `{event.kind}` has {len(data) / MB:.1f} MB; at most {EVENT_LIMIT // MB} MB are "
            "stored. Write what is large to a file and name it."
        )
    when = parse_moment(event.timestamp)
    return EventRow(
        label_of(event.body), event.source, time.time() if when is None else when, is_hidden(event.body), data
    )


def event_of(data: bytes) -> Event:
    """The event of a row; one that this version cannot read becomes Unknown, so that it stops no reader."""
    try:
        return decode_event(data)
    except EventError as error:
        try:
            return unknown_event(msgspec.json.decode(data, type=dict[str, Any]))
        except msgspec.DecodeError:
            raise error from None


def number_event(data: bytes, number: int) -> bytes:
    """The JSON of an event with its id in front."""
    return b'{"id":%d,%b' % (number, data[1:])


def title_of(events: Sequence[Event]) -> str:
    """The title of a session from its events: the first line of the user's first message."""
    for event in events:
        if event.source == EventSource.USER and isinstance(event.body, MessageAction):
            line = event.body.content.strip().partition("\n")[0].strip()
            return line if len(line) <= TITLE else f"{line[: TITLE - 1].rstrip()}…"
    return ""


def encode_details(details: Mapping[str, Any]) -> str:
    """The details of a session as JSON."""
    try:
        return msgspec.json.encode(details).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise EventError(f"The details of a session could not be written as JSON: {error}.") from error


def decode_details(data: str) -> dict[str, Any]:
    """The details that were written; none if they are not what we write."""
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def merge_details(details: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The details with these keys set, or removed where they are None."""
    return {name: value for name, value in {**details, **changes}.items() if value is not None}


def too_deep(event: Event) -> EventError:
    """The error for an event whose values are nested too deeply."""
    return EventError(
        f"An event of the kind `{event.kind}` was not added: it has more than {EVENT_DEPTH} lists and objects in each "
        "other. Send it flatter, or as a text."
    )


def _is_deep(data: bytes) -> bool:
    # Each level has a bracket, so counting them is enough for most events.
    if data.count(b"[") + data.count(b"{") <= EVENT_DEPTH:
        return False
    level: list[Any] = [msgspec.json.decode(data)]
    for _ in range(EVENT_DEPTH):
        level = [inner for each in level for inner in _inner_values(each)]
    return any(isinstance(each, list | dict) for each in level)


def _inner_values(value: Any) -> Iterable[Any]:
    match value:
        case dict():
            return value.values()  # pyright: ignore[reportUnknownVariableType]: JSON
        case list():
            return value  # pyright: ignore[reportUnknownVariableType]: JSON
        case _:
            return ()
