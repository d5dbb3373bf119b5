"""What the edit commands do to a text, and their messages.

Only the standard library is used: the plugin `agent_skills` copies this file into the sandbox, for `file_editor`.
"""

import io
from collections.abc import Sequence
from itertools import takewhile

AROUND = 4
"""Lines shown before and after a change."""
TOLD = 10
"""How many places are named if a text occurs more than once."""
QUOTED = 1000
"""The most characters of a text that messages quote."""
NAMES = 1000
"""The most names of a folder that are listed."""

UNKNOWN = "The edit command {!r} is not known. Use view, create, str_replace, insert or undo_edit."
EXISTS = "File already exists at: {}. Cannot overwrite files using command `create`: use `str_replace` or `insert`."
NO_HISTORY = "No edit history found for {}: there is nothing to take back."
NOT_THERE = "Invalid `path` parameter: {0}. The path {0} does not exist. Look what is there with `ls`."
FOLDER_RANGE = "The `view_range` parameter is not allowed when `path` points to a directory: view it without."
CREATED = "File created successfully at: {}"
EDITED = "The file {} has been edited."
UNDONE = "Last edit to {} undone successfully."
REVIEW = "Review the changes and make sure they are as expected. Edit the file again if necessary."
_ENDS = "\r\n"


class EditRefused(Exception):
    """The edit cannot be made; the text says why and what to do."""


def split_lines(text: str) -> list[str]:
    """The lines with their ends, as `cat -n` and `sed` count them: only a line feed ends a line."""
    return io.StringIO(text).readlines()


def number_lines(lines: Sequence[str], first: int) -> str:
    """The lines with their numbers, as `cat -n` prints them."""
    return "\n".join(f"{number:6}\t{line.rstrip(_ENDS)}" for number, line in enumerate(lines, first))


def match_line_ends(text: str, part: str) -> str:
    """The part with the line ends of the text: a reader does not see which they are."""
    ends = text.count("\r\n")
    return part.replace("\n", "\r\n") if ends and ends == text.count("\n") and "\r" not in part else part


def whole_lines(part: str, text: str) -> str:
    """The part of a text, with a line end at its last line."""
    return part if not part or part.endswith("\n") else part + match_line_ends(text, "\n")


def require_argument(command: str, **parameters: object) -> None:
    """Refuse a command without these parameters, before anything is read."""
    for name, given in parameters.items():
        if given is None:
            raise EditRefused(f"Parameter `{name}` is required for command: {command}.")


def replace_once(text: str, old_str: str, new_str: str, path: str) -> str:
    """The text of a file with `old_str`, which must occur once, replaced."""
    if new_str == old_str:
        raise EditRefused("No replacement was performed. `new_str` and `old_str` must be different.")
    old, new = match_line_ends(text, old_str), match_line_ends(text, new_str)
    found = text.count(old) if old else len(split_lines(text))
    if found == 0:
        raise EditRefused(
            f"No replacement was performed, old_str {_quote_text(old_str)} did not appear verbatim in {path}. "
            "View the file and copy the text, with its spaces and line breaks."
        )
    if found > 1 or not old:
        more = f" and {found - TOLD} more" if found > TOLD else ""
        raise EditRefused(
            f"No replacement was performed. Multiple occurrences of old_str {_quote_text(old_str)} in lines "
            f"{_lines_of(text, old)}{more}. Please ensure it is unique. Add lines around it."
        )
    return text.replace(old, new, 1)


def insert_lines(text: str, insert_line: int, new_str: str, path: str) -> str:
    """The text of a file with lines inserted after the line `insert_line`."""
    lines = split_lines(text)
    if not 0 <= insert_line <= len(lines):
        raise EditRefused(
            f"Invalid `insert_line` parameter: {insert_line}. It should be within the range of allowed values: "
            f"[0, {len(lines)}], the lines of {path}."
        )
    new = match_line_ends(text, new_str if new_str.endswith("\n") else new_str + "\n")
    return whole_lines("".join(lines[:insert_line]), text) + new + "".join(lines[insert_line:])


def view_lines(text: str, view_range: list[int] | None, path: str) -> str:
    """The lines of a file with their numbers."""
    lines = split_lines(text)
    first, last = _check_range(view_range, len(lines), path)
    return number_lines(lines[first - 1 : last] or [""], first)


def edit_snippet(old: str, new: str) -> str:
    """The new lines, and some around them."""
    was, lines = split_lines(old), split_lines(new)
    same = _count_same(was, lines)
    rest = _count_same(was[same:][::-1], lines[same:][::-1])
    first = max(same - AROUND, 0)
    return number_lines(lines[first : len(lines) - rest + AROUND], first + 1)


def describe_view(path: str, shown: str) -> str:
    """The message about a file that was viewed."""
    return f"Here's the result of running `cat -n` on {path}:\n{shown}\n"


def describe_edit(said: str, path: str, shown: str) -> str:
    """The message about a file that was changed."""
    return f"{said} Here's the result of running `cat -n` on a snippet of {path}:\n{shown}\n{REVIEW}"


def describe_folder(path: str, paths: list[str], hidden: int) -> str:
    """The message about a folder that was viewed."""
    more = [f"... and {len(paths) - NAMES} more: view a folder below."] if len(paths) > NAMES else []
    first = f"Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    shown = "\n".join([first, f"{path.rstrip('/')}/", *paths[:NAMES], *more])
    if not hidden:
        return shown
    return (
        f"{shown}\n\n{hidden} hidden files/directories in this directory are excluded. "
        f"You can use 'ls -la {path}' to see them."
    )


def _quote_text(text: str) -> str:
    """The text in backticks; of a long one, the beginning."""
    return f"`{text}`" if len(text) <= QUOTED else f"`{text[:QUOTED]}...`"


def _lines_of(text: str, part: str) -> list[int]:
    """The lines where the first few of these parts start; an empty part starts in every line."""
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


def _count_same(some: list[str], others: list[str]) -> int:
    """How many lines at the start are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


def _check_range(view_range: list[int] | None, lines: int, path: str) -> tuple[int, int]:
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
