"""Brace expansion: `{a,b}` and `{1..3}` outside quotes."""

import re
from collections.abc import Iterator
from itertools import pairwise

WORDS = 64
"""The most words one may become; beyond, it counts as computed."""
DEPTH = 8

Char = tuple[str, bool]
"""A character, and whether it was quoted."""

_RANGE = re.compile(r"(-?\d{1,4}|[A-Za-z])\.\.(-?\d{1,4}|[A-Za-z])(?:\.\.-?\d{1,3})?")


def expand_braces(chars: list[Char]) -> list[list[Char]] | None:
    """The words that one word becomes, in order; None if they are too many."""
    if ("{", False) not in chars:
        return [chars]
    found: list[list[Char]] = []
    try:
        for word in _expand(chars, DEPTH):
            found.append(word)
            if len(found) > WORDS:
                return None
    except RecursionError:
        return None
    return found


def _expand(chars: list[Char], depth: int) -> Iterator[list[Char]]:
    if depth == 0:
        raise RecursionError
    split = _find_group(chars)
    if split is None:
        yield chars
        return
    before, choices, after = split
    for choice in choices:
        # What a choice holds is expanded too: {a,{b,c}}.
        for middle in _expand(choice, depth - 1):
            for rest in _expand(after, depth - 1):
                yield before + middle + rest


def _find_group(chars: list[Char]) -> tuple[list[Char], list[list[Char]], list[Char]] | None:
    """The first group that expands: what is before it, its choices, what is after it."""
    for start, char in enumerate(chars):
        if char != ("{", False):
            continue
        end, commas = _match_group(chars, start)
        if end < 0:
            continue
        inner = chars[start + 1 : end]
        choices = _split_at(chars, start, commas, end) if commas else _list_range(inner)
        if choices:
            return chars[:start], choices, chars[end + 1 :]
    return None


def _match_group(chars: list[Char], start: int) -> tuple[int, list[int]]:
    """Where the group ends, and its own commas; -1 if it does not end."""
    depth, commas = 0, list[int]()
    for at in range(start, len(chars)):
        match chars[at]:
            case ("{", False):
                depth += 1
            case ("}", False):
                depth -= 1
                if depth == 0:
                    return at, commas
            case (",", False) if depth == 1:
                commas.append(at)
            case _:
                pass
    return -1, []


def _split_at(chars: list[Char], start: int, commas: list[int], end: int) -> list[list[Char]]:
    edges = [start, *commas, end]
    return [chars[left + 1 : right] for left, right in pairwise(edges)]


def _list_range(inner: list[Char]) -> list[list[Char]]:
    match = _RANGE.fullmatch("".join(char for char, _ in inner))
    if match is None or any(quoted for _, quoted in inner):
        return []
    first, last = match[1], match[2]
    if first.isalpha() != last.isalpha():
        return []
    numbers = (ord(first), ord(last)) if first.isalpha() else (int(first), int(last))
    step = 1 if numbers[0] <= numbers[1] else -1
    values = range(numbers[0], numbers[1] + step, step)[: WORDS + 1]
    return [[(char, True) for char in (chr(value) if first.isalpha() else str(value))] for value in values]
