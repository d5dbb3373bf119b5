"""The wording of messages about values, keys and sections of the configuration."""

import datetime
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Meta

from cloche.config.secret import Secret, mask_address

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SHOWN = 60
"""Characters of a wrong value that are shown."""

_KINDS: dict[Any, str] = {
    str: "text in quotes",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    tuple: "a list in [ ]",
    dict: "a table of names and values in quotes",
    Secret: "a key in quotes",
}


def quote_value(text: str) -> str:
    """A string as in TOML, without control characters."""
    escaped = "".join(_ESCAPES.get(char, char) for char in text)
    return '"' + _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped) + '"'


_ESCAPES = {**{chr(code): f"\\u{code:04x}" for code in range(32)}, '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def format_key(text: str) -> str:
    """A key as in TOML."""
    return text if _BARE.fullmatch(text) else quote_value(text)


def format_header(keys: Sequence[str]) -> str:
    """The header of a section."""
    return f"[{dotted_key(keys)}]"


def variable_name(*keys: str) -> str:
    """The environment variable of a key."""
    return "CLOCHE_" + "__".join(keys).upper()


def dotted_key(keys: Sequence[str]) -> str:
    """Section and key, joined by dots."""
    return ".".join(map(format_key, keys))


def guess_key(word: str, known: Iterable[str]) -> str:
    """The known word that is most like this one, or an empty string."""
    return next(iter(get_close_matches(word.lower(), known, n=1, cutoff=0.6)), "")


def suggest_word(word: str, known: Iterable[str]) -> str:
    """` Did you mean ...?` for a word that is like a known one."""
    near = guess_key(word, known)
    return f" Did you mean {near}?" if near else ""


def describe_type(kind: Any) -> str:
    """How a value of this type is written."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return next((meta.description for meta in args[1:] if isinstance(meta, Meta) and meta.description), "a value")
    if origin is Literal:
        return "one of " + ", ".join(quote_value(each) for each in args)
    if origin in (Union, UnionType):
        return describe_type(args[0])
    return _KINDS.get(origin or kind, "a table")


def describe_value(value: object) -> str:
    """A wrong value, as an error message shows it."""
    if isinstance(value, str):
        shown = mask_address(value) if "://" in value else value
        return quote_value(shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "...")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.12g}"
    if isinstance(value, datetime.date | datetime.time):
        return "a date or time"
    return "a list" if isinstance(value, list) else "a table"
