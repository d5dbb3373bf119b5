"""Versions and version ranges of npm."""

import operator
import re
from typing import Any, NamedTuple

import msgspec

LENGTH = 256
"""The most characters of a version or of one part of a range."""

SETS = 200
"""The most alternatives of one range."""

LARGEST = 2**53 - 1
"""The largest part of a version."""

_VERSION = re.compile(r"[v=\s]*(\d+)\.(\d+)\.(\d+)(?:-?([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?\s*")
_PART = r"(?:\d+|[xX*])"
_PARTIAL = re.compile(
    rf"[v=\s]*({_PART})(?:\.({_PART})(?:\.({_PART})(?:-?([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+\S*)?)?)?"
)
_COMPARATOR = re.compile(r"(\^|~>?|>=|<=|>|<|=)?\s*(.*)")
_HYPHEN = re.compile(r"\s*(\S+)\s+-\s+(\S+)\s*")
_GAP = re.compile(r"(\^|~>?|>=|<=|>|<|=)\s+")


class Version(msgspec.Struct, frozen=True):
    """major.minor.patch, and the pre-release."""

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()

    @property
    def triple(self) -> tuple[int, int, int]:
        return self.major, self.minor, self.patch

    def __lt__(self, other: "Version") -> bool:
        return self.key < other.key

    @property
    def key(self) -> tuple[Any, ...]:
        """The sort key of a version."""
        # A release comes after its pre-releases; numbers come before words.
        before = tuple((0, part, "") if isinstance(part, int) else (1, 0, part) for part in self.pre)
        return (*self.triple, not self.pre, before)

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return f"{text}-{'.'.join(map(str, self.pre))}" if self.pre else text


class _Bound(NamedTuple):
    sign: str
    version: Version

    def allows(self, version: Version) -> bool:
        return _SIGNS[self.sign](version.key, self.version.key)


_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
ZERO = Version(0, 0, 0)
_ANY = [_Bound(">=", ZERO)]
_NEVER = [_Bound("<", Version(0, 0, 0, (0,)))]


def parse_version(text: str) -> Version | None:
    """A version; None if it is not valid."""
    found = _VERSION.fullmatch(text) if len(text) <= LENGTH else None
    if not found or any(int(found[part]) > LARGEST for part in (1, 2, 3)):
        return None
    return Version(int(found[1]), int(found[2]), int(found[3]), _split_prerelease(found[4]))


def _split_prerelease(text: str | None) -> tuple[int | str, ...]:
    return tuple(int(part) if part.isdigit() else part for part in text.split(".")) if text else ()


class VersionRange:
    """A set of versions."""

    def __init__(self, sets: list[list[_Bound]]) -> None:
        self._sets = sets

    def allows(self, version: Version) -> bool:
        """Whether a version is in it; a pre-release only if the range names one of the same release."""
        return any(_meets_bounds(bounds, version) for bounds in self._sets)


def _meets_bounds(bounds: list[_Bound], version: Version) -> bool:
    if not all(bound.allows(version) for bound in bounds):
        return False
    if not version.pre:
        return True
    return any(bound.version.pre and bound.version.triple == version.triple for bound in bounds)


def parse_range(text: str) -> VersionRange | None:
    """A range such as `^1.2`, `1.x || >=3 <4`, `1.0 - 2.0`; None if it is not valid."""
    parts = text.split("||")
    if len(parts) > SETS:
        return None
    sets: list[list[_Bound]] = []
    for part in parts:
        bounds = _parse_set(part) if len(part) <= LENGTH else None
        if bounds is None:
            return None
        sets.append(bounds)
    # As in npm: a range that allows everything needs no alternatives.
    return VersionRange(next(([each] for each in sets if each in ([], _ANY)), sets))


def _parse_set(text: str) -> list[_Bound] | None:
    if hyphen := _HYPHEN.fullmatch(text):
        low, high = _read_partial(hyphen[1]), _read_partial(hyphen[2])
        if low is None or high is None:
            return None
        return [*_at_least(low), *_at_most(high)]
    bounds: list[_Bound] = []
    for word in _GAP.sub(r"\1", text).split():
        found = _COMPARATOR.fullmatch(word)
        partial = _read_partial(found[2]) if found else None
        if found is None or partial is None:
            return None
        bounds += _BOUNDS[found[1] or "="](partial)
    return bounds


class _Partial(NamedTuple):
    numbers: tuple[int, ...]
    """As many numbers as were written before the first x."""
    pre: tuple[int | str, ...]

    @property
    def lowest(self) -> Version:
        major, minor, patch = (*self.numbers, 0, 0, 0)[:3]
        return Version(major, minor, patch, self.pre)

    def raised(self, part: int) -> Version:
        """The first version in which this part is larger, without its pre-releases."""
        numbers = [*self.numbers, 0, 0, 0][:3]
        numbers[part] += 1
        numbers[part + 1 :] = [0] * (2 - part)
        major, minor, patch = numbers
        return Version(major, minor, patch, (0,))


def _read_partial(text: str) -> _Partial | None:
    found = _PARTIAL.fullmatch(text)
    if not found:
        return None
    numbers: list[int] = []
    for part in found.group(1, 2, 3):
        if part is None or not part.isdigit():
            break
        if int(part) > LARGEST:
            return None
        numbers.append(int(part))
    return _Partial(tuple(numbers), _split_prerelease(found[4]) if len(numbers) == 3 else ())


def _exact_bounds(partial: _Partial) -> list[_Bound]:
    count = len(partial.numbers)
    if count == 3:
        return [_Bound("=", partial.lowest)]
    return [_Bound(">=", partial.lowest), *([_Bound("<", partial.raised(count - 1))] if count else [])]


def _tilde_bounds(partial: _Partial) -> list[_Bound]:
    count = len(partial.numbers)
    return [_Bound(">=", partial.lowest), *([_Bound("<", partial.raised(min(count, 2) - 1))] if count else [])]


def _caret_bounds(partial: _Partial) -> list[_Bound]:
    count = len(partial.numbers)
    if not count:
        return [_Bound(">=", ZERO)]
    # The first part that is not 0 stays; parts that were not written may change.
    first = next((at for at, number in enumerate(partial.numbers) if number), count - 1)
    return [_Bound(">=", partial.lowest), _Bound("<", partial.raised(first))]


def _at_least(partial: _Partial) -> list[_Bound]:
    return [_Bound(">=", partial.lowest)]


def _at_most(partial: _Partial) -> list[_Bound]:
    count = len(partial.numbers)
    if count == 3:
        return [_Bound("<=", partial.lowest)]
    return [_Bound("<", partial.raised(count - 1))] if count else []


def _bounds_above(partial: _Partial) -> list[_Bound]:
    count = len(partial.numbers)
    if count == 3:
        return [_Bound(">", partial.lowest)]
    return [_Bound(">=", Version(*partial.raised(count - 1).triple))] if count else _NEVER


def _bounds_below(partial: _Partial) -> list[_Bound]:
    if not partial.numbers:
        return _NEVER
    lowest = partial.lowest
    return [
        _Bound("<", lowest if lowest.pre else Version(*lowest.triple, (0,)) if len(partial.numbers) < 3 else lowest)
    ]


_BOUNDS = {
    "=": _exact_bounds,
    "^": _caret_bounds,
    "~": _tilde_bounds,
    "~>": _tilde_bounds,
    ">=": _at_least,
    "<=": _at_most,
    ">": _bounds_above,
    "<": _bounds_below,
}
