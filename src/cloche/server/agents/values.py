"""Values of the protocol, made of ours."""

from typing import Any

import msgspec
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.struct_pb2 import Value
from google.protobuf.timestamp_pb2 import Timestamp

from cloche.events import Event
from cloche.events.filter import parse_moment

DEPTH = 200
"""How deep data may be nested."""


def make_task_id(sid: str, event: int) -> str:
    """The id of the task that begins with an event."""
    return f"{sid}-{event}"


def split_task_id(task_id: str) -> tuple[str, int] | None:
    """The session of a task, and its first event; None if it is no id of a task."""
    sid, _, number = task_id.rpartition("-")
    return (sid, int(number)) if sid and number.isascii() and number.isdecimal() and len(number) < 16 else None


def make_value(data: dict[str, Any]) -> Value:
    """Data as the protocol has it."""
    # To plain JSON first: the library knows nothing else.
    plain = msgspec.json.decode(msgspec.json.encode(data))
    try:
        return ParseDict(plain, Value(), max_recursion_depth=DEPTH)
    except ParseError:
        return Value(string_value="This is nested too deeply to be shown here: look into the events of the session.")


def make_timestamp(event: Event) -> Timestamp:
    """The time of an event."""
    stamp = Timestamp()
    stamp.FromMicroseconds(int((parse_moment(event.timestamp) or 0.0) * 1_000_000))
    return stamp
