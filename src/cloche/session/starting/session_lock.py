"""A session runs in one process at a time."""

import os
from pathlib import Path
from typing import Self

from cloche.errors import SessionTaken

_HELD: set[str] = set()
"""Sessions of this process whose store has no folder."""


class SessionLock:
    """Held while a session runs; the system releases it when the process ends, however it ends."""

    def __init__(self, sid: str, root: Path | None) -> None:
        self._sid = sid
        self._path = None if root is None else root / "locks" / f"{sid}.lock"
        self._descriptor: int | None = None

    def take(self) -> Self:
        """Take it; raises SessionTaken if the session runs elsewhere."""
        if self._path is None:
            if self._sid in _HELD:
                raise SessionTaken(_describe(self._sid, "in this process"))
            _HELD.add(self._sid)
            return self
        try:
            self._descriptor = hold_file(self._path)
        except BlockingIOError as error:
            where = f"in the process {error.strerror}" if error.strerror else "elsewhere"
            raise SessionTaken(_describe(self._sid, where)) from None
        return self

    def discard(self) -> None:
        """Remove the file too: there is nothing left that others could want."""
        if self._path is not None and self._descriptor is not None:
            self._path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Let others have it; may be called twice."""
        if self._path is None:
            _HELD.discard(self._sid)
        elif self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def hold_file(path: Path) -> int:
    """Lock a file until the descriptor is closed; raises BlockingIOError with the number of the process that has it."""
    import fcntl  # noqa: PLC0415 - there is none on Windows

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise BlockingIOError(error.errno, owner) from None
        if os.fstat(descriptor).st_nlink:
            break
        # Its last holder has removed it meanwhile.
        os.close(descriptor)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def _describe(sid: str, where: str) -> str:
    return f"the session {sid} is already running {where}: use it there, or end it first"
