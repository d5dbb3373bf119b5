"""Records what the workspace of a session had at its beginning, and what each action changes there."""

import logging
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec
from anyio import to_thread
from msgspec import Struct

from cloche.errors import SessionError
from cloche.events import (
    Action,
    CmdRunAction,
    CopyToAction,
    EventStream,
    FileEditAction,
    FileStore,
    FileWriteAction,
    IPythonRunCellAction,
    MkdirAction,
    MoveAction,
    RmAction,
    RmdirAction,
    RunCodeAction,
)
from cloche.limits import MARK_LIMIT
from cloche.runtime import PyodideRuntime, Runtime
from cloche.runtime.machine import WORKSPACE
from cloche.sandbox.changes.compare import compare_with_mark
from cloche.sandbox.changes.content_store import ContentStore
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.mark import Mark, take_mark
from cloche.sandbox.changes.stored_marks import StoredMark
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.files.scratch import open_scratch

log = logging.getLogger(__name__)

BEGINNING = "what the workspace of this session had at its beginning"
CHANGING = (
    CmdRunAction,
    CopyToAction,
    FileEditAction,
    FileWriteAction,
    IPythonRunCellAction,
    MkdirAction,
    MoveAction,
    RmAction,
    RmdirAction,
    RunCodeAction,
)
"""The actions that may change files of the workspace."""


class ChangesWanted(Struct, frozen=True, kw_only=True):
    """What of a session's changes is recorded."""

    folder: Path | None
    """Where the beginning is kept; None for a temporary folder."""
    kept: bool
    """Whether the files of an earlier start are there, or of the session that this one was forked from."""
    begun: bool
    """Whether the session was started before."""
    actions: bool
    """Whether what each action changes is recorded too."""


class ChangeRecorder:
    """Compares the workspace with what it was."""

    def __init__(self, files: GuestFiles, folder: Path, scratch: Path) -> None:
        self._files = files
        self._beginning = folder / "beginning"
        self._contents = folder / "contents"
        self._earlier = scratch / "earlier"
        self._store = ContentStore(self._earlier)
        self._last: Mark | None = None

    async def begin(self, *, anew: bool) -> None:
        """Keep what is there now as the beginning; without `anew` only if none is kept."""
        await to_thread.run_sync(self._begin, anew)

    async def diff(self) -> Diff:
        """What has changed since the beginning; raises SessionError if that is not known."""
        return await to_thread.run_sync(self._diff)

    async def mark(self) -> Mark:
        """What is there now, for `diff_since`; files that are as they were last time are not read again."""
        return await to_thread.run_sync(self._mark)

    async def diff_since(self, mark: Mark) -> Diff:
        """What has changed since a mark."""
        return await to_thread.run_sync(self._diff_since, mark)

    def _begin(self, anew: bool) -> None:
        if not anew and self._beginning.exists():
            return
        self._contents.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._contents.unlink(missing_ok=True)
        store = ContentStore(self._contents)
        with self._files.enter(WORKSPACE) as top:
            mark = take_mark(top, WORKSPACE, store)
        fresh = self._beginning.with_suffix(".new")
        fresh.write_bytes(msgspec.msgpack.encode(StoredMark(mark, store.places)))
        fresh.replace(self._beginning)

    def _diff(self) -> Diff:
        try:
            stored = msgspec.msgpack.decode(self._beginning.read_bytes(), type=StoredMark)
        except FileNotFoundError:
            raise SessionError(f"{BEGINNING} was not recorded: `[server] track_changes` was off then") from None
        except (msgspec.DecodeError, OSError) as error:
            raise SessionError(f"{BEGINNING} is damaged: {error}") from error
        with self._files.enter(WORKSPACE) as top:
            return compare_with_mark(stored.mark, top, ContentStore(self._contents, stored.places))

    def _mark(self) -> Mark:
        if self._store.size > MARK_LIMIT // 2:
            # What was kept for earlier actions is not needed any more.
            self._earlier.unlink(missing_ok=True)
            self._store, self._last = ContentStore(self._earlier), None
        with self._files.enter(WORKSPACE) as top:
            self._last = take_mark(top, WORKSPACE, self._store, known=self._last)
        return self._last

    def _diff_since(self, mark: Mark) -> Diff:
        with self._files.enter(WORKSPACE) as top:
            return compare_with_mark(mark, top, self._store)


@asynccontextmanager
async def open_recorder(runtime: Runtime, wanted: ChangesWanted) -> AsyncGenerator[ChangeRecorder | None]:
    """A recorder of a runtime's workspace until the end of the block; None if its files are elsewhere."""
    box = runtime.box if isinstance(runtime, PyodideRuntime) else None
    if box is None:
        yield None
        return
    async with AsyncExitStack() as stack:
        folder, scratch = wanted.folder, wanted.folder
        if folder is None or wanted.actions:
            scratch = await stack.enter_async_context(open_scratch("changes"))
        assert scratch is not None, "there is one if there is no other"
        recorder = ChangeRecorder(box.host_files, folder or scratch, scratch)
        if not wanted.kept or not wanted.begun:
            try:
                await recorder.begin(anew=not wanted.kept)
            except OSError as error:
                # The session goes on; only its diff cannot be had.
                log.warning("the beginning of the workspace could not be recorded: %s", error)
        yield recorder


def find_changes(stream: EventStream) -> Path | None:
    """Where the beginning of a session is kept: with its other files, which go with it. None if nothing is kept."""
    return stream.files.root / "sessions" / stream.sid / "changes" if isinstance(stream.files, FileStore) else None


def copy_beginning(folder: Path | None, to: Path | None) -> None:
    """Give another session the same beginning; blocks."""
    if folder is None or to is None or not folder.is_dir():
        return
    to.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in folder.iterdir():
        # Never changed in place, so that two sessions can have the same.
        try:
            (to / file.name).hardlink_to(file)
        except OSError:
            shutil.copyfile(file, to / file.name)


def may_change(action: Action) -> bool:
    """Whether an action may change files of the workspace."""
    return isinstance(action, CHANGING)
