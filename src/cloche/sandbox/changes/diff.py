"""The changes in a folder, as the caller gets them."""

from typing import Literal

import msgspec

Status = Literal["added", "changed", "deleted"]

_LETTERS: dict[Status, str] = {"added": "A", "changed": "M", "deleted": "D"}


class FileChange(msgspec.Struct, frozen=True):
    """One file that changed."""

    path: str
    """Relative to the folder."""
    status: Status
    added: int | None = 0
    """Lines added; None if it is not text."""
    deleted: int | None = 0
    """Lines deleted; None if it is not text."""
    left_out: str | None = None
    """Why it is not in the patch, if it is missing there."""


class Diff(msgspec.Struct, frozen=True):
    """What changed in a folder: `str(diff)` is a patch for `git apply`, and `diff` is false if nothing changed."""

    patch: str
    files: tuple[FileChange, ...]
    complete: bool = True
    """Whether the patch has every change; each missing file says why, and so do lines at the top of the patch."""

    def __str__(self) -> str:
        return self.patch

    def __bool__(self) -> bool:
        return bool(self.files) or not self.complete

    def stat(self) -> str:
        """The changes as a list with the number of lines, for people."""
        if not self.files:
            return ""
        from cloche.sandbox.changes.patch import quote_path  # noqa: PLC0415 - not needed for the type alone

        names = [quote_path(each.path) for each in self.files]
        width = max(map(len, names))
        rows = [
            f" {_LETTERS[each.status]} {name:{width}} | {_format_count(each)}\n"
            for each, name in zip(self.files, names, strict=True)
        ]
        added = sum(each.added or 0 for each in self.files)
        deleted = sum(each.deleted or 0 for each in self.files)
        total = f" {len(self.files)} file{'s' * (len(self.files) != 1)} changed, {added} added, {deleted} deleted\n"
        return "".join(rows) + total


def _format_count(change: FileChange) -> str:
    if change.left_out is not None:
        return change.left_out
    return "binary" if change.added is None else f"+{change.added} -{change.deleted or 0}"
