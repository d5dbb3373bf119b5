"""Detects misspelt package names, which may be malicious packages."""

from difflib import get_close_matches

from cloche.errors import PackageNotFound
from cloche.sandbox.registries.popular_names import NAMES

CLOSE = 0.8
"""How alike two names are, from 0 to 1, when one is taken for a misspelling of the other."""


def known_names(group: str) -> frozenset[str]:
    """The names of one group: a language's packages, or what it has itself."""
    return NAMES.get(group, frozenset())


def suggest_name(language: str, name: str) -> list[str]:
    """Names that may have been meant."""
    return get_close_matches(name, known_names(language), 2, CLOSE)


def check_spelling(language: str, name: str) -> str:
    """The name; PackageNotFound if it is so close to one that many use that it may be a trap."""
    near = suggest_name(language, name)
    if near and name not in known_names(language):
        raise PackageNotFound(
            f"{name[:200]!r} is not installed by itself; did you mean {near[0]!r}? If not, install it by name."
        )
    return name
