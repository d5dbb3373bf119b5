"""Globs of paths: `*` stays in one folder, `**` does not; two globs may be asked whether they can mean the same."""

import re
from functools import cache, lru_cache

_STEPS = 20_000
"""How many places of two globs are compared; beyond, they may mean the same."""
_TOKEN = re.compile(r"\*+|\?|\[(?!\])[^\]]+\]|.", re.DOTALL)
_WILD = re.compile(r"[*?\[]")


@cache
def compile_glob(glob: str) -> re.Pattern[str]:
    """A regular expression that matches the whole of a path."""
    parts: list[str] = []
    for token in _TOKEN.findall(glob):
        if token.startswith("**"):
            parts.append(".*")
        elif token == "*":
            parts.append("[^/]*")
        elif token == "?":
            parts.append("[^/]")
        elif token.startswith("[") and len(token) > 1:
            inner = re.sub(r"([\\\[\]&~|])", r"\\\1", token[1:-1])
            parts.append(f"[^/{inner[1:]}]" if inner.startswith(("!", "^")) else f"[{inner}]")
        else:
            parts.append(re.escape(token))
    try:
        # `/etc/**` means the folder too.
        pattern = "".join(parts)
        return re.compile(pattern[:-3] + "(?:/.*)?" if pattern.endswith("/.*") else pattern, re.DOTALL)
    except re.error:
        return re.compile(re.escape(glob))


@lru_cache(maxsize=4096)
def may_meet(left: str, right: str) -> bool:
    """Whether some path matches both globs."""
    if not _begin_alike(left, right):
        return False
    return any(_meet(_split(first), _split(second)) for first in _list_ends(left) for second in _list_ends(right))


def _begin_alike(left: str, right: str) -> bool:
    """Whether the text before the first wildcards is the same, as far as both have some."""
    first, second = _WILD.split(left, maxsplit=1)[0], _WILD.split(right, maxsplit=1)[0]
    length = min(len(first), len(second))
    # The slash before `**` may be missing.
    return first[: length - 1] == second[: length - 1] if length else True


def _list_ends(glob: str) -> list[str]:
    """`/etc/**` means the folder too."""
    return [glob, glob[:-3]] if glob.endswith("/**") else [glob]


def _meet(first: list[str], second: list[str]) -> bool:
    seen: set[tuple[int, int]] = set()
    waiting = [(0, 0)]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if len(seen) > _STEPS or at == (len(first), len(second)):
            return True
        waiting += _advance(first, second, *at)
    return False


def _split(glob: str) -> list[str]:
    tokens: list[str] = _TOKEN.findall(glob)
    return [f"{token[0]}{token[0]}" if token.startswith("**") else token for token in tokens]


def _advance(first: list[str], second: list[str], i: int, j: int) -> list[tuple[int, int]]:
    """The places that are reached by one character of both, or by none of a star."""
    left = first[i] if i < len(first) else None
    right = second[j] if j < len(second) else None
    found: list[tuple[int, int]] = []
    if _is_star(left):
        found.append((i + 1, j))
        if right is not None and not _is_star(right) and _fits(left, right) and not _is_hidden(left, second, j):
            found.append((i, j + 1))
    if _is_star(right):
        found.append((i, j + 1))
        if left is not None and not _is_star(left) and _fits(left, right):
            found.append((i + 1, j))
    if left is not None and right is not None and not _is_star(left) and not _is_star(right) and _fits(left, right):
        found.append((i + 1, j + 1))
    return found


def _is_hidden(star: str | None, tokens: list[str], at: int) -> bool:
    """Whether here begins a name with a dot, which the shell's `*` does not match."""
    return star == "*" and tokens[at] == "." and (at == 0 or tokens[at - 1] == "/")


def _is_star(token: str | None) -> bool:
    return token in ("*", "**")


def _fits(left: str | None, right: str | None) -> bool:
    """Whether one character can match both tokens."""
    if left is None or right is None:
        return False
    for one, other in ((left, right), (right, left)):
        if one == "**":
            return True
        if len(other) == 1 and other not in "*?":
            return compile_glob(one).fullmatch(other) is not None if one != other else True
    # Two wildcards: classes may have nothing in common, which is rare.
    return True
