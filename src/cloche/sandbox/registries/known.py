"""Names that many use, by which a misspelt one is noticed: it may be somebody's trap."""

import functools
from difflib import get_close_matches
from pathlib import Path

import msgspec

from cloche.errors import PackageNotFound

CLOSE = 0.8
"""How alike two names are, from 0 to 1, when one is taken for a misspelling of the other."""


@functools.cache
def names(group: str) -> frozenset[str]:
    """The names of one group: a language's packages, or what it has itself."""
    listed = msgspec.json.decode(Path(__file__).with_name("names.json").read_bytes(), type=dict[str, list[str]])
    return frozenset(listed.get(group, ()))


def suggest(language: str, name: str) -> list[str]:
    """Names that may have been meant."""
    return get_close_matches(name, names(language), 2, CLOSE)


def check_spelling(language: str, name: str) -> str:
    """The name; PackageNotFound if it is so close to one that many use that it may be a trap."""
    near = suggest(language, name)
    if near and name not in names(language):
        raise PackageNotFound(
            f"{name[:200]!r} is not installed by itself; did you mean {near[0]!r}? If not, install it by name."
        )
    return name
