"""The outline of a command: its simple commands, as one parser reads them, to be compared with another's."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from cloche.security.facts.bash_syntax import Unreadable, parse_bash
from cloche.security.facts.fact import shorten
from cloche.security.facts.words import Word, WordReader

if TYPE_CHECKING:
    from tree_sitter import Node

Words = tuple[str | None, ...]
"""The words of a simple command after quotes are removed; None where something is expanded."""

_SKIPPED = frozenset({"variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"})


class ShellOutline(Struct, frozen=True):
    """The simple commands of a text in the order in which they stand, those of substitutions and functions too."""

    commands: tuple[Words, ...] = ()
    readable: bool = True
    """Whether the parser could read the text."""


def outline_bash(text: str) -> ShellOutline:
    """The outline as tree-sitter reads the text."""
    try:
        root = parse_bash(text)
    except Unreadable:
        return ShellOutline(readable=False)
    if root.has_error:
        return ShellOutline(readable=False)
    reader = _OutlineReader(text)
    return ShellOutline(reader.read(root))


def find_difference(first: ShellOutline, second: ShellOutline) -> str | None:
    """In which command two outlines differ; None if in none.

    Their order does not count, nor does `[`, which for one parser is a command and for the other part of the grammar.
    """
    if not (first.readable and second.readable):
        return None if first.readable == second.readable else "only one of two parsers can read it"
    ours, theirs = (
        Counter(_simplify(words) for words in each.commands if words[:1] != ("[",)) for each in (first, second)
    )
    if extra := list((ours - theirs) + (theirs - ours)):
        where = "one parser" if extra[0] in ours else "the shell"
        return f"only {where} sees the command {_show(extra[0])}"
    return None


def _simplify(words: Words) -> Words:
    """Without `-`, which the grammar leaves out before a here-document."""
    return tuple(word for word in words if word != "-")


def _show(words: Sequence[str | None]) -> str:
    return shorten(" ".join("..." if word is None else word or "''" for word in words))


class _OutlineReader:
    """Reads the tree of one text."""

    def __init__(self, source: str) -> None:
        # A home that cannot be: `~` is expanded by neither side.
        self._words = WordReader(source, {}, {}, "~")

    def read(self, root: "Node") -> tuple[Words, ...]:
        found: list[Words] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type in ("command", "redirected_statement") and (words := self._read_command(node)):
                found.append(words)
            elif node.type in ("declaration_command", "unset_command"):
                found.append(self._read_declaration(node))
            waiting.extend(reversed(node.named_children))
        return tuple(found)

    def _read_command(self, node: "Node") -> Words:
        """The words of a command; those behind redirections belong to the node around it."""
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            return () if body is None or body.type != "command" else self._list_words(body, _find_later(node))
        around = node.parent
        if around is not None and around.type == "redirected_statement" and around.child_by_field_name("body") == node:
            return ()
        return self._list_words(node, [])

    def _list_words(self, node: "Node", later: "Sequence[Node]") -> Words:
        words = [child for child in node.children if child.type not in _SKIPPED]
        redirects = [child for child in node.named_children if child.type == "file_redirect"]
        extra = [each for redirect in redirects for each in redirect.children_by_field_name("destination")[1:]]
        read = [self._read_word(child) for child in (*words, *extra, *later)]
        # For the shell, a word of the grammar.
        while read[:1] == ["time"]:
            del read[: 2 if read[1:2] == ["-p"] else 1]
        return tuple(read)

    def _read_declaration(self, node: "Node") -> Words:
        """The builtin alone: what follows are assignments, of which each parser has its own idea."""
        return (node.children[0].type,)

    def _read_word(self, node: "Node") -> str | None:
        found: list[Word] = self._words.read(node)
        # Braces and the like become several words later.
        return found[0].text if len(found) == 1 else None


def _find_later(node: "Node") -> "list[Node]":
    found: list[Node] = []
    for each in node.children_by_field_name("redirect"):
        if each.type == "file_redirect":
            found += each.children_by_field_name("destination")[1:]
        elif each.type == "heredoc_redirect":
            found += each.children_by_field_name("argument")
            found += _find_later(each)
    return found
