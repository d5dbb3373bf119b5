"""Text in files: decoded, numbered, spliced, or shown as a data URL."""

import base64

from cloche.errors import BinaryFile

PICTURES = {
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".mp4": "video/mp4",
    ".ogg": "video/ogg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".webm": "video/webm",
    ".webp": "image/webp",
}
"""Endings of files that are read as data URLs, and the types they have there."""
_LOOKED_AT = 8192


def decode(data: bytes, path: str) -> str:
    """The text of a file; BinaryFile if it holds none."""
    try:
        if b"\0" not in data[:_LOOKED_AT]:
            return data.decode()
    except UnicodeDecodeError:
        pass
    raise BinaryFile(f"{path} is not a text file in UTF-8: read it with a command, such as `xxd` or `file`.")


def numbered(text: str, first: int, last: int) -> str:
    """The lines from `first` to `last` with their numbers, as `cat -n` prints them."""
    lines = text.splitlines()[first - 1 : last]
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def cut(text: str, start: int, end: int) -> str:
    """The lines from `start` up to, not including, `end`; -1 for all that follow."""
    if start <= 0 and end == -1:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(lines[max(start, 0) : None if end == -1 else end])


def splice(text: str, new: str, start: int, end: int) -> str:
    """The text with the lines from `start` up to `end` replaced."""
    lines = text.splitlines(keepends=True)
    if new and not new.endswith("\n") and end != -1:
        new += "\n"
    return "".join(lines[: max(start, 0)]) + new + ("" if end == -1 else "".join(lines[end:]))


def data_url(kind: str, data: bytes) -> str:
    """The bytes as an address that holds them."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
