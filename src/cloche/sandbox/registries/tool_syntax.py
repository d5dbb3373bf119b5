"""How the commands that people know from a registry are spoken to."""

import msgspec


class ToolSyntax(msgspec.Struct, frozen=True):
    """How one such command is spoken to."""

    name: str
    verbs: dict[str, str]
    """What each word that may come first means; that of the empty one, when none of them does."""
    valued: frozenset[str] = frozenset()
    """Options that have a value, which is of no interest here."""
    version: frozenset[str] = frozenset()
    """Options whose value is the version of the package before or after them."""
    joint: str = "@"
    """What stands between a name and its version."""
    version_follows: bool = False
    """Whether the version may be the word after the name."""
