"""Completion, inspection and completeness of code."""

from typing import Literal

import msgspec


class Completion(msgspec.Struct, frozen=True):
    """Completions to insert between `start` and `end` of the code."""

    matches: list[str]
    start: int
    end: int


class Completeness(msgspec.Struct, frozen=True):
    """Whether code is complete, or needs more lines."""

    status: Literal["complete", "incomplete", "invalid"]
    indent: str = ""
    """The indentation of the next line."""
    count: int | None = None
    """The number that the cell would get, in a language that numbers cells."""
