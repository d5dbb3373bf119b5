"""Detects misspelt package names, which may be malicious packages."""

from collections.abc import Set
from difflib import get_close_matches

from cloche.errors import PackageNotFound

CLOSE = 0.8
"""How similar two names are, from 0 to 1, if one is taken for a misspelling of the other."""


def suggest_name(popular: Set[str], name: str) -> list[str]:
    """Names that may have been meant."""
    return get_close_matches(name, popular, 2, CLOSE)


def check_spelling(popular: Set[str], name: str) -> str:
    """The name; raises PackageNotFound if it is so close to a popular one that it may be a trap."""
    near = suggest_name(popular, name)
    if near and name not in popular:
        raise PackageNotFound(
            f"{name[:200]!r} is not installed by itself; did you mean {near[0]!r}? If not, install it by name."
        )
    return name
