"""The kinds of bodies by their wire names."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeGuard, get_args

from msgspec import Struct

from cloche.events.actions import Action
from cloche.events.observations import Observation

ACTIONS: dict[str, type[Action]] = {kind.kind: kind for kind in get_args(Action)}
OBSERVATIONS: dict[str, type[Observation]] = {kind.kind: kind for kind in get_args(Observation)}

_Reader = tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]

OURS = frozenset(kind.kind for kind in (*ACTIONS.values(), *OBSERVATIONS.values()) if getattr(kind, "ours", False))
"""Kinds of our own, which OpenHands' wire format does not have: its clients fail on them."""


def is_action(body: object) -> TypeGuard[Action]:
    """Whether the body of an event is an action."""
    return type(body) in _ACTION_TYPES


def is_observation(body: object) -> TypeGuard[Observation]:
    """Whether the body of an event is an observation."""
    return type(body) in _EXTRAS


def extras_of(body: Observation) -> dict[str, Any]:
    """The fields of an observation except its content, by their names in wire format."""
    names, values = _EXTRAS[type(body)]
    return dict(zip(names, values(body), strict=True))


def own_fields(kind: type[Struct]) -> tuple[str, ...]:
    """The fields of a body that OpenHands' format has no place for: they are written under `cloche`."""
    return getattr(kind, "own", ())


def own_of(body: Struct) -> dict[str, Any]:
    """What a body has in such fields."""
    return {name: value for name in own_fields(type(body)) if (value := getattr(body, name)) is not None}


def _make_reader(kind: type[Struct]) -> _Reader:
    pairs = [
        (wire, name)
        for name, wire in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
        if name != "content" and name not in own_fields(kind)
    ]
    attributes = [name for _, name in pairs]
    if not attributes:
        return (), lambda _: ()
    get = attrgetter(*attributes)
    return tuple(wire for wire, _ in pairs), get if len(pairs) > 1 else lambda body: (get(body),)


_ACTION_TYPES = frozenset(ACTIONS.values())
_EXTRAS: dict[type[Observation], _Reader] = {kind: _make_reader(kind) for kind in OBSERVATIONS.values()}
