"""Versions and requirements of RubyGems."""

import re
from itertools import zip_longest

_VERSION = re.compile(r"\s*\d+(\.[0-9A-Za-z]+)*(-[0-9A-Za-z.-]+)?\s*")
_REQUIREMENT = re.compile(r"\s*(=|!=|>=|<=|~>|>|<)?\s*(\S+)\s*")
_SEGMENT = re.compile(r"\d+|[A-Za-z]+")


def version_segments(text: str) -> list[int | str]:
    """The numbers and words of a version, without trailing zeros."""
    parts: list[int | str] = [
        int(part) if part.isdigit() else part for part in _SEGMENT.findall(text.replace("-", ".pre."))
    ]
    words = next((at for at, part in enumerate(parts) if isinstance(part, str)), len(parts))
    return _trim_zeros(parts[:words]) + _trim_zeros(parts[words:])


def _trim_zeros(parts: list[int | str]) -> list[int | str]:
    while parts and parts[-1] == 0:
        parts = parts[:-1]
    return parts


def is_version(text: str) -> bool:
    """Whether this is a version."""
    return len(text) < 200 and _VERSION.fullmatch(text) is not None


def is_prerelease(text: str) -> bool:
    """Whether a version is a pre-release."""
    return any(isinstance(part, str) for part in version_segments(text))


def compare_versions(left: str, right: str) -> int:
    """Below 0, 0 or above, if left is older, the same or newer; words sort before numbers."""
    for one, other in zip_longest(version_segments(left), version_segments(right), fillvalue=0):
        if one == other:
            continue
        if isinstance(one, str) != isinstance(other, str):
            return -1 if isinstance(one, str) else 1
        return -1 if one < other else 1  # pyright: ignore[reportOperatorIssue] - both are of one kind
    return 0


def _meets_bound(version: str, sign: str, bound: str) -> bool:
    order = compare_versions(version, bound)
    match sign:
        case "=":
            return order == 0
        case "!=":
            return order != 0
        case ">":
            return order > 0
        case "<":
            return order < 0
        case ">=":
            return order >= 0
        case "<=":
            return order <= 0
        case _:
            return order >= 0 and compare_versions(_find_release(version), _bump_version(bound)) < 0


def _find_release(text: str) -> str:
    parts = [part for part in re.split(r"[.-]", text) if part]
    numbers = parts[: next((at for at, part in enumerate(parts) if not part.isdigit()), len(parts))]
    return ".".join(numbers)


def _bump_version(text: str) -> str:
    """`1.2.3` becomes `1.3`."""
    numbers = _find_release(text).split(".")
    numbers = numbers[:-1] if len(numbers) > 1 else numbers
    return ".".join([*numbers[:-1], str(int(numbers[-1]) + 1)])


class Requirement:
    """A set of versions: all of `>= 1.2`, `< 3`, ..."""

    def __init__(self, parts: list[str]) -> None:
        self._bounds: list[tuple[str, str]] = []
        for part in parts:
            found = _REQUIREMENT.fullmatch(part)
            if not found or not is_version(found[2]):
                raise ValueError(part)
            self._bounds.append((found[1] or "=", found[2]))
        self.text = ", ".join(f"{sign} {bound}" for sign, bound in self._bounds)
        self._pre = any(is_prerelease(bound) for _, bound in self._bounds)

    def allows(self, version: str) -> bool:
        """Whether a version is in it; a pre-release only if one is named."""
        if is_prerelease(version) and not self._pre:
            return False
        return all(_meets_bound(version, sign, bound) for sign, bound in self._bounds)
