"""Removes quotes and escapes as bash does."""

import re

from cloche.security.facts.braces import Char

_DOUBLE = re.compile(r'\\([$`"\\\n])')
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}


def unescape_double(text: str) -> str:
    """The text inside double quotes."""
    return _DOUBLE.sub(lambda match: "" if match[1] == "\n" else match[1], text) if "\\" in text else text


def unescape_plain(text: str) -> list[Char]:
    """The characters of text outside quotes, and whether a backslash quotes them."""
    if "\\" not in text:
        return [(char, False) for char in text]
    found: list[Char] = []
    chars = iter(text)
    for char in chars:
        if char != "\\":
            found.append((char, False))
        elif (quoted := next(chars, "")) not in ("", "\n"):
            found.append((quoted, True))
    return found


def decode_ansi(text: str) -> str:
    """The text inside $'...'."""
    return _ANSI.sub(_decode_escape, text)


def _decode_escape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xuU" and len(code) > 1:
        return _to_char(int(code[1:], 16))
    if code[0] in "01234567":
        return _to_char(int(code, 8) & 0xFF)
    if code[0] == "c" and len(code) > 1:
        return chr(ord(code[1]) & 0x1F)
    return _LETTERS.get(code, code)


def _to_char(number: int) -> str:
    # A zero byte ends the string for bash; that it is there is strange enough to show.
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
