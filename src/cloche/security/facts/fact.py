"""Facts: what a policy can ask about."""

from typing import Literal

from msgspec import Struct

FactKind = Literal["action", "command", "file", "host", "code", "construct", "call", "import", "tool", "variable"]
Access = Literal["read", "write", "remove"]

EXCERPT = 160
"""Characters of source that a fact quotes."""


class Command(Struct, frozen=True, kw_only=True):
    """A simple command: one that the text names, or one that another command would start."""

    name: str | None
    """The last part of its path; None if it is computed."""
    words: tuple[str | None, ...]
    """All words, the name first; None where one is computed."""
    via: tuple[str, ...] = ()
    """Through what it is started, the outermost first: `sudo`, `xargs`, `function`."""
    flags: frozenset[str] = frozenset()
    """Its options without dashes: `-rf` gives `r`, `f` and `rf`, `--force=x` gives `force`."""
    excerpt: str = ""
    language: str = "bash"


class Fact(Struct, frozen=True, kw_only=True):
    """One thing that an action would do, as far as its text says."""

    kind: FactKind
    value: str | None
    """The name, path, host or construct; None if it is computed."""
    excerpt: str = ""
    language: str = ""
    command: Command | None = None
    """The command that does it, if one does."""
    access: Access | None = None
    """What happens to a file."""
    pattern: bool = False
    """Whether a path stands for several: it has wildcards, or only its beginning is known."""
    port: int | None = None
    note: str = ""
    """More about a construct, for its reason."""


def shorten(text: str) -> str:
    """The text in one line of bounded length."""
    line = " ".join(text[: 2 * EXCERPT].split())
    return line if len(line) <= EXCERPT and len(text) <= 2 * EXCERPT else f"{line[:EXCERPT]}..."
