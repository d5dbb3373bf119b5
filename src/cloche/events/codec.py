"""The wire and disk format of events: OpenHands' JSON, with Cloche's additions under the key `cloche`."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec
from msgspec import UNSET, structs

from cloche.errors import EventError
from cloche.events.event import Body, Event, Known, Status, Unknown
from cloche.events.old_formats import upgrade_action, upgrade_observation
from cloche.events.registry import ACTIONS, OBSERVATIONS, OURS, extras_of, is_action, is_observation, own_fields, own_of
from cloche.events.wire_format import KEYS, Envelope, Fields, WireAction, WireObservation

_Kind = TypeVar("_Kind", bound=Known)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()

_HEAD: dict[str, type] = {"id": int, "timestamp": str, "source": str, "message": str, "cause": int}
"""The fields that an event of an unknown kind has besides those that were read."""


def encode_event(event: Event) -> bytes:
    """The event as JSON."""
    if event.others or isinstance(event.body, Unknown):
        return _encoder.encode(event_to_dict(event))
    return _encoder.encode(_to_wire(event, event.body))


def decode_event(data: bytes | str) -> Event:
    """Decode an event from JSON; raises EventError if it is not one."""
    try:
        wire = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise EventError(f"An event could not be read: it is not JSON ({error}). Send one JSON object.") from error
    return event_from_dict(wire)


def event_to_dict(event: Event) -> Fields:
    """The event as a dictionary in wire format."""
    body = event.body
    if isinstance(body, Unknown):
        head = {name: value for name in _HEAD if (value := getattr(event, name)) not in (None, "")}
        return body.raw | head
    wire = cast("Fields", msgspec.to_builtins(_to_wire(event, body)))
    return wire | event.others if event.others else wire


def event_from_dict(data: Mapping[str, Any]) -> Event:
    """Decode an event from a dictionary; one of an unknown kind has an Unknown body."""
    try:
        wire = msgspec.convert(data, Envelope)
    except (msgspec.ValidationError, RecursionError) as error:
        if _is_new(data):
            return unknown_event(data)
        raise EventError(f"An event could not be read: {_explain_error(error)}.") from error
    body = _read_body(data, wire)
    known = isinstance(body, Unknown) or KEYS.issuperset(data)
    return Event(
        body=body,
        id=wire.id if wire.id >= 0 else None,
        timestamp=wire.timestamp,
        source=wire.source,
        message=body.message if wire.message is UNSET else wire.message,
        cause=wire.cause,
        timeout=wire.timeout,
        tool_call_metadata=wire.tool_call_metadata,
        llm_metrics=wire.llm_metrics,
        cloche=_read_own(wire.cloche, body),
        others=None if known else {key: data[key] for key in data if key not in KEYS},
    )


def unknown_event(data: Mapping[str, Any]) -> Event:
    """An event of an unknown kind, kept as it is; the envelope is read as far as possible."""
    head = {name: data[name] for name, kind in _HEAD.items() if type(data.get(name)) is kind}
    body = Unknown(str(data.get("action") or data.get("observation") or data.get("status")), dict(data))
    event = Event(body=body, **head)
    return event if event.id is None or event.id >= 0 else structs.replace(event, id=None)


def event_for_stock(event: Event) -> Fields | None:
    """The event for a stock OpenHands client: a status as its own message, nothing for our own kinds."""
    body = event.body
    if isinstance(body, Status):
        return {"status_update": True, "type": body.level, "id": body.status, "message": body.content}
    if isinstance(body, Unknown) or body.kind in OURS:
        return None
    wire = event_to_dict(event)
    wire.pop("cloche", None)
    return wire


def _to_wire(event: Event, body: Known) -> WireAction | WireObservation:
    head = (
        UNSET if event.id is None else event.id,
        event.timestamp or UNSET,
        event.source or UNSET,
        UNSET if event.message is None else event.message,
        UNSET if event.cause is None else event.cause,
    )
    made_by = (event.tool_call_metadata or UNSET, event.llm_metrics or UNSET)
    own = {**(event.cloche or {}), **own_of(body)} or UNSET
    if is_action(body):
        return WireAction(*head, body.kind, *made_by, body, event.timeout or UNSET, own)
    if is_observation(body):
        success = getattr(body, "success", UNSET)
        return WireObservation(*head, body.kind, UNSET, *made_by, body.content, extras_of(body), success, own)
    status = cast("Status", body)
    return WireObservation(*head, UNSET, status.status, *made_by, status.content, {"level": status.level}, UNSET, own)


def _read_body(data: Mapping[str, Any], wire: Envelope) -> Body:
    if wire.action is not None:
        kind = ACTIONS.get(wire.action)
        return (
            _convert_fields(kind, upgrade_action(wire.action, wire.args or {}))
            if kind
            else Unknown(wire.action, dict(data))
        )
    if wire.observation is not None:
        kind = OBSERVATIONS.get(wire.observation)
        if kind is None:
            return Unknown(wire.observation, dict(data))
        own = {name: wire.cloche[name] for name in own_fields(kind) if name in wire.cloche} if wire.cloche else {}
        return _convert_fields(
            kind, {**upgrade_observation(wire.observation, wire.extras or {}), **own, "content": wire.content}
        )
    if wire.status is not None:
        return _convert_fields(Status, {**(wire.extras or {}), "status": wire.status, "content": wire.content})
    raise EventError(
        "An event could not be read: it has no key `action`, `observation` or `status`. "
        'Send one as {"action": "run", "args": {"command": "ls"}}.'
    )


def _read_own(cloche: Fields | None, body: Body) -> Fields | None:
    """What stands under `cloche` besides the fields of the body."""
    taken = own_fields(type(body))
    if cloche is None or not taken:
        return cloche
    return {name: value for name, value in cloche.items() if name not in taken} or None


def _is_new(data: object) -> bool:
    """Whether it is an event of an unknown kind; these may have any shape."""
    if not isinstance(data, Mapping):
        return False
    wire = cast("Mapping[str, Any]", data)
    action, observation = wire.get("action"), wire.get("observation")
    if action is not None:
        return isinstance(action, str) and action not in ACTIONS
    return isinstance(observation, str) and observation not in OBSERVATIONS


def _convert_fields(kind: type[_Kind], fields: Fields) -> _Kind:
    try:
        return msgspec.convert(fields, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        inside = "args" if ACTIONS.get(kind.kind) is kind else "extras"
        raise EventError(
            f"An event of the kind `{kind.kind}` could not be read: {_explain_error(error, inside)}."
        ) from error


def _explain_error(error: Exception, inside: str = "") -> str:
    """The message of msgspec, with the path from the top of the event."""
    said = str(error).replace("Object missing", "missing").replace("Expected", "expected")
    if not inside:
        return said.replace("`$.", "`").replace("`$`", "the event")
    if "`$" not in said:
        return f"{said} - at `{inside}`"
    return said.replace("`$.content`", "`content`").replace("`$", f"`{inside}")
