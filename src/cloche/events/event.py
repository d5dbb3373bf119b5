"""The envelope around an action, an observation or a status: who, when, why."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from msgspec import Struct

from cloche.events.actions import Action
from cloche.events.observations import Observation


class EventSource(StrEnum):
    """Who made an event."""

    AGENT = "agent"
    USER = "user"
    ENVIRONMENT = "environment"


class Status(Struct, frozen=True):
    """The state of a runtime or a session; neither action nor observation."""

    kind: ClassVar[str] = "status"

    status: str
    """A stable name, such as `STATUS$READY`."""
    content: str = ""
    level: str = "info"

    @property
    def message(self) -> str:
        return self.content


class Unknown(Struct, frozen=True):
    """An event of a kind that this version does not know, as it was read."""

    kind: str
    raw: dict[str, Any]

    @property
    def message(self) -> str | None:
        return self.raw.get("message")


Known = Action | Observation | Status
Body = Known | Unknown


class Event(Struct, frozen=True, kw_only=True):
    """One entry of a stream."""

    body: Body
    id: int | None = None
    """Consecutive in a stream; None until the event is in one."""
    timestamp: str = ""
    """ISO 8601; an event that was read keeps its original form."""
    source: str | None = None
    message: str | None = None
    """The body in one sentence, for a reader."""
    cause: int | None = None
    """The id of the action that the observation answers."""
    timeout: float | None = None
    """Seconds after which an action is stopped."""
    tool_call_metadata: dict[str, Any] | None = None
    llm_metrics: dict[str, Any] | None = None
    cloche: dict[str, Any] | None = None
    """What Cloche adds to the wire format."""
    others: dict[str, Any] | None = None
    """Top-level keys that this version does not know."""

    @property
    def kind(self) -> str:
        return self.body.kind


def new_event(
    body: Body,
    source: str = EventSource.ENVIRONMENT,
    *,
    timeout: float | None = None,
    answers: Event | None = None,
) -> Event:
    """A new event around `body`; `answers` is the action of an observation."""
    return Event(
        body=body,
        timestamp=datetime.now(UTC).isoformat(),
        source=str(source),
        message=body.message,
        cause=answers.id if answers else None,
        timeout=timeout,
        tool_call_metadata=answers.tool_call_metadata if answers else None,
    )
