"""Writes values as JSON if they are plain data."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple


class DataLimits(NamedTuple):
    """Limits of a value: characters, nesting of lists and dicts, number of values."""

    length: int
    depth: int
    values: int


_limits = DataLimits(0, 0, 0)


def set_limits(length: int, depth: int, values: int) -> None:
    """Set the engine's limits for all languages, when the interpreter is prepared."""
    global _limits
    _limits = DataLimits(length, depth, values)


def as_data(value: Any) -> str | None:
    """The value as JSON, if it is plain data throughout and not too large."""
    if not _is_data(value):
        return None
    text = json.dumps(value, allow_nan=False)
    return text if len(text) <= _limits.length else None


def _is_data(value: Any) -> bool:
    waiting, values, room = [(value, 0)], _limits.values, _limits.length
    while waiting:
        each, depth = waiting.pop()
        kind = type(each)
        if kind is list or kind is tuple or kind is dict:
            values -= len(each)
            if depth == _limits.depth or values < 0:
                return False
            if kind is dict:
                room -= _length_of_names(each)
            waiting += [(inner, depth + 1) for inner in (each.values() if kind is dict else each)]
        elif kind is str:
            room -= len(each)
        elif not _is_scalar(each, kind):
            return False
        if room < 0:
            return False
    return True


def _length_of_names(value: dict[Any, Any]) -> float:
    """Exceeds every limit, for a key that is not a string."""
    return sum(len(key) if type(key) is str else math.inf for key in value)


def _is_scalar(value: Any, kind: type) -> bool:
    if kind is float:
        return math.isfinite(value)
    if kind is int:
        return -(2**63) <= value < 2**63
    return kind is bool or value is None
