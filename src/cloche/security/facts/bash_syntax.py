"""The syntax tree of a bash text, by tree-sitter."""

import re
import time
from functools import cache
from typing import TYPE_CHECKING

from cloche.errors import ConfigError

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree

SIZE = 64 * 1024
"""Characters of a script that are read; a longer one is not analysed."""
STEP = 4096
"""Bytes after which the parser's time is looked at."""
PATIENCE = 0.15
"""Seconds of processor time for one text: on texts that are no bash, the parser may take minutes."""
_NO_ASCII = re.compile(r"[^\x00-\x7f]")
_STAND_INS = [chr(code) for code in (*range(1, 9), *range(14, 32))]
"""Control characters, which are parts of words too."""
_BEYOND = (1 << 30, 0)
"""A line after every other: the lines of an edit are not used."""


class Unreadable(Exception):
    """A text is too long or too strange to be parsed; the message says which."""


def parse_bash(text: str) -> "Node":
    """The root of the tree, whose positions count characters; raises Unreadable."""
    if len(text) > SIZE:
        raise Unreadable(f"it is longer than {SIZE // 1024} KB")
    data = _to_ascii(text)
    # A parser for each text: long ones are parsed in threads.
    return _parse_patiently(_open_parser(), data).root_node


def _to_ascii(text: str) -> bytes:
    """The text with a character that is not in it for each that is not ASCII.

    For bash these are letters like others. The grammar's scanner looks them up in a table of 256 characters, and may
    crash the process.
    """
    if text.isascii():
        return text.encode()
    letter = next((letter for letter in _STAND_INS if letter not in text), None)
    if letter is None:
        raise Unreadable("it has too many control characters")
    return _NO_ASCII.sub(letter, text).encode()


def _parse_patiently(parser: "Parser", data: bytes) -> "Tree":
    """Parse piece by piece, each time with the tree so far: that can be given up in between; raises Unreadable."""
    began = time.thread_time()
    tree = parser.parse(data[:STEP])
    for start in range(STEP, len(data), STEP):
        if time.thread_time() - began > PATIENCE:
            raise Unreadable("it is so far from bash that the parser takes too long")
        end = min(start + STEP, len(data))
        point = tree.root_node.end_point
        tree.edit(start, start, end, point, point, _BEYOND)
        tree = parser.parse(data[:end], tree)
    return tree


def _open_parser() -> "Parser":
    parser, language = _load_grammar()
    return parser(language)


@cache
def _load_grammar() -> "tuple[type[Parser], Language]":
    """Loads the grammar once; raises ConfigError if the extra is not installed."""
    try:
        import tree_sitter_bash
        from tree_sitter import Language, Parser
    except ModuleNotFoundError as error:
        raise ConfigError(f"reading bash needs the extra `agent`: pip install 'cloche[agent]' ({error})") from None
    return Parser, Language(tree_sitter_bash.language())
