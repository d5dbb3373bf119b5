"""Moves contents that are too long for an event to a file; the event shows head and tail."""

import hashlib
import re
from typing import Any

import msgspec
from anyio import to_thread
from msgspec import Struct, structs

from cloche.errors import StoreDamaged
from cloche.events.event import Event
from cloche.events.file_store import Files
from cloche.events.registry import is_observation
from cloche.limits import EVENT_CONTENT_KEPT, EVENT_CONTENT_LIMIT

KEY = "spilled"

SPILLED = f'"{KEY}"'
"""What the JSON of each event has whose content is in a file."""

_NAME = re.compile(r"[0-9a-f]{64}\.txt")


class Spilled(Struct, frozen=True):
    """Where the whole content is, under `cloche: {"spilled": ...}`."""

    path: str
    size: int
    """Bytes, as UTF-8."""
    sha256: str


def is_long(event: Event) -> bool:
    """Whether the content of an observation is too long for its event."""
    return is_observation(event.body) and len(event.body.content) > EVENT_CONTENT_LIMIT


async def spill_content(event: Event, files: Files, folder: str) -> Event:
    """Write the content to a file of its own in `folder`; the event keeps its head, tail and the file's name."""
    body = event.body
    assert is_observation(body)
    data = body.content.encode(errors="replace")
    digest = await to_thread.run_sync(_hash_content, data)
    spilled = Spilled(f"{folder}/{digest}.txt", len(data), digest)
    await files.write(spilled.path, data)
    short = structs.replace(body, content=_shorten_content(body.content, spilled))
    # The message of some observations is their content.
    message = short.message if event.message == body.message else event.message
    own = {**(event.cloche or {}), KEY: msgspec.to_builtins(spilled)}
    return structs.replace(event, body=short, message=message, cloche=own)


async def restore_spilled(event: Event, files: Files, folder: str) -> str:
    """The whole content of an event, from its file if it is there."""
    spilled = spilled_of(event)
    if spilled is None:
        return getattr(event.body, "content", "")
    # Anyone may have written the event: only files of its own session are read.
    if not _NAME.fullmatch(spilled.path.removeprefix(f"{folder}/")):
        raise StoreDamaged(f"Event {event.id} names {spilled.path!r}, which is not a file of its session.")
    data = await files.read(spilled.path)
    if await to_thread.run_sync(_hash_content, data) != spilled.sha256:
        raise StoreDamaged(f"{spilled.path} is not what event {event.id} has written: its hash differs.")
    return data.decode(errors="replace")


def spilled_of(event: Event) -> Spilled | None:
    """The file with the content of an event; None if the content is in the event."""
    found: Any = (event.cloche or {}).get(KEY)
    try:
        return None if found is None else msgspec.convert(found, Spilled)
    except msgspec.ValidationError as error:
        raise StoreDamaged(f"Event {event.id} does not tell where its content is: {error}.") from error


def contents_folder(sid: str) -> str:
    """Where the contents of a session's events are."""
    return f"sessions/{sid}/contents"


def move_spilled(event: Event, sid: str) -> Event:
    """The event as one of another session, whose files have its content."""
    spilled = spilled_of(event)
    if spilled is None:
        return event
    moved = structs.replace(spilled, path=f"{contents_folder(sid)}/{spilled.sha256}.txt")
    body = event.body
    if is_observation(body):
        body = structs.replace(body, content=body.content.replace(spilled.path, moved.path))
    message = event.message and event.message.replace(spilled.path, moved.path)
    own = {**(event.cloche or {}), KEY: msgspec.to_builtins(moved)}
    return structs.replace(event, body=body, message=message, cloche=own)


def _hash_content(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _shorten_content(content: str, spilled: Spilled) -> str:
    left_out = len(content) - 2 * EVENT_CONTENT_KEPT
    return (
        f"{content[:EVENT_CONTENT_KEPT]}\n"
        f"[... {left_out} characters left out; all {spilled.size} bytes are in {spilled.path} ...]\n"
        f"{content[-EVENT_CONTENT_KEPT:]}"
    )
