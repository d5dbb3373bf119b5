"""How much of the disk the sessions of each user take, and what is refused when that is too much."""

import logging
import math
import time

import anyio
from anyio import to_thread

from cloche.errors import ClocheError, ConfigError, DiskLimit
from cloche.events import (
    Action,
    CmdRunAction,
    ErrorObservation,
    FileEditAction,
    FileWriteAction,
    IPythonRunCellAction,
    MkdirAction,
    RunCodeAction,
    SandboxCallAction,
    Store,
)
from cloche.limits import MB, SERVER_MEASURED
from cloche.runtime.codes import NO_ROOM
from cloche.security import Fact, read_action
from cloche.session.hosting.records import read_details
from cloche.session.hosting.workspaces import Workspaces

log = logging.getLogger(__name__)

SHARE = 0.05
"""The part of the time that measuring may take: large workspaces are measured less often."""
PATIENCE = 1.0
"""Seconds for which a measurement holds by which an action is refused: files may have been removed meanwhile."""
WRITING = (CmdRunAction, FileEditAction, FileWriteAction, IPythonRunCellAction, MkdirAction, RunCodeAction)
"""Actions that may need room, as some calls of clients may; all others read, remove, or have no files."""
BRINGING = frozenset({"write", "mkdir", "upload"})
"""Calls of clients that bring something in."""
FREEING = frozenset({"rm", "rmdir", "unlink", "ls", "du", "df", "find", "pwd", "cd"})
"""Commands that are executed although there is no room."""


class DiskUse:
    """Measures the files of users: when files are brought in, when a session starts, and after actions."""

    def __init__(self, store: Store, workspaces: Workspaces | None, most_mb: float) -> None:
        """Without `workspaces`, no files are kept that could be too many."""
        self._store = store
        self._workspaces = workspaces
        self._most = int(most_mb * MB)
        self._known: dict[str, _Measured] = {}
        self._due: set[str] = set()
        """Users whose files are to be measured again."""
        self._news = anyio.Event()

    async def find_room(self, owner: str) -> int:
        """How many bytes this user may still bring in; raises DiskLimit if there is no room at all."""
        await self._look(owner, SERVER_MEASURED)
        self._check(owner)
        return self._most - self._known[owner].size

    async def demand_room(self, owner: str) -> None:
        """Raise DiskLimit if there is no room for this user, as far as that is known already."""
        known = self._known.get(owner)
        if known is not None and known.size >= self._most:
            await self._look(owner, PATIENCE)
            self._check(owner)

    async def refuse(self, owner: str, action: Action) -> ErrorObservation | None:
        """The observation of an action for which there is no room; None if it may be executed."""
        try:
            await self.demand_room(owner)
        except DiskLimit as error:
            text = (
                f"`{action.kind}` was not executed: {error}. Actions that read or remove files are executed, and "
                "commands that do nothing else, such as `rm`."
            )
            return ErrorObservation(text, NO_ROOM) if may_write(action) else None
        return None

    def add(self, owner: str, size: int) -> None:
        """Count what was brought in."""
        if owner in self._known:
            self._known[owner].size += size

    def look_soon(self, owner: str) -> None:
        """Have the files of a user measured in the background, once the last measurement is old."""
        self._due.add(owner)
        self._news.set()

    async def run(self) -> None:
        """Measure what is due, until cancelled."""
        while True:
            self._news = anyio.Event()
            first = min(map(self._find_time, self._due), default=math.inf)
            with anyio.move_on_after(first - time.monotonic()):
                await self._news.wait()
            for owner in [each for each in self._due if self._find_time(each) <= time.monotonic()]:
                # Before the look: what happens meanwhile needs another one.
                self._due.discard(owner)
                try:
                    await self._look(owner, 0.0)
                except (ClocheError, OSError) as error:
                    log.warning("the files of %s could not be measured: %s", owner or "the owner", error)

    def _find_time(self, owner: str) -> float:
        """From when on the files of a user are measured again."""
        known = self._known.get(owner)
        return 0.0 if known is None else known.since + known.holds

    def _check(self, owner: str) -> None:
        size = self._known[owner].size
        if size >= self._most:
            raise DiskLimit(
                f"the files of your sessions take {size / MB:.1f} MB of {self._most / MB:.1f} MB. Remove files or "
                "delete sessions, or ask the owner of the server for more ([server] disk_mb)"
            )

    async def _look(self, owner: str, holds: float) -> None:
        """Measure, unless that was done within so many seconds."""
        known, began = self._known.get(owner), time.monotonic()
        if known is None or began - known.since >= holds:
            size = await self._measure(owner)
            self._known[owner] = _Measured(size, time.monotonic() - began)

    async def _measure(self, owner: str) -> int:
        if self._workspaces is None:
            return 0
        infos = await self._store.sessions({"owner": owner or None})
        names = [name for info in infos if (name := read_details(info).workspace) is not None]
        return await to_thread.run_sync(self._workspaces.measure, names)


class _Measured:
    def __init__(self, size: int, took: float) -> None:
        self.size = size
        self.since = time.monotonic()
        self.holds = max(SERVER_MEASURED, took / SHARE)


def may_write(action: Action) -> bool:
    """Whether an action may need room on the disk."""
    match action:
        case FileEditAction(command="view"):
            return False
        case SandboxCallAction(verb=verb):
            return verb in BRINGING
        case CmdRunAction(is_input=True):
            return False
        case CmdRunAction():
            return not _only_frees(action)
        case _:
            return isinstance(action, WRITING)


def _only_frees(action: CmdRunAction) -> bool:
    """Whether a command does nothing but look at files and remove them."""
    try:
        return all(map(_frees, read_action(action)))
    except ConfigError:
        # What reads bash is not installed.
        return False


def _frees(fact: Fact) -> bool:
    if fact.kind == "command":
        return fact.value in FREEING
    return fact.kind == "action" or (fact.kind == "file" and fact.access != "write")
