"""Text in files: decoded, shortened, spliced, or shown as a data URL."""

import base64

from cloche.errors import BinaryFile
from cloche.limits import SHOWN_CHARACTERS
from cloche.runtime.actions.text_edits import match_line_ends, split_lines, whole_lines

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


def decode_text(data: bytes, path: str) -> str:
    """The text of a file; raises BinaryFile if it is not text."""
    try:
        if b"\0" not in data[:_LOOKED_AT]:
            return data.decode()
    except UnicodeDecodeError:
        pass
    raise BinaryFile(f"{path} is not a text file in UTF-8: read it with a command, such as `xxd` or `file`.")


def shorten_text(text: str, note: str) -> str:
    """The head and the tail of a text that is too long, with a note between them."""
    if len(text) <= SHOWN_CHARACTERS:
        return text
    half = SHOWN_CHARACTERS // 2
    return f"{text[:half]}\n[... {note} ...]\n{text[-half:]}"


def cut_lines(text: str, start: int, end: int) -> str:
    """The lines from `start` up to, not including, `end`; -1 for all that follow."""
    if start <= 0 and end == -1:
        return text
    return "".join(split_lines(text)[max(start, 0) : None if end == -1 else end])


def splice_lines(text: str, new: str, start: int, end: int) -> str:
    """The text with the lines from `start` up to `end` replaced."""
    lines = split_lines(text)
    before, after = "".join(lines[: max(start, 0)]), "" if end == -1 else "".join(lines[end:])
    if new and not new.endswith("\n") and end != -1:
        new += "\n"
    return whole_lines(before, text) + match_line_ends(text, new) + after


def data_url(kind: str, data: bytes) -> str:
    """The bytes as a data URL."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
