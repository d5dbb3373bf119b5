"""Versions and constraints of LuaRocks."""

import re
from typing import Any

PARTS = 12
"""How many numbers of a version count."""

_PART = re.compile(r"\d+|[A-Za-z]+")
_CONSTRAINT = re.compile(r"\s*(==|~=|~>|<=|>=|<|>|=)?\s*([\w.+-]+)\s*")
_WORDS = {
    "dev": 120000000,
    "scm": 110000000,
    "cvs": 100000000,
    "rc": -1000,
    "pre": -10000,
    "beta": -100000,
    "alpha": -1000000,
}


def version_key(text: str) -> tuple[Any, ...]:
    """The sort key of a version: numbers, then the revision of the rock."""
    version, _, revision = text.strip().lower().partition("-")
    numbers: list[float] = []
    for part in _PART.findall(version):
        value = int(part) if part.isdigit() else _WORDS.get(part, (ord(part[0]) - 96) / 1000)
        numbers.append(value)
    # Missing numbers are 0: a word before a release is less.
    return (*numbers[:PARTS], *[0] * (PARTS - len(numbers))), int(revision) if revision.isdigit() else 0


class VersionConstraints:
    """A set of versions: all of `>= 1.2`, `< 3`, ..."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self._bounds: list[tuple[str, str]] = []
        for part in filter(None, (each.strip() for each in text.split(","))):
            found = _CONSTRAINT.fullmatch(part)
            if not found:
                raise ValueError(part)
            self._bounds.append((found[1] or "==", found[2]))

    def allows(self, version: str) -> bool:
        """Whether a version is in it."""
        return all(_meets_bound(version, sign, bound) for sign, bound in self._bounds)


def _meets_bound(version: str, sign: str, bound: str) -> bool:
    one, other = version_key(version), version_key(bound)
    if "-" not in bound:
        # A rock's revision counts only if one is named.
        one, other = (one[0], 0), (other[0], 0)
    match sign:
        case "~=":
            return one != other
        case "<":
            return one < other
        case "<=":
            return one <= other
        case ">":
            return one > other
        case ">=":
            return one >= other
        case "~>":
            parts = bound.partition("-")[0].split(".")
            return version.partition("-")[0].split(".")[: len(parts)] == parts
        case _:
            return one == other
