"""The command-line syntax of `npm`, `gem`, `composer` and the like: verbs, options, how a version is written."""

import msgspec


class ToolSyntax(msgspec.Struct, frozen=True):
    """The syntax of one such command."""

    name: str
    verbs: dict[str, str]
    """The meaning of each first word; that of the empty word is used if there is none of them."""
    valued: frozenset[str] = frozenset()
    """Options with a value, which is ignored."""
    version: frozenset[str] = frozenset()
    """Options whose value is the version of the package before or after them."""
    joint: str = "@"
    """The separator between a name and its version."""
    version_follows: bool = False
    """Whether the version may be the word after the name."""
