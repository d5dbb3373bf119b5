"""One server for one data folder."""

import os
from pathlib import Path

from cloche.errors import ServerTaken
from cloche.session.starting.session_lock import hold_file

FILE = "server.lock"


class ServerLock:
    """Held while a server uses a folder; the system releases it when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take it; raises ServerTaken if another server has it."""
        try:
            self._descriptor = hold_file(self._folder / FILE)
        except BlockingIOError as error:
            who = f"the process {error.strerror}" if error.strerror else "another process"
            raise ServerTaken(
                f"{who} is already serving the sessions in {self._folder}: end it first, or give this server another "
                "folder, `[core] file_store_path`"
            ) from None

    def release(self) -> None:
        """Let another server have it; may be called twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
