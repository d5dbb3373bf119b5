"""The words of a bash command: literal text, as far as nothing in them is computed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from cloche.security.facts.braces import expand_braces
from cloche.security.facts.quoting import decode_ansi, unescape_double, unescape_plain

if TYPE_CHECKING:
    from tree_sitter import Node

_WILD = re.compile(r"[*?\[]")

_NAME = re.compile(r"\$(?:\{(\w+|[@*])\}|(\w+|[@*]))")


_Piece = tuple[str, bool]
"""Some text, and whether it was quoted."""


class Word(Struct, frozen=True, kw_only=True):
    """A word of a command."""

    text: str | None
    """What the command gets; None if that is computed."""
    source: str
    """As written."""
    guess: str | None = None
    """What a computed one probably is: variables that were set to a literal in the same text."""
    prefix: str = ""
    """How a computed one begins."""
    pattern: bool = False
    """Whether it has wildcards outside quotes."""
    origin: str = ""
    """Where the text of a computed one comes from: `network`, `decoded`, `computed`, `pipe` or `file`."""

    @property
    def likely(self) -> str | None:
        """The text, else the guess."""
        return self.guess if self.text is None else self.text


class Value(Struct, frozen=True):
    """What is known of a variable or of the output of a substitution."""

    text: str | None = None
    """Its text, if that is known for certain: of the home folder and of parameters."""
    guess: str | None = None
    origin: str = "computed"


UNKNOWN = Value()


class WordReader:
    """Reads words; `values` are variables by name, `outputs` what substitutions print, by their position."""

    def __init__(self, source: str, values: Mapping[str, Value], outputs: Mapping[int, Value], home: str) -> None:
        self._source = source
        self._values = values
        self._outputs = outputs
        self._home = home

    def read(self, node: "Node") -> list[Word]:
        """The words that one word of the text becomes: one, or several by its braces."""
        source = self._text(node.start_byte, node.end_byte)
        plain = not node.is_named or node.type in ("word", "number", "command_name")
        if plain and not _SPECIAL.search(source):
            return [Word(text=source, source=source)]
        if node.type in ("string", "raw_string") and not _COMPUTED.search(source):
            return [Word(text=source[1:-1], source=source)]
        parts = _Parts(self._home)
        self._collect(node, parts)
        return parts.join(source)

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end]

    def _collect(self, node: "Node", parts: "_Parts") -> None:
        kind = node.type
        if known := _LEAVES.get("word" if not node.is_named else kind):
            known(parts, self._text(node.start_byte, node.end_byte))
        elif kind in ("concatenation", "command_name", "translated_string"):
            self._collect_pieces(node, parts, quoted=False)
        elif kind == "string":
            self._collect_pieces(node, parts, quoted=True)
        elif kind in ("simple_expansion", "expansion"):
            parts.add_value(self._read_variable(node))
        else:
            parts.add_value(self._outputs.get(node.start_byte, UNKNOWN))

    def _collect_pieces(self, node: "Node", parts: "_Parts", *, quoted: bool) -> None:
        """The children and the text between them, which the grammar leaves out."""
        at, end = node.start_byte, node.end_byte
        if quoted:
            at, end = at + 1, end - 1
        for child in node.named_children:
            if child.type == "string_content":
                continue
            self._add_text(parts, at, child.start_byte, quoted=quoted)
            self._collect(child, parts)
            at = child.end_byte
        self._add_text(parts, at, end, quoted=quoted)

    def _add_text(self, parts: "_Parts", start: int, end: int, *, quoted: bool) -> None:
        if start < end:
            text = self._text(start, end)
            if quoted:
                parts.add_quoted(unescape_double(text))
            # The sign before $"...", which a translation has.
            elif text != "$":
                parts.add_plain(text)

    def _read_variable(self, node: "Node") -> Value:
        match = _NAME.fullmatch(self._text(node.start_byte, node.end_byte))
        if match:
            return self._values.get(match[1] or match[2], UNKNOWN)
        # ${x:-...}: the worst of what is in it.
        inner = [self._outputs[at] for at in (child.start_byte for child in node.named_children) if at in self._outputs]
        names = [
            self._values.get(self._text(each.start_byte, each.end_byte), UNKNOWN)
            for each in node.named_children
            if each.type == "variable_name"
        ]
        return Value(origin=worst_origin(value.origin for value in (*inner, *names)))


class _Parts:
    """The text of a word while it is read, in pieces that are quoted or not."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._pieces: list[_Piece] = []
        self._guess: list[str] | None = []
        self._known = -1
        """How many pieces are literal; -1 while all are."""
        self._origins: list[str] = []

    def add_plain(self, text: str) -> None:
        if "\\" not in text:
            self._add(text, quoted=False)
        else:
            for char, quoted in unescape_plain(text):
                self._add(char, quoted=quoted)

    def add_quoted(self, text: str) -> None:
        self._add(text, quoted=True)

    def add_value(self, value: Value) -> None:
        if value.text is not None:
            return self.add_quoted(value.text)
        if self._known < 0:
            self._known = len(self._pieces)
        self._origins.append(value.origin)
        if self._guess is not None:
            self._guess = None if value.guess is None else [*self._guess, value.guess]
        return None

    def _add(self, text: str, *, quoted: bool) -> None:
        self._pieces.append((text, quoted))
        if self._guess is not None:
            self._guess.append(text)

    def join(self, source: str) -> list[Word]:
        """The words."""
        if self._known >= 0:
            guess = None if self._guess is None else "".join(self._guess)
            prefix = self._expand_home(self._pieces[: self._known])
            origin = worst_origin(self._origins)
            return [Word(text=None, source=source, guess=guess, prefix=prefix or "", origin=origin)]
        if not any("{" in text and not quoted for text, quoted in self._pieces):
            return [self._make_word(self._pieces, source)]
        words = expand_braces([(char, quoted) for text, quoted in self._pieces for char in text])
        if words is None:
            return [Word(text=None, source=source, origin="computed")]
        return [self._make_word(chars, source) for chars in words]

    def _make_word(self, pieces: Sequence[_Piece], source: str) -> Word:
        text = self._expand_home(pieces)
        pattern = any(not quoted and _WILD.search(piece) is not None for piece, quoted in pieces)
        return Word(text=text, source=source, pattern=pattern, origin="" if text is not None else "computed")

    def _expand_home(self, pieces: Sequence[_Piece]) -> str | None:
        """The text with its `~` replaced; None for the home of somebody else."""
        text = "".join(piece for piece, _ in pieces)
        if not text.startswith("~") or pieces[0][1] or not pieces[0][0]:
            return text
        user, slash, rest = text.partition("/")
        return self._home + slash + rest if user == "~" else None


_COMPUTED = re.compile(r"[$`\\]")
"""Characters by which something may be computed in double quotes."""
_SPECIAL = re.compile(r"[^\w./:=@%+,-]")
"""Characters that make a word more than its text."""

_LEAVES: dict[str, Callable[[_Parts, str], None]] = {
    "raw_string": lambda parts, text: parts.add_quoted(text[1:-1]),
    "ansi_c_string": lambda parts, text: parts.add_quoted(decode_ansi(text[2:-1])),
    **dict.fromkeys(
        ("word", "number", "brace_expression", "extglob_pattern", "regex", "test_operator", "variable_name"),
        _Parts.add_plain,
    ),
}

_ORDER = ("", "file", "pipe", "computed", "decoded", "network")


def worst_origin(origins: Iterable[str]) -> str:
    """The most dangerous of several origins; `computed` if there is none."""
    return max(origins, key=_ORDER.index, default="computed")
