"""One temporary folder per process, removed when the process ends, however it ends.

A small shell waits for the end of a pipe that only this process holds open, and then removes the folder, even after a
SIGKILL. Normally the folder is removed at exit and the shell finds nothing left to do.
"""

import atexit
import logging
import os
import stat
import subprocess
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

from anyio import CancelScope, to_thread

from cloche.paths.beneath import OpenFolder
from cloche.sandbox.files.tree_copy import remove_tree

ATTEMPTS = 3
PAUSE = 0.05
"""Seconds between attempts: a sandbox that is dying may write while its folder is removed."""

GRACE = 2.0
"""Seconds the shell may take to find that nothing is left to do."""

# Only folders are unlocked: a file may be a hard link to one that is not ours.
_SCRIPT = """
trap '' HUP INT QUIT TERM TSTP
cd /
read -r line
tries=0
while [ -e "$1" ] && [ "$tries" -lt 300 ]; do
  rm -rf -- "$1" || { find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \\; ; rm -rf -- "$1"; } || sleep 0.2
  tries=$((tries + 1))
done
"""

_log = logging.getLogger(__name__)


LONGEST = 78
"""Characters of a temporary folder's path that leave room for a socket's: the system allows 107 in all."""


def _choose_folder(folder: str) -> Path:
    chosen, usual = Path(folder).resolve(), Path("/tmp")
    # Deno takes lists of paths with commas.
    unusable = len(str(chosen)) > LONGEST or "," in str(chosen)
    return usual if unusable and usual.is_dir() and os.access(usual, os.W_OK) else chosen


class _ScratchFolder:
    """The folder of this process and the shell that watches over it."""

    def __init__(self) -> None:
        import tempfile  # noqa: PLC0415 - costs more than all else here, and is only needed with a sandbox

        self.path = _choose_folder(tempfile.gettempdir()) / f"cloche-{os.urandom(4).hex()}"
        self._numbers = count(1)
        self._pipe: int | None = None
        self._shell: subprocess.Popen[bytes] | None = None
        self.watch()
        try:
            self.path.mkdir(mode=0o700)
        except BaseException:
            self.close()
            raise

    def watch(self) -> None:
        """Start the shell unless it runs; if it cannot be started now, the next sandbox tries again."""
        if self._pipe is not None or os.name != "posix":
            return
        try:
            read, write = os.pipe()
        except OSError as error:
            _log.warning("no shell to clean up after a crash, yet: %s", error)
            return
        try:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "cloche-reaper", str(self.path)],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", os.defpath)},
                start_new_session=True,
            )
            self._pipe = write
        except OSError as error:
            os.close(write)
            _log.warning("no shell to clean up after a crash, yet: %s", error)
        finally:
            os.close(read)

    def new(self, purpose: str) -> Path:
        """Create a folder in it."""
        path = self.path / f"{next(self._numbers)}{purpose and '-'}{purpose}"
        path.mkdir(mode=0o700)
        return path

    def close(self) -> None:
        """Remove everything and end the shell."""
        remove_scratch(self.path)
        self._release()
        if self._shell is not None:
            with suppress(subprocess.TimeoutExpired):
                self._shell.wait(GRACE)
        self.forget()

    def forget(self) -> None:
        """Leave the rest to the shell, without a warning that it is still running."""
        self._release()
        if self._shell is not None:
            self._shell.returncode = 0

    def _release(self) -> None:
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            os.close(pipe)


class _ProcessState:
    """What this process has created so far."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.base: _ScratchFolder | None = None
        self.hooked = False


_state = _ProcessState()


def make_scratch(purpose: str = "") -> Path:
    """Create a private folder for one sandbox, or for `purpose`; it is removed when this process ends."""
    with _state.lock:
        _watch_exit()
        if _state.base is not None and not _state.base.path.is_dir():
            # Systems clear old files from their temporary folder.
            _close_base()
        if _state.base is None:
            _state.base = _ScratchFolder()
        else:
            _state.base.watch()
        return _state.base.new(purpose)


@asynccontextmanager
async def open_scratch(purpose: str) -> AsyncGenerator[Path]:
    """A private folder until the end of the block; its name ends with the purpose."""
    folder = await to_thread.run_sync(make_scratch, purpose)
    try:
        yield folder
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(remove_scratch, folder)


def remove_scratch(path: str | Path) -> None:
    """Remove a folder now, with locked ones, without following links; what cannot be removed is left for the end."""
    for attempt in range(ATTEMPTS):
        if not os.path.lexists(path):
            return
        try:
            _remove_path(Path(path))
        except OSError as error:
            _log.debug("could not remove %s: %s", path, error)
            time.sleep(PAUSE * attempt)


def _remove_path(path: Path) -> None:
    parent = str(path.parent.resolve())
    with OpenFolder.at(parent, parent) as folder:
        if stat.S_ISDIR(folder.stat(path.name).st_mode):
            remove_tree(folder, path.name)
        else:
            folder.unlink(path.name)


def _watch_exit() -> None:
    if _state.hooked:
        return
    _state.hooked = True
    atexit.register(_close_base)
    if hasattr(os, "register_at_fork"):
        # The lock is held during a fork, so that the child never has a pipe that it does not know of.
        os.register_at_fork(
            before=lambda: _state.lock.acquire(),
            after_in_parent=lambda: _state.lock.release(),
            after_in_child=_after_fork,
        )


def _after_fork() -> None:
    _state.lock = threading.Lock()
    base, _state.base = _state.base, None
    if base is not None:
        base.forget()


def _close_base() -> None:
    base, _state.base = _state.base, None
    if base is not None:
        base.close()
