"""Saves images that the code shows to files."""

import binascii
from base64 import b64decode
from pathlib import Path
from typing import Any

_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg", "image/gif": "gif", "image/webp": "webp"}

LIMIT = 200
"""The most images saved of one cell."""


class ShownImages:
    """Saves images in a folder as cloche-1.png, cloche-2.svg and so on; existing files are never touched."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._next = 1
        self._left = LIMIT

    def begin(self) -> None:
        """Start a cell, which may save as many as any other."""
        self._left = LIMIT

    def save(self, data: dict[str, Any]) -> str | None:
        """Save the image of a display; returns a note of where, or of why not, None if it has no image."""
        found = next(((ending, data[mime]) for mime, ending in _ENDINGS.items() if mime in data), None)
        if found is None:
            return None
        if self._left == 0:
            return f"not saved: over {LIMIT} images in one cell"
        self._left -= 1
        ending, content = found
        try:
            return self._write(ending, _decode_image(ending, content))
        except ValueError:
            return "not saved: the image cannot be read"
        except OSError as error:
            return f"not saved: {error.strerror or error}"

    def _write(self, ending: str, content: bytes) -> str:
        while True:
            path = self._folder / f"cloche-{self._next}.{ending}"
            self._next += 1
            try:
                with path.open("xb") as file:
                    file.write(content)
            except FileExistsError:
                continue
            return f"saved as {path}"


def _decode_image(ending: str, content: object) -> bytes:
    text = "".join(map(str, content)) if isinstance(content, list) else content  # pyright: ignore[reportUnknownArgumentType] - anything may come from the sandbox
    if not isinstance(text, str):
        raise ValueError("not text")
    if ending == "svg":
        return text.encode("utf-8", "replace")
    try:
        return b64decode("".join(text.split()), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
