"""Names of files that come from elsewhere: which are taken, and what is changed in them."""

import re
import unicodedata

from cloche.server.files.paths import LONGEST

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Control characters, and those that make a name look like another one."""
_DRIVE = re.compile(r"[A-Za-z]:")
LONGEST_PART = 255
"""Bytes of one name that file systems take."""


def clean_name(given: str) -> str:
    """The path in the folder of an upload; raises ValueError if it leads out of it, or if nothing is left of it."""
    path = unicodedata.normalize("NFC", given).replace("\\", "/")
    parts = [_UNSEEN.sub("", part).strip() for part in path.split("/")]
    if len(parts) > 1 and (not parts[0] or _DRIVE.fullmatch(parts[0])):
        raise ValueError("its name is an absolute path")
    if ".." in parts:
        raise ValueError("its name leads out of the folder")
    kept = [_shorten(part) for part in parts if part not in ("", ".")]
    if not kept:
        raise ValueError("it has no name")
    if len(name := "/".join(kept)) > LONGEST:
        raise ValueError(f"its name has more than {LONGEST} characters")
    return name


def _shorten(part: str) -> str:
    """A name that is short enough, with its ending."""
    if len(part.encode()) <= LONGEST_PART:
        return part
    stem, dot, ending = part.rpartition(".")
    tail = f".{ending}" if dot and stem and len(ending.encode()) < LONGEST_PART // 4 else ""
    room = LONGEST_PART - len(tail.encode())
    return (stem if tail else part).encode()[:room].decode(errors="ignore").rstrip() + tail
