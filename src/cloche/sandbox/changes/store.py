"""Contents of files as they were, kept once each in one file that only the host sees."""

import os
from pathlib import Path

from cloche.limits import MARK_LIMIT
from cloche.sandbox.changes.patch import blob_id


class Store:
    """Appends contents and reads them back; what goes beyond the limit is not kept."""

    def __init__(self, path: Path, places: dict[str, tuple[int, int]] | None = None) -> None:
        self._path = path
        self._places = places if places is not None else {}
        self._end = max((at + size for at, size in self._places.values()), default=0)

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Where each of the contents starts, and its length."""
        return self._places

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._end

    def keep(self, data: bytes) -> str | None:
        """Keeps contents and gives their name, or None if there is no room for them."""
        name = blob_id(data)
        if name in self._places:
            return name
        if self._end + len(data) > MARK_LIMIT:
            return None
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(fd, "wb") as file:
            file.seek(self._end)
            file.write(data)
        self._places[name] = (self._end, len(data))
        self._end += len(data)
        return name

    def read(self, name: str) -> bytes:
        """The contents of that name."""
        at, size = self._places[name]
        with self._path.open("rb") as file:
            file.seek(at)
            return file.read(size)
