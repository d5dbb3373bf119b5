"""What an event says under `cloche.a2a`: to which task it belongs. All that is known of tasks is in their events."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cloche.events import Body, Event, new_event

KEY = "a2a"
BEGINS = "a2a/task"
"""The mark of the event with which a task begins; events are searched for it."""


class TaskNote(Struct, frozen=True, omit_defaults=True):
    """The part of an event in a task."""

    role: str = ""
    message: str = ""
    """The id of the client's message that it was."""
    text: str = ""
    """What the client said, if the event does not."""
    task: int | None = None
    """The first event of the task that it continues or cancels."""
    cancels: bool = False


def make_event(body: Body, note: TaskNote, **more: Any) -> Event:
    """An event of the user that belongs to a task."""
    own: dict[str, Any] = {KEY: msgspec.to_builtins(note), **more}
    return replace(new_event(body, "user"), cloche=own)


def read_note(event: Event) -> TaskNote | None:
    """The note of an event; None if it has none, or none of ours."""
    given: object = (event.cloche or {}).get(KEY)
    if not isinstance(given, Mapping):
        return None
    try:
        return msgspec.convert(given, TaskNote)
    except msgspec.ValidationError:
        return None
