"""bash in a tmux, driven as agents drive it: libtmux sends the keys and reads the pane until the end shows."""

import asyncio
import importlib
import importlib.metadata
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.drivers.base import Peer, Session

LOOK = 0.01
"""Seconds between two looks at a pane; the drivers of agents take 0.02 to 0.5."""
LOOKS = 500
"""Looks at a pane before a command is given up."""
# Loaded by name: it is installed for this driver only, and types are checked without it.
Server: Any = importlib.import_module("libtmux").Server


class Pane(Session):
    """Has a shell only."""

    def __init__(self, server: Any, pane: Any, folder: tempfile.TemporaryDirectory[str]) -> None:
        self._server = server
        self._pane = pane
        self._folder = folder
        self._number = 0

    async def bash(self, command: str) -> str:
        self._number += 1
        self._pane.send_keys(f"clear; {command}; echo end-$(({self._number}))-$?")
        end = f"end-{self._number}-"
        for _ in range(LOOKS):
            lines: list[str] = self._pane.capture_pane()
            found = [number for number, line in enumerate(lines) if line.startswith(end)]
            if found:
                return "\n".join(lines[: found[0]])
            await asyncio.sleep(LOOK)
        raise TimeoutError("tmux did not show the end of the command")

    async def value(self, expression: str) -> str:
        raise NotImplementedError("it has a shell only")

    async def printed(self, code: str) -> int:
        raise NotImplementedError("it has a shell only")

    async def stopped(self, code: str, seconds: float) -> Session:
        raise NotImplementedError("it has a shell only")

    async def close(self) -> None:
        self._server.kill()
        self._folder.cleanup()


class Tmux(Peer):
    async def open(self) -> Session:
        folder = tempfile.TemporaryDirectory(prefix="bench-tmux-")
        server = Server(socket_path=Path(folder.name, "socket"), config_file="/dev/null")
        session = server.new_session(x=200, y=50, window_command="bash --norc")
        return Pane(server, session.active_window.active_pane, folder)

    def version(self) -> str:
        return importlib.metadata.version("libtmux")


PEER = Tmux()
