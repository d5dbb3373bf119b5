"""Versions and constraints of Composer."""

import re
from typing import NamedTuple

_VERSION = re.compile(
    r"v?(\d{1,9})(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?"
    r"(?:[._-]?(stable|beta|b|rc|alpha|a|patch|pl|p)(?:[.-]?(\d+))?)?(?:\+\S*)?",
    re.IGNORECASE,
)
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")
_SIGN = re.compile(r"(\^|~|>=|<=|!=|<>|==|=|>|<)?\s*(.+)")
_GAP = re.compile(r"(\^|~|>=|<=|!=|<>|==|=|>|<)\s+")
_RANKS = {"alpha": -3, "a": -3, "beta": -2, "b": -2, "rc": -1, "stable": 0, "patch": 1, "pl": 1, "p": 1}
STABLE = 0
DEV = -4
"""Less than every number."""


class Version(NamedTuple):
    """Four numbers, the stability, and its number."""

    numbers: tuple[int, ...]
    rank: int = STABLE
    step: int = 0


class _Bound(NamedTuple):
    sign: str
    version: Version

    def allows(self, version: Version) -> bool:
        match self.sign:
            case ">=":
                return version >= self.version
            case ">":
                return version > self.version
            case "<":
                return version < self.version
            case "<=":
                return version <= self.version
            case "!=":
                return version != self.version
            case _:
                return version == self.version


class _Text(NamedTuple):
    version: Version
    given: int
    """How many numbers were written."""
    plain: bool
    """Whether no stability was given."""


def parse_version(text: str) -> Version | None:
    """A version; None for branches and nonsense."""
    found = _parse_text(text)
    return found.version if found else None


def _parse_text(text: str) -> _Text | None:
    found = _VERSION.fullmatch(text.strip()) if len(text) < 200 else None
    if not found:
        return None
    numbers = tuple(int(found[part] or 0) for part in (1, 2, 3, 4))
    given = sum(found[part] is not None for part in (1, 2, 3, 4))
    word = (found[5] or "").lower()
    return _Text(Version(numbers, _RANKS.get(word, STABLE), int(found[6] or 0)), given, not word)


class Constraint:
    """A set of versions."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self._lowest = STABLE
        parts = [each for each in re.split(r"\s*\|\|?\s*", self.text) if each]
        if len(parts) > 100:
            raise ValueError(text)
        self._sets = [self._parse_set(each) for each in parts or ["*"]]

    def allows(self, text: str) -> bool:
        """Whether a version is in it; a pre-release only if the constraint names one."""
        version = parse_version(text)
        if version is None or version.rank < self._lowest:
            return False
        return any(all(bound.allows(version) for bound in bounds) for bounds in self._sets if bounds is not None)

    def _parse_set(self, text: str) -> list[_Bound] | None:
        """The bounds of one alternative; None if it is about branches, which do not exist here."""
        text = text.partition(" as ")[0]
        if hyphen := _HYPHEN.fullmatch(text.strip()):
            low, high = self._number(hyphen[1]), self._number(hyphen[2])
            if low.given == 0 or high.given == 0:
                raise ValueError(text)
            end = _Bound("<=", high.version) if high.given >= 3 else _Bound("<", _raise_part(high, high.given - 1))
            return [_Bound(">=", _lowest_version(low)), end]
        bounds: list[_Bound] = []
        for word in re.split(r"[\s,]+", _GAP.sub(r"\1", text.strip())):
            some = self._parse_one(word)
            if some is None:
                return None
            bounds += some
        return bounds

    def _parse_one(self, word: str) -> list[_Bound] | None:
        word, _, stability = word.partition("@")
        self._lowest = min(self._lowest, DEV if stability == "dev" else _RANKS.get(stability.lower(), STABLE))
        if word in ("", "*", "x"):
            return []
        if word.startswith("dev-") or word.endswith("-dev") or "#" in word:
            return None
        found = _SIGN.fullmatch(word)
        if not found:
            raise ValueError(word)
        sign = found[1] or "="
        if re.search(r"\.[x*]$", found[2], re.IGNORECASE):
            return _wildcard_bounds(self._number(re.sub(r"(\.[x*])+$", "", found[2], flags=re.IGNORECASE)), sign)
        number = self._number(found[2])
        if not number.plain:
            self._lowest = min(self._lowest, number.version.rank)
        return _find_bounds(sign, number)

    def _number(self, text: str) -> _Text:
        found = _parse_text(text)
        if found is None:
            raise ValueError(text)
        return found


def _find_bounds(sign: str, number: _Text) -> list[_Bound]:
    version = number.version
    match sign:
        case "^":
            first = next((at for at, each in enumerate(version.numbers[: number.given]) if each), number.given - 1)
            return [_Bound(">=", _lowest_version(number)), _Bound("<", _raise_part(number, first))]
        case "~":
            return [_Bound(">=", _lowest_version(number)), _Bound("<", _raise_part(number, max(0, number.given - 2)))]
        case ">=" | "<":
            return [_Bound(sign, _lowest_version(number))]
        case "<>":
            return [_Bound("!=", version)]
        case "==" | "=":
            return [_Bound("=", version)]
        case _:
            return [_Bound(sign, version)]


def _wildcard_bounds(number: _Text, sign: str) -> list[_Bound]:
    low, high = _Bound(">=", _lowest_version(number)), _Bound("<", _raise_part(number, number.given - 1))
    return {"<": [_Bound("<", _lowest_version(number))], ">=": [low], "<=": [high]}.get(sign, [low, high])


def _lowest_version(number: _Text) -> Version:
    """The first pre-release of a version, unless it names one."""
    return Version(number.version.numbers, DEV) if number.plain else number.version


def _raise_part(number: _Text, part: int) -> Version:
    numbers = list(number.version.numbers)
    numbers[part] += 1
    return Version((*numbers[: part + 1], *[0] * (3 - part)), DEV)
