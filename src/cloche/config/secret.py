"""Values that must not be shown, and what is shown instead."""

import re
from collections.abc import Iterable
from typing import Any

from cloche.config.plain_values import is_list, is_table

MASK = "********"

_USER = re.compile(r"(?<=//)[^/?#\s]*@")
_QUERY = re.compile(r"([?&])([^=&#\s]*=)?([^&#\s]+)")


class Secret:
    """A string that is printed as a mask; `reveal` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The string itself."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({MASK!r})"

    def __str__(self) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


def read_headers(lines: Iterable[str]) -> dict[str, str]:
    """The headers in lines such as "Name: value"; raises a ValueError that shows none of them if one is malformed."""
    pairs = [line.partition(":") for line in lines if line.strip()]
    if not pairs or not all(colon and name.strip() and value.strip() for name, colon, value in pairs):
        raise ValueError("is not a header, as in 'Authorization: Bearer ...'")
    return {name.strip(): value.strip() for name, _, value in pairs}


def mask_secrets(value: Any) -> Any:
    """The same value with secrets masked, also those in addresses."""
    if isinstance(value, Secret):
        return MASK
    if isinstance(value, str):
        return mask_address(value) if "://" in value else value
    if is_table(value):
        return {key: mask_secrets(each) for key, each in value.items()}
    return [mask_secrets(each) for each in value] if is_list(value) else value


def mask_address(address: str) -> str:
    """Without user, password and the values of the query: some servers take keys there."""
    return _QUERY.sub(lambda match: f"{match[1]}{match[2] or ''}{MASK}", _USER.sub(f"{MASK}@", address))
