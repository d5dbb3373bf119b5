"""The edit commands: view, create, str_replace, insert, undo_edit."""

import errno
from contextlib import suppress

from anyio import to_thread
from msgspec import Struct

from cloche.errors import BinaryFile
from cloche.events import FileEditAction, FileEditObservation, FileReadObservation
from cloche.events.kinds.file import EDIT_REFUSED
from cloche.limits import DIFF_STEPS, EDIT_LIMIT
from cloche.runtime.actions import text_edits
from cloche.runtime.actions.edit_history import EditHistory
from cloche.runtime.actions.file_errors import explain_file_error
from cloche.runtime.actions.file_texts import decode_text, shorten_text
from cloche.runtime.actions.folder_listing import list_two_levels
from cloche.runtime.actions.text_edits import EditRefused
from cloche.runtime.machine import Machine
from cloche.sandbox.changes.line_diff import WorkBudget
from cloche.sandbox.changes.patch import unified_hunks

CLIPPED = (
    "Due to the max output limit, only part of this file has been shown to you. View the lines that you need with "
    "`view_range`; `grep -n` finds their numbers."
)


class _Change(Struct, frozen=True):
    old: str | None
    new: str | None
    said: str
    undone: bool = False
    """Whether it undoes an edit, and is not recorded itself."""


class FileEditor:
    """Edits files of a machine, and remembers their earlier contents."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._history = EditHistory()

    async def edit(self, action: FileEditAction, path: str) -> FileEditObservation | FileReadObservation:
        """Make one edit and describe what changed; if it fails, the observation says so."""
        if action.command == "view":
            return await self.view(path, None)
        try:
            return await self._make(path, await self._change(action, path))
        except EditRefused as error:
            why = str(error)
        except (OSError, BinaryFile) as error:
            why = _explain_edit(error, "edit", path)
        return FileEditObservation(f"{EDIT_REFUSED}{why}", path, prev_exist=True)

    async def view(self, path: str, view_range: list[int] | None) -> FileReadObservation:
        """A file with numbered lines, or the contents of a folder."""
        try:
            said = await self._view(path, view_range)
        except EditRefused as error:
            said = f"{EDIT_REFUSED}{error}"
        except (OSError, BinaryFile) as error:
            said = f"{EDIT_REFUSED}{_explain_edit(error, 'view', path)}"
        return FileReadObservation(said, path, "oh_aci")

    async def _view(self, path: str, view_range: list[int] | None) -> str:
        try:
            text = await self._text(path)
        except IsADirectoryError:
            if view_range is not None:
                raise EditRefused(text_edits.FOLDER_RANGE) from None
            return await list_two_levels(self._machine, path)
        return text_edits.describe_view(path, shorten_text(text_edits.view_lines(text, view_range, path), CLIPPED))

    async def _change(self, action: FileEditAction, path: str) -> _Change:
        match action.command:
            case "create":
                return await self._create(action, path)
            case "str_replace":
                return await self._replace(action, path)
            case "insert":
                return await self._insert(action, path)
            case "undo_edit":
                return await self._undo(path)
            case other:
                raise EditRefused(text_edits.UNKNOWN.format(other))

    async def _create(self, action: FileEditAction, path: str) -> _Change:
        text_edits.require_argument("create", file_text=action.file_text)
        if await self._exists(path):
            raise EditRefused(text_edits.EXISTS.format(path))
        return _Change(None, action.file_text or "", text_edits.CREATED.format(path))

    async def _replace(self, action: FileEditAction, path: str) -> _Change:
        text_edits.require_argument("str_replace", old_str=action.old_str)
        text = await self._text(path)
        new = text_edits.replace_once(text, action.old_str or "", action.new_str or "", path)
        return _Change(text, new, text_edits.EDITED.format(path))

    async def _insert(self, action: FileEditAction, path: str) -> _Change:
        text_edits.require_argument("insert", insert_line=action.insert_line, new_str=action.new_str)
        text = await self._text(path)
        new = text_edits.insert_lines(text, action.insert_line or 0, action.new_str or "", path)
        return _Change(text, new, text_edits.EDITED.format(path))

    async def _undo(self, path: str) -> _Change:
        if path not in self._history:
            raise EditRefused(text_edits.NO_HISTORY.format(path))
        old = await self._text(path) if await self._exists(path) else None
        return _Change(old, self._history.last(path), text_edits.UNDONE.format(path), undone=True)

    async def _make(self, path: str, change: _Change) -> FileEditObservation:
        if change.new is not None:
            await self._write(path, change.old, change.new)
        elif change.old is not None:
            await self._machine.remove(path, recursive=False)
        if change.undone:
            self._history.forget_last(path)
        else:
            self._history.remember(path, change.old)
        said = change.said
        if change.old is not None and change.new is not None:
            said = text_edits.describe_edit(
                said, path, shorten_text(text_edits.edit_snippet(change.old, change.new), CLIPPED)
            )
        work = WorkBudget(DIFF_STEPS)
        return FileEditObservation(
            said,
            path,
            prev_exist=change.old is not None,
            old_content=change.old,
            new_content=change.new,
            diff=await to_thread.run_sync(unified_hunks, path, change.old or "", change.new or "", work),
        )

    async def _write(self, path: str, old: str | None, new: str) -> None:
        try:
            await self._machine.write(path, new.encode())
        except OSError:
            # On a full disk the file may be truncated now; its earlier contents did fit.
            if old is not None:
                with suppress(OSError):
                    await self._machine.write(path, old.encode())
            raise

    async def _text(self, path: str) -> str:
        return decode_text(await self._machine.read(path, EDIT_LIMIT), path)

    async def _exists(self, path: str) -> bool:
        try:
            await self._machine.read(path, 0)
        except FileNotFoundError:
            return False
        except OSError as error:
            if isinstance(error, IsADirectoryError) or error.errno == errno.EFBIG:
                return True
            raise
        return True


def _explain_edit(error: OSError | BinaryFile, kind: str, path: str) -> str:
    if isinstance(error, FileNotFoundError):
        return text_edits.NOT_THERE.format(path)
    return explain_file_error(error, kind, path)
