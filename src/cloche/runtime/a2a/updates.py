"""What a remote agent tells about a task, as plain values."""

import re
from collections.abc import Iterator
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from cloche.errors import RemoteAgentError

FINAL = frozenset({"completed", "failed", "canceled", "rejected"})
"""States after which nothing more happens to a task."""
WAITING = frozenset({"input-required", "auth-required"})
"""States in which a task waits for someone."""
NAME = 200
"""Characters of a name that are kept."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)

EXACT = 1 << 53
"""Up to here a float is exactly the integer."""

Part = dict[str, Any]
"""A `text`, `data`, or a `url`; a file comes as a data URL, with its `filename` and `media_type` if they are known."""


class StatusUpdate(Struct, frozen=True, kw_only=True):
    """The state of a task, and what the agent says with it."""

    state: str
    """`submitted`, `working`, or one of FINAL and WAITING."""
    task_id: str | None = None
    """None if the agent answered at once, without a task."""
    context_id: str | None = None
    parts: tuple[Part, ...] = ()


class ArtifactUpdate(Struct, frozen=True, kw_only=True):
    """A result of a task, or a piece of one."""

    task_id: str
    artifact_id: str
    context_id: str | None = None
    name: str = ""
    description: str = ""
    parts: tuple[Part, ...] = ()
    append: bool = False
    """Whether the parts follow those before; otherwise they replace them."""
    last_chunk: bool = True


TaskUpdate = StatusUpdate | ArtifactUpdate


class _Wire(Struct, frozen=True, rename="camel"):
    """A message of the protocol, as JSON."""


class _WirePart(_Wire, frozen=True):
    text: str | None = None
    raw: str | None = None
    url: str | None = None
    data: Any = UNSET
    filename: str = ""
    media_type: str = ""


class _WireMessage(_Wire, frozen=True):
    parts: tuple[_WirePart, ...] = ()
    task_id: str | None = None
    context_id: str | None = None


class _WireStatus(_Wire, frozen=True):
    state: str = ""
    message: _WireMessage = _WireMessage()


class _WireArtifact(_Wire, frozen=True):
    artifact_id: str = ""
    name: str = ""
    description: str = ""
    parts: tuple[_WirePart, ...] = ()


class _WireTask(_Wire, frozen=True):
    id: str = ""
    context_id: str | None = None
    status: _WireStatus = _WireStatus()
    artifacts: tuple[_WireArtifact, ...] = ()


class _WireStatusUpdate(_Wire, frozen=True):
    task_id: str = ""
    context_id: str | None = None
    status: _WireStatus = _WireStatus()


class _WireArtifactUpdate(_Wire, frozen=True):
    task_id: str = ""
    context_id: str | None = None
    artifact: _WireArtifact = _WireArtifact()
    append: bool = False
    last_chunk: bool = False


class _WireResponse(_Wire, frozen=True):
    """One of them is set."""

    task: _WireTask | UnsetType = UNSET
    message: _WireMessage | UnsetType = UNSET
    status_update: _WireStatusUpdate | UnsetType = UNSET
    artifact_update: _WireArtifactUpdate | UnsetType = UNSET


def read_response(response: dict[str, Any]) -> list[TaskUpdate]:
    """The updates in a response of the protocol, as JSON has it; a whole task is its artifacts and then its status."""
    try:
        wire = msgspec.convert(response, _WireResponse)
    except msgspec.ValidationError as error:
        raise RemoteAgentError(f"its answer does not fit the protocol: {error}") from None
    return list(_list_updates(wire))


def clean_text(text: str) -> str:
    """Without characters that control a terminal or hide what is written."""
    return _HIDDEN.sub("", text)


def clean_name(text: str, length: int = NAME) -> str:
    """A text as one line that is not too long."""
    line = " ".join(clean_text(text[: 10 * length]).split())
    return line if len(line) <= length else f"{line[:length]}..."


def _list_updates(wire: _WireResponse) -> Iterator[TaskUpdate]:
    if wire.task is not UNSET:
        task = wire.task
        for artifact in task.artifacts:
            yield _make_artifact(_WireArtifactUpdate(task.id, task.context_id, artifact, last_chunk=True))
        yield _make_status(_WireStatusUpdate(task.id, task.context_id, task.status))
    if wire.artifact_update is not UNSET:
        yield _make_artifact(wire.artifact_update)
    if wire.status_update is not UNSET:
        yield _make_status(wire.status_update)
    if wire.message is not UNSET:
        said = wire.message
        parts = tuple(map(_make_part, said.parts))
        yield StatusUpdate(state="completed", task_id=said.task_id, context_id=said.context_id, parts=parts)


def _make_status(wire: _WireStatusUpdate) -> StatusUpdate:
    return StatusUpdate(
        state=wire.status.state.removeprefix("TASK_STATE_").lower().replace("_", "-")[:NAME] or "unknown",
        task_id=wire.task_id,
        context_id=wire.context_id,
        parts=tuple(map(_make_part, wire.status.message.parts)),
    )


def _make_artifact(wire: _WireArtifactUpdate) -> ArtifactUpdate:
    return ArtifactUpdate(
        task_id=wire.task_id,
        artifact_id=clean_name(wire.artifact.artifact_id),
        context_id=wire.context_id,
        name=clean_name(wire.artifact.name),
        description=clean_name(wire.artifact.description),
        parts=tuple(map(_make_part, wire.artifact.parts)),
        append=wire.append,
        last_chunk=wire.last_chunk,
    )


def _make_part(wire: _WirePart) -> Part:
    if wire.text is not None:
        return {"text": clean_text(wire.text)}
    if wire.data is not UNSET:
        return {"data": _restore_integers(wire.data)}
    kind = clean_name(wire.media_type) or "application/octet-stream"
    url = f"data:{kind};base64,{wire.raw}" if wire.raw is not None else clean_name(wire.url or "", 10_000)
    part = {"url": url, "filename": clean_name(wire.filename), "media_type": clean_name(wire.media_type)}
    return {name: value for name, value in part.items() if value}


def _restore_integers(value: Any) -> Any:
    """The value as it was: the protocol's library makes every number a float."""
    match value:
        case float() if value.is_integer() and abs(value) <= EXACT:
            return int(value)
        case list():
            return [_restore_integers(each) for each in cast("list[Any]", value)]
        case dict():
            return {name: _restore_integers(each) for name, each in cast("dict[str, Any]", value).items()}
        case _:
            return value
