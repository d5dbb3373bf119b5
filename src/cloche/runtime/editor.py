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
from cloche.runtime.texts import as_in, decode, numbered, shorten, split_lines, whole_lines
from cloche.sandbox.changes.lines import Work
from cloche.sandbox.changes.patch import unified

AROUND = 4
"""Lines shown before and after what was changed."""
TOLD = 10
"""Places of a text that are named if it is there more than once."""
QUOTED = 1000
"""Characters of a text that are told again."""
REQUIRED = "Parameter `{}` is required for command: {}."
CLIPPED = (
    "Due to the max output limit, only part of this file has been shown to you. View the lines that you need with "
    "`view_range`; `grep -n` tells their numbers."
)
REVIEW = "Review the changes and make sure they are as expected. Edit the file again if necessary."


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
            why = _explain(error, "edit", path)
        return FileEditObservation(f"{EDIT_REFUSED}{why}", path, prev_exist=True)

    async def view(self, path: str, view_range: list[int] | None) -> FileReadObservation:
        """A file with numbered lines, or what lies in a folder."""
        try:
            said = await self._view(path, view_range)
        except EditRefused as error:
            said = f"{EDIT_REFUSED}{error}"
        except (OSError, BinaryFile) as error:
            said = f"{EDIT_REFUSED}{_explain(error, 'view', path)}"
        return FileReadObservation(said, path, "oh_aci")

    async def _view(self, path: str, view_range: list[int] | None) -> str:
        try:
            lines = split_lines(await self._text(path))
        except IsADirectoryError:
            if view_range is not None:
                raise EditRefused(
                    "The `view_range` parameter is not allowed when `path` points to a directory: view it without."
                ) from None
            return await two_levels(self._machine, path)
        first, last = _range(view_range, len(lines), path)
        shown = shorten(numbered(lines[first - 1 : last] or [""], first), CLIPPED)
        return f"Here's the result of running `cat -n` on {path}:\n{shown}\n"

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
            raise EditRefused(REQUIRED.format("file_text", "create"))
        if await self._exists(path):
            raise EditRefused(
                f"File already exists at: {path}. Cannot overwrite files using command `create`: use `str_replace` or "
                "`insert`."
            )
        return _Change(None, action.file_text, f"File created successfully at: {path}")

    async def _replace(self, action: FileEditAction, path: str) -> _Change:
        if action.old_str is None:
            raise EditRefused(REQUIRED.format("old_str", "str_replace"))
        if (action.new_str or "") == action.old_str:
            raise EditRefused("No replacement was performed. `new_str` and `old_str` must be different.")
        text = await self._text(path)
        old, new = as_in(text, action.old_str), as_in(text, action.new_str or "")
        found = text.count(old) if old else len(split_lines(text))
        if found == 0:
            raise EditRefused(
                f"No replacement was performed, old_str {_quoted(action.old_str)} did not appear verbatim in {path}. "
                "View the file and copy the text, with its spaces and line breaks."
            )
        if found > 1 or not old:
            more = f" and {found - TOLD} more" if found > TOLD else ""
            raise EditRefused(
                f"No replacement was performed. Multiple occurrences of old_str {_quoted(action.old_str)} in lines "
                f"{_lines_of(text, old)}{more}. Please ensure it is unique. Add lines around it."
            )
        return _Change(text, text.replace(old, new, 1), f"The file {path} has been edited.")

    async def _insert(self, action: FileEditAction, path: str) -> _Change:
        if action.insert_line is None or action.new_str is None:
            raise EditRefused(REQUIRED.format("insert_line" if action.insert_line is None else "new_str", "insert"))
        text = await self._text(path)
        lines = split_lines(text)
        at = action.insert_line
        if not 0 <= at <= len(lines):
            raise EditRefused(
                f"Invalid `insert_line` parameter: {at}. It should be within the range of allowed values: "
                f"[0, {len(lines)}], the lines of {path}."
            )
        new = as_in(text, action.new_str if action.new_str.endswith("\n") else action.new_str + "\n")
        before, after = whole_lines("".join(lines[:at]), text), "".join(lines[at:])
        return _Change(text, before + new + after, f"The file {path} has been edited.")

    async def _undo(self, path: str) -> _Change:
        if path not in self._history:
            raise EditRefused(f"No edit history found for {path}: there is nothing to take back.")
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
            shown = shorten(_snippet(change.old, change.new), CLIPPED)
            said += f" Here's the result of running `cat -n` on a snippet of {path}:\n{shown}\n{REVIEW}"
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


def _explain(error: OSError | BinaryFile, kind: str, path: str) -> str:
    if isinstance(error, FileNotFoundError):
        return f"Invalid `path` parameter: {path}. The path {path} does not exist. Look what is there with `ls`."
    return explain(error, kind, path)


def _quoted(text: str) -> str:
    """The text in backticks, of a long one the beginning."""
    return f"`{text}`" if len(text) <= QUOTED else f"`{text[:QUOTED]}...`"


def _lines_of(text: str, part: str) -> list[int]:
    """The lines where the first few of these parts begin; an empty part begins in every line."""
    if not part:
        return list(range(1, min(len(split_lines(text)), TOLD) + 1))
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
            f"Invalid `view_range` parameter: {view_range}. It should be a list of two integers, the first and the "
            "last line (-1 for the end)."
        )
    first, last = view_range
    last = max(lines, 1) if last == -1 else last
    if not 1 <= first <= max(lines, 1) or last < first:
        raise EditRefused(
            f"Invalid `view_range` parameter: {view_range}. Its elements should be within the range of lines of "
            f"{path}: [1, {lines}]."
        )
    return first, min(last, lines)
