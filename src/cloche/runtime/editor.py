"""The edit commands: view, create, str_replace, insert, undo_edit."""

import errno
from contextlib import suppress
from itertools import takewhile

from anyio import to_thread
from msgspec import Struct

from cloche.errors import BinaryFile
from cloche.events import FileEditAction, FileEditObservation, FileReadObservation
from cloche.events.observations import EDIT_REFUSED
from cloche.limits import DIFF_STEPS, EDIT_LIMIT
from cloche.runtime.history import History
from cloche.runtime.listing import two_levels
from cloche.runtime.machine import Machine
from cloche.runtime.reasons import explain
from cloche.runtime.texts import as_in, decode, numbered, split_lines, whole_lines
from cloche.sandbox.changes.lines import Work
from cloche.sandbox.changes.patch import unified

AROUND = 4
"""Lines shown before and after what was changed."""
TOLD = 10
"""Places of a text that are named if it is there more than once."""


class EditRefused(Exception):
    """The edit cannot be made; the text says why and what to do."""


class _Change(Struct, frozen=True):
    old: str | None
    new: str | None
    said: str
    undone: bool = False
    """Whether it takes an edit back, and is not to be remembered itself."""


class Editor:
    """Edits files of a machine, and remembers what they were."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._history = History()

    async def edit(self, action: FileEditAction, path: str) -> FileEditObservation | FileReadObservation:
        """Make one edit and tell what changed; one that cannot be made gives an observation that says so."""
        if action.command == "view":
            return await self.view(path, None)
        try:
            return await self._make(path, await self._change(action, path))
        except EditRefused as error:
            why = str(error)
        except (OSError, BinaryFile) as error:
            why = explain(error, "edit", path)
        return FileEditObservation(f"{EDIT_REFUSED}{why}", path, prev_exist=True)

    async def view(self, path: str, view_range: list[int] | None) -> FileReadObservation:
        """A file with numbered lines, or what lies in a folder."""
        try:
            said = await self._view(path, view_range)
        except EditRefused as error:
            said = f"{EDIT_REFUSED}{error}"
        except (OSError, BinaryFile) as error:
            said = f"{EDIT_REFUSED}{explain(error, 'view', path)}"
        return FileReadObservation(said, path, "oh_aci")

    async def _view(self, path: str, view_range: list[int] | None) -> str:
        try:
            lines = split_lines(await self._text(path))
        except IsADirectoryError:
            if view_range is not None:
                raise EditRefused(f"`view_range` is for files, and {path} is a folder: view it without.") from None
            return await two_levels(self._machine, path)
        first, last = _range(view_range, len(lines), path)
        return f"Here's the result of running `cat -n` on {path}:\n{numbered(lines[first - 1 : last], first)}\n"

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
                raise EditRefused(
                    f"The edit command {other!r} is not known. Use view, create, str_replace, insert or undo_edit."
                )

    async def _create(self, action: FileEditAction, path: str) -> _Change:
        if action.file_text is None:
            raise EditRefused("`create` needs `file_text`, the contents of the new file.")
        if await self._exists(path):
            raise EditRefused(f"{path} exists already, and `create` does not overwrite. Use `str_replace` or `insert`.")
        return _Change(None, action.file_text, f"File created successfully at: {path}")

    async def _replace(self, action: FileEditAction, path: str) -> _Change:
        if not action.old_str:
            raise EditRefused("`str_replace` needs `old_str`, the text to be replaced, which must not be empty.")
        if (action.new_str or "") == action.old_str:
            raise EditRefused("`old_str` and `new_str` are the same: nothing would change.")
        text = await self._text(path)
        old, new = as_in(text, action.old_str), as_in(text, action.new_str or "")
        found = text.count(old)
        if found == 0:
            raise EditRefused(
                f"No replacement was made: `old_str` does not appear in {path} exactly as given. "
                "View the file and copy the text, with its spaces and line breaks."
            )
        if found > 1:
            more = f" and {found - TOLD} more" if found > TOLD else ""
            raise EditRefused(
                f"No replacement was made: `old_str` appears {found} times in {path}, in lines "
                f"{', '.join(map(str, _lines_of(text, old)))}{more}. Add lines around it so that it is found once."
            )
        return _Change(text, text.replace(old, new, 1), f"The file {path} has been edited.")

    async def _insert(self, action: FileEditAction, path: str) -> _Change:
        if action.insert_line is None or action.new_str is None:
            raise EditRefused("`insert` needs `insert_line`, the line after which to insert, and `new_str`, the text.")
        text = await self._text(path)
        lines = split_lines(text)
        at = action.insert_line
        if not 0 <= at <= len(lines):
            raise EditRefused(
                f"`insert_line` is {at}, but {path} has {len(lines)} lines: give a number from 0 to {len(lines)}."
            )
        new = as_in(text, action.new_str if action.new_str.endswith("\n") else action.new_str + "\n")
        before, after = whole_lines("".join(lines[:at]), text), "".join(lines[at:])
        return _Change(text, before + new + after, f"The file {path} has been edited.")

    async def _undo(self, path: str) -> _Change:
        if path not in self._history:
            raise EditRefused(f"There is no edit of {path} to take back.")
        old = await self._text(path) if await self._exists(path) else None
        return _Change(old, self._history.last(path), f"Last edit to {path} undone successfully.", undone=True)

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
            shown = _snippet(change.old, change.new)
            said += f" Here's the result of running `cat -n` on a snippet of {path}:\n{shown}\n"
        work = Work(DIFF_STEPS)
        return FileEditObservation(
            said,
            path,
            prev_exist=change.old is not None,
            old_content=change.old,
            new_content=change.new,
            diff=await to_thread.run_sync(unified, path, change.old or "", change.new or "", work),
        )

    async def _write(self, path: str, old: str | None, new: str) -> None:
        try:
            await self._machine.write(path, new.encode())
        except OSError:
            # On a full disk the file may be cut off by now; what it was has been there before.
            if old is not None:
                with suppress(OSError):
                    await self._machine.write(path, old.encode())
            raise

    async def _text(self, path: str) -> str:
        return decode(await self._machine.read(path, EDIT_LIMIT), path)

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


def _lines_of(text: str, part: str) -> list[int]:
    """The lines where the first few of these parts begin."""
    found: list[int] = []
    line, seen = 1, 0
    at = text.find(part)
    while at >= 0 and len(found) < TOLD:
        line += text.count("\n", seen, at)
        found.append(line)
        seen, at = at, text.find(part, at + len(part))
    return found


def _snippet(old: str, new: str) -> str:
    """The lines that are new, and some around them."""
    was, lines = split_lines(old), split_lines(new)
    same = _same(was, lines)
    rest = _same(was[same:][::-1], lines[same:][::-1])
    first = max(same - AROUND, 0)
    return numbered(lines[first : len(lines) - rest + AROUND], first + 1)


def _same(some: list[str], others: list[str]) -> int:
    """How many lines at the beginning are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


def _range(view_range: list[int] | None, lines: int, path: str) -> tuple[int, int]:
    if view_range is None:
        return 1, lines
    if len(view_range) != 2:
        raise EditRefused(
            f"`view_range` is {view_range}: give two numbers, the first and the last line (-1 for the end)."
        )
    first, last = view_range
    last = max(lines, 1) if last == -1 else last
    if not 1 <= first <= max(lines, 1) or last < first:
        raise EditRefused(
            f"`view_range` is {view_range}, but {path} has {lines} lines: give two numbers from 1 to {lines}."
        )
    return first, min(last, lines)
