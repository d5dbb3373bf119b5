"""The edit commands: view, create, str_replace, insert, undo_edit."""

import difflib
from collections import defaultdict

from msgspec import Struct

from cloche.events import FileEditAction, FileEditObservation, FileReadObservation
from cloche.limits import EDIT_LIMIT
from cloche.runtime.machine import Entry, Machine
from cloche.runtime.texts import decode, numbered

AROUND = 4
"""Lines shown before and after what was changed."""
UNDO_STEPS = 10
"""Edits of one file that can be taken back."""


class EditRefused(Exception):
    """The edit cannot be made; the text says why and what to do."""


class _Change(Struct, frozen=True):
    old: str | None
    new: str | None
    line: int
    """The first line that changed, from 1."""
    said: str
    undone: bool = False
    """Whether it takes an edit back, and is not to be remembered itself."""


class Editor:
    """Edits files of a machine, and remembers what they were."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._past: dict[str, list[str | None]] = defaultdict(list)

    async def edit(self, action: FileEditAction, path: str) -> FileEditObservation | FileReadObservation:
        """Make one edit and tell what changed; one that cannot be made gives an observation that says so."""
        try:
            if action.command == "view":
                return FileReadObservation(await self.view(path, None), path, "oh_aci")
            change = await self._change(action, path)
        except EditRefused as error:
            return FileEditObservation(f"ERROR:\n{error}", path, prev_exist=True)
        return await self._tell(path, change)

    async def view(self, path: str, view_range: list[int] | None) -> str:
        """A file with numbered lines, or what lies in a folder."""
        try:
            text = decode(await self._machine.read(path, EDIT_LIMIT), path)
        except IsADirectoryError:
            return listing(path, await self._machine.list(path))
        first, last = _range(view_range, len(text.splitlines()), path)
        return f"Here's the result of running `cat -n` on {path}:\n{numbered(text, first, last)}\n"

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
        return _Change(None, action.file_text, 1, f"File created successfully at: {path}")

    async def _replace(self, action: FileEditAction, path: str) -> _Change:
        if not action.old_str:
            raise EditRefused("`str_replace` needs `old_str`, the text to be replaced, which must not be empty.")
        new = action.new_str or ""
        if new == action.old_str:
            raise EditRefused("`old_str` and `new_str` are the same: nothing would change.")
        text = await self._text(path)
        lines = _lines_of(text, action.old_str)
        if not lines:
            raise EditRefused(
                f"No replacement was made: `old_str` does not appear in {path} exactly as given. "
                "View the file and copy the text, with its spaces and line breaks."
            )
        if len(lines) > 1:
            raise EditRefused(
                f"No replacement was made: `old_str` appears {len(lines)} times in {path}, in lines "
                f"{', '.join(map(str, lines))}. Add lines around it so that it is found once."
            )
        return _Change(text, text.replace(action.old_str, new, 1), lines[0], f"The file {path} has been edited.")

    async def _insert(self, action: FileEditAction, path: str) -> _Change:
        if action.insert_line is None or action.new_str is None:
            raise EditRefused("`insert` needs `insert_line`, the line after which to insert, and `new_str`, the text.")
        text = await self._text(path)
        lines = text.splitlines(keepends=True)
        at = action.insert_line
        if not 0 <= at <= len(lines):
            raise EditRefused(
                f"`insert_line` is {at}, but {path} has {len(lines)} lines: give a number from 0 to that."
            )
        new = action.new_str if action.new_str.endswith("\n") else action.new_str + "\n"
        before = "".join(lines[:at])
        if before and not before.endswith("\n"):
            before += "\n"
        return _Change(text, before + new + "".join(lines[at:]), at + 1, f"The file {path} has been edited.")

    async def _undo(self, path: str) -> _Change:
        if not self._past[path]:
            raise EditRefused(f"There is no edit of {path} to take back.")
        old = await self._text(path) if await self._exists(path) else None
        return _Change(old, self._past[path].pop(), 1, f"Last edit to {path} undone successfully.", undone=True)

    async def _tell(self, path: str, change: _Change) -> FileEditObservation:
        if change.new is None:
            await self._machine.remove(path, recursive=False)
        else:
            await self._machine.write(path, change.new.encode())
        if not change.undone:
            self._past[path] = [*self._past[path][-UNDO_STEPS + 1 :], change.old]
        said = change.said
        if change.old is not None and change.new is not None:
            said += f" Here's the result of running `cat -n` on a snippet of {path}:\n{_snippet(change)}\n"
        return FileEditObservation(
            said,
            path,
            prev_exist=change.old is not None,
            old_content=change.old,
            new_content=change.new,
            diff=unified_diff(path, change.old or "", change.new or ""),
        )

    async def _text(self, path: str) -> str:
        return decode(await self._machine.read(path, EDIT_LIMIT), path)

    async def _exists(self, path: str) -> bool:
        try:
            await self._machine.read(path, 0)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True


def unified_diff(path: str, old: str, new: str) -> str:
    """What changed, as `diff -u` tells it."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"a{path}", f"b{path}", lineterm="")
    return "\n".join(lines) + "\n" if old != new else ""


def listing(path: str, entries: list[Entry]) -> str:
    """What lies in a folder, for a reader."""
    names = sorted((entry.name + "/" if entry.is_folder else entry.name) for entry in entries)
    return "\n".join([f"{path} is a folder that holds {len(names)} files and folders:", *names]) + "\n"


def _lines_of(text: str, part: str) -> list[int]:
    found: list[int] = []
    at = text.find(part)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + len(part))
    return found


def _snippet(change: _Change) -> str:
    old, new = change.old or "", change.new or ""
    added = max(len(new.splitlines()) - len(old.splitlines()), 0)
    return numbered(new, max(1, change.line - AROUND), change.line + added + AROUND)


def _range(view_range: list[int] | None, lines: int, path: str) -> tuple[int, int]:
    if view_range is None:
        return 1, lines
    if len(view_range) != 2:
        raise EditRefused(
            f"`view_range` is {view_range}: give two numbers, the first and the last line (-1 for the end)."
        )
    first, last = view_range
    last = lines if last == -1 else last
    if not 1 <= first <= max(lines, 1) or last < first:
        raise EditRefused(
            f"`view_range` is {view_range}, but {path} has {lines} lines: give two numbers from 1 to {lines}."
        )
    return first, min(last, lines)
