"""Writes plain values as TOML."""

from typing import Any

from cloche.config.plain_values import is_list, is_table
from cloche.config.wording import format_key, quote_value

_WIDTH = 100
"""The most characters of a list on one line."""


def to_toml(value: Any) -> str:
    """A value as TOML writes it after `=`."""
    if isinstance(value, str):
        return quote_value(value)
    if isinstance(value, bool):
        return str(value).lower()
    if is_table(value):
        inner = ", ".join(f"{format_key(name)} = {to_toml(each)}" for name, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if is_list(value):
        parts = [to_toml(each) for each in value]
        short = f"[{', '.join(parts)}]"
        return short if len(short) <= _WIDTH else "[\n" + "".join(f"    {part},\n" for part in parts) + "]"
    return repr(value)
