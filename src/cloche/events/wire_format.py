"""The shape of events in wire format: their keys, and the order in which they are written."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from cloche.events.actions import Action

Fields = dict[str, Any]


class WireAction(Struct, frozen=True):
    """An action as it is written; unset keys are left out."""

    id: int | UnsetType
    timestamp: str | UnsetType
    source: str | UnsetType
    message: str | UnsetType
    cause: int | UnsetType
    action: str
    tool_call_metadata: Fields | UnsetType
    llm_metrics: Fields | UnsetType
    args: Action
    timeout: float | UnsetType
    cloche: Fields | UnsetType


class WireObservation(Struct, frozen=True):
    """An observation as it is written."""

    id: int | UnsetType
    timestamp: str | UnsetType
    source: str | UnsetType
    message: str | UnsetType
    cause: int | UnsetType
    observation: str | UnsetType
    status: str | UnsetType
    tool_call_metadata: Fields | UnsetType
    llm_metrics: Fields | UnsetType
    content: str
    extras: Fields
    success: bool | UnsetType
    cloche: Fields | UnsetType


class Envelope(Struct, frozen=True):
    """Every known key, as it is read."""

    id: int = -1
    timestamp: str = ""
    source: str | None = None
    message: str | UnsetType | None = UNSET
    cause: int | None = None
    action: str | None = None
    observation: str | None = None
    status: str | None = None
    tool_call_metadata: Fields | None = None
    llm_metrics: Fields | None = None
    args: Fields | None = None
    timeout: float | None = None
    content: str = ""
    extras: Fields | None = None
    success: bool | None = None
    cloche: Fields | None = None


KEYS = frozenset(Envelope.__struct_fields__)
