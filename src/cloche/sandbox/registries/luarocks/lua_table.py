"""Parses the part of Lua used by rockspecs and manifests: values, tables, and names for them."""

import re
from typing import Any, cast

LENGTH = 1 << 20
"""The most characters of a rockspec."""

DEPTH = 60
"""The most nested tables."""

_TOKEN = re.compile(
    r"""\s+|--\[(?P<level>=*)\[.*?\](?P=level)\]|--[^\n]*
    |(?P<long>\[(?P<eq>=*)\[(?P<body>.*?)\](?P=eq)\])
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>\.\.|[{}\[\]=,;().\-:+*/%\#])""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(z\s*|x[0-9a-fA-F]{2}|\d{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "\n"}
Token = tuple[str, str]


class NotPlainData(ValueError):
    """The file is a program and not only data."""


def read_assignments(text: str) -> dict[str, Any]:
    """The values of all assigned names; a table is a dict, its list counts from 1."""
    return _Reader(_split_tokens(text)).assignments()


def read_entry(text: str, name: str) -> Any:
    """The value of a name in a table, somewhere in a large text; None if it has none."""
    found = re.search(rf"""(?:\[\s*["']{re.escape(name)}["']\s*\]|(?<![\w"']){re.escape(name)})\s*=\s*(?=\{{)""", text)
    if not found:
        return None
    return _Reader(_split_tokens(text[found.end() : found.end() + LENGTH], partial=True)).value(0)


def as_table(value: Any) -> dict[Any, Any]:
    """A value that should be a table; an empty one if it is not."""
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The list part of a table."""
    known = as_table(value)
    found: list[Any] = []
    while len(found) + 1 in known:
        found.append(known[len(found) + 1])
    return found


def _split_tokens(text: str, *, partial: bool = False) -> list[Token]:
    if len(text) > LENGTH:
        raise NotPlainData("it is too long")
    found: list[Token] = []
    at, depth = 0, 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if not token:
            raise NotPlainData(f"{text[at : at + 20]!r} is not understood")
        at = token.end()
        kind = token.lastgroup or ""
        if token["long"] is not None:
            found.append(("string", token["body"].removeprefix("\n")))
        elif token["string"] is not None:
            found.append(("string", _ESCAPE.sub(_unescape_match, token["string"][1:-1])))
        elif kind in ("number", "name", "sign"):
            found.append((kind, token[0]))
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if partial and depth == 0:
                break
    return found


def _unescape_match(found: "re.Match[str]") -> str:
    code = found[1]
    if code[0] == "z":
        return ""
    if code[0] == "x":
        return chr(int(code[1:], 16))
    return chr(int(code)) if code.isdigit() else _ESCAPES.get(code, code)


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._names: dict[str, Any] = {"true": True, "false": False, "nil": None}

    def assignments(self) -> dict[str, Any]:
        while self._at < len(self._tokens):
            if self._take("sign", ";"):
                continue
            self._take("name", "local")
            kind, name = self._next()
            if kind != "name" or not self._take("sign", "="):
                raise NotPlainData(f"{name!r} begins something else than an assignment")
            self._names[name] = self.value(0)
        return self._names

    def value(self, depth: int) -> Any:
        result = self._simple(depth)
        while self._take("sign", ".."):
            other = self._simple(depth)
            if not isinstance(result, str | int | float) or not isinstance(other, str | int | float):
                raise NotPlainData("something is joined that is no text")
            result = f"{result}{other}"
            if len(result) > LENGTH:
                raise NotPlainData("it is too long")
        return result

    def _simple(self, depth: int) -> Any:
        if depth > DEPTH:
            raise NotPlainData("its tables are nested too deep")
        kind, text = self._next()
        match kind, text:
            case "string", _:
                return text
            case "number", _:
                return (
                    int(text, 16)
                    if text[:2].lower() == "0x"
                    else float(text)
                    if re.search(r"[.eE]", text)
                    else int(text)
                )
            case "sign", "{":
                return self._table(depth + 1)
            case "sign", "-":
                number = self._simple(depth + 1)
                if isinstance(number, int | float):
                    return -number
            case "name", _ if text in self._names and not self._is("sign", "("):
                return self._names[text]
            case _:
                pass
        raise NotPlainData(f"{text!r} is not only data")

    def _table(self, depth: int) -> dict[Any, Any]:
        table: dict[Any, Any] = {}
        last = 0
        while not self._take("sign", "}"):
            key = self._key(depth)
            if key is None:
                last += 1
                key = last
            table[key] = self.value(depth)
            if not (self._take("sign", ",") or self._take("sign", ";")) and not self._is("sign", "}"):
                raise NotPlainData("a table does not end")
        return table

    def _key(self, depth: int) -> Any:
        if self._take("sign", "["):
            key = self.value(depth)
            if not isinstance(key, str | int | float) or not self._take("sign", "]") or not self._take("sign", "="):
                raise NotPlainData("a key of a table is not understood")
            return key
        following = self._tokens[self._at + 1 : self._at + 2]
        if self._at < len(self._tokens) and self._tokens[self._at][0] == "name" and following == [("sign", "=")]:
            self._at += 2
            return self._tokens[self._at - 2][1]
        return None

    def _next(self) -> Token:
        if self._at >= len(self._tokens):
            raise NotPlainData("it ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _is(self, kind: str, text: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at] == (kind, text)

    def _take(self, kind: str, text: str) -> bool:
        found = self._is(kind, text)
        self._at += found
        return found
