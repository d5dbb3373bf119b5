"""Keeps secrets out of the log: whatever masks the events of a session masks the log too."""

import threading
from typing import Protocol
from weakref import WeakSet


class Masks(Protocol):
    """Secrets that must not be shown."""

    def mask(self, text: str) -> str:
        """The text with the secrets masked."""
        ...


_MASKS: WeakSet[Masks] = WeakSet()
_CHANGING = threading.Lock()


def add_masks(masks: Masks) -> None:
    """Mask these secrets in all records, for as long as somebody holds the object."""
    with _CHANGING:
        _MASKS.add(masks)


def mask_text(text: str) -> str:
    """The text without the secrets of any session: a record may be written outside the session that it is about."""
    with _CHANGING:
        known = list(_MASKS)
    for masks in known:
        text = masks.mask(text)
    return text
