"""Writes changes in git's format, for `git apply`."""

import base64
import hashlib
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cloche.sandbox.changes.line_diff import LineChange, WorkBudget, diff_lines

CONTEXT = 3
LINE = 52
"""Bytes in one line of a binary patch."""

_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


class FileSide(NamedTuple):
    """A file before or after the change: git's mode, and its contents."""

    mode: int
    data: bytes


class RenderedPatch(NamedTuple):
    """The patch of one file, and how many lines were added and deleted; None for a file that is not text."""

    text: str
    added: int | None
    deleted: int | None


def git_mode(info: os.stat_result) -> int:
    """Git's mode of a file or link."""
    if stat.S_ISLNK(info.st_mode):
        return 0o120000
    return 0o100755 if info.st_mode & 0o100 else 0o100644


def quote_path(path: str) -> str:
    """A path as git writes it: quoted, with escapes, if it has unusual characters. So it is always one line."""
    data = os.fsencode(path)
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in data):
        return path
    return f'"{"".join(_escape_byte(byte) for byte in data)}"'


def _escape_byte(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def render_change(path: str, old: FileSide | None, new: FileSide | None, work: WorkBudget) -> RenderedPatch:
    """The patch from one side to the other; a side is None if the file does not exist there."""
    if old and new and (old.mode ^ new.mode) & 0o170000:
        gone, come = render_change(path, old, None, work), render_change(path, None, new, work)
        return RenderedPatch(gone.text + come.text, come.added, gone.deleted)
    before, after = old.data if old else b"", new.data if new else b""
    texts = decode_text(before), decode_text(after)
    binary = texts[0] is None or texts[1] is None
    head = f"diff --git {quote_path(f'a/{path}')} {quote_path(f'b/{path}')}\n{_format_modes(old, new, binary)}"
    if before == after:
        return RenderedPatch(head, 0, 0)
    if texts[0] is None or texts[1] is None:
        return RenderedPatch(f"{head}GIT binary patch\n{_encode_binary(after)}\n{_encode_binary(before)}\n", None, None)
    lines = _split_lines(texts[0]), _split_lines(texts[1])
    changes = diff_lines(*lines, work)
    names = f"--- {_format_name('a', path, old)}\n+++ {_format_name('b', path, new)}\n"
    added = sum(each.new_end - each.new_start for each in changes)
    deleted = sum(each.old_end - each.old_start for each in changes)
    return RenderedPatch(head + names + "".join(_format_hunks(*lines, changes)), added, deleted)


def unified_hunks(path: str, old: str, new: str, work: WorkBudget) -> str:
    """The difference of two texts as `diff -u` writes it; empty if there is none."""
    lines = _split_lines(old), _split_lines(new)
    names = f"--- {quote_path(f'a{path}')}\n+++ {quote_path(f'b{path}')}\n"
    return names + "".join(_format_hunks(*lines, diff_lines(*lines, work))) if old != new else ""


def decode_text(data: bytes) -> str | None:
    """The text of contents in UTF-8; None if they are no text, which a patch does not show as lines."""
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _split_lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _format_modes(old: FileSide | None, new: FileSide | None, binary: bool) -> str:
    digits = 40 if binary else 7
    index = f"index {_side_id(old)[:digits]}..{_side_id(new)[:digits]}"
    if old and new:
        if old.mode == new.mode:
            return f"{index} {new.mode:06o}\n"
        modes = f"old mode {old.mode:06o}\nnew mode {new.mode:06o}\n"
        return modes if old.data == new.data else f"{modes}{index}\n"
    if new:
        return f"new file mode {new.mode:06o}\n{index}\n"
    assert old is not None
    return f"deleted file mode {old.mode:06o}\n{index}\n"


def _side_id(side: FileSide | None) -> str:
    return "0" * 40 if side is None else blob_id(side.data)


def blob_id(data: bytes) -> str:
    """Git's name for these contents."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _format_name(letter: str, path: str, side: FileSide | None) -> str:
    name = "/dev/null" if side is None else quote_path(f"{letter}/{path}")
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def _format_hunks(old: Sequence[str], new: Sequence[str], changes: Sequence[LineChange]) -> Iterator[str]:
    group: list[LineChange] = []
    for change in changes:
        if group and change.old_start - group[-1].old_end > 2 * CONTEXT:
            yield _format_hunk(old, new, group)
            group = []
        group.append(change)
    if group:
        yield _format_hunk(old, new, group)


def _format_hunk(old: Sequence[str], new: Sequence[str], group: Sequence[LineChange]) -> str:
    first, last = group[0], group[-1]
    before = min(CONTEXT, first.old_start)
    after = min(CONTEXT, len(old) - last.old_end)
    at = first.old_start - before
    old_range = _format_range(at, last.old_end + after)
    new_range = _format_range(first.new_start - before, last.new_end + after)
    parts = [f"@@ -{old_range} +{new_range} @@\n"]
    for change in group:
        parts += _mark_lines(" ", old[at : change.old_start])
        parts += _mark_lines("-", old[change.old_start : change.old_end])
        parts += _mark_lines("+", new[change.new_start : change.new_end])
        at = change.old_end
    return "".join([*parts, *_mark_lines(" ", old[at : at + after])])


def _format_range(start: int, end: int) -> str:
    count = end - start
    return str(start + 1) if count == 1 else f"{start + 1 if count else start},{count}"


def _mark_lines(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _encode_binary(data: bytes) -> str:
    """Contents as git writes them into a binary patch: compressed, in lines that start with their length."""
    packed = zlib.compress(data)
    lines: list[str] = []
    for at in range(0, len(packed), LINE):
        piece = packed[at : at + LINE]
        count = len(piece)
        length = chr(64 + count) if count <= 26 else chr(96 + count - 26)
        lines.append(f"{length}{base64.b85encode(piece, pad=True).decode()}\n")
    return f"literal {len(data)}\n{''.join(lines)}"
