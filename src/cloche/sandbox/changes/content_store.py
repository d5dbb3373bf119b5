"""Earlier contents of files, stored once each in one file that only the host sees."""

import os
from pathlib import Path

from cloche.limits import MARK_LIMIT, MB
from cloche.sandbox.changes.patch import blob_id

BUFFER = 8 * MB
"""Bytes that are collected before they are written together."""


class ContentStore:
    """Appends contents and reads them back; contents beyond the limit are not kept."""

    def __init__(self, path: Path, places: dict[str, tuple[int, int]] | None = None) -> None:
        self._path = path
        self._places = places if places is not None else {}
        self._end = max((at + size for at, size in self._places.values()), default=0)
        self._pending: list[bytes] = []
        self._waiting = 0

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Start and length of each of the contents."""
        return self._places

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._end

    def keep(self, data: bytes) -> str | None:
        """Keep contents and return their name, or None if there is no room."""
        name = blob_id(data)
        if name in self._places:
            return name
        if self._end + len(data) > MARK_LIMIT:
            return None
        self._places[name] = (self._end, len(data))
        self._end += len(data)
        self._pending.append(data)
        self._waiting += len(data)
        if self._waiting > BUFFER:
            self.flush()
        return name

    def flush(self) -> None:
        """Write what is collected."""
        pending, self._pending = self._pending, []
        start, self._waiting = self._end - self._waiting, 0
        if not pending:
            return
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(fd, "wb") as file:
            file.seek(start)
            file.writelines(pending)

    def read(self, name: str) -> bytes:
        """The contents with this name."""
        self.flush()
        at, size = self._places[name]
        with self._path.open("rb") as file:
            file.seek(at)
            return file.read(size)
