"""File edits for cells, the same as the action `edit`."""

import os

from agentskills import text_edits
from agentskills.text_edits import EditRefused

_history: dict[str, list[str | None]] = {}
"""What files were before they were edited, None for one that was not there."""


def file_editor(
    command: str,
    path: str,
    file_text: str | None = None,
    view_range: list[int] | None = None,
    old_str: str | None = None,
    new_str: str | None = None,
    insert_line: int | str | None = None,
    enable_linting: bool = False,
) -> str:
    """View, create, str_replace, insert or undo_edit; gives what the action would say."""
    path = os.path.abspath(path)
    try:
        if command == "view":
            return _view_path(path, view_range)
        if command == "undo_edit":
            return _undo_edit(path)
        if command == "create":
            return _create_file(path, file_text)
        if command == "str_replace":
            text_edits.require_argument(command, old_str=old_str)
            text = _read_text(path)
            return _change_file(path, text, text_edits.replace_once(text, old_str or "", new_str or "", path))
        if command == "insert":
            text_edits.require_argument(command, insert_line=insert_line, new_str=new_str)
            text = _read_text(path)
            return _change_file(path, text, text_edits.insert_lines(text, int(insert_line or 0), new_str or "", path))
        raise EditRefused(text_edits.UNKNOWN.format(command))
    except FileNotFoundError:
        return "ERROR:\n" + text_edits.NOT_THERE.format(path)
    except (EditRefused, OSError, ValueError) as error:
        return f"ERROR:\n{error}"


def edit_file(file_name: str, to_replace: str, new_content: str) -> None:
    """Replace a text that is in the file once, and print the result."""
    print(file_editor("str_replace", file_name, old_str=to_replace, new_str=new_content))


def _view_path(path: str, view_range: list[int] | None) -> str:
    if not os.path.isdir(path):
        return text_edits.describe_view(path, text_edits.view_lines(_read_text(path), view_range, path))
    if view_range is not None:
        raise EditRefused(text_edits.FOLDER_RANGE)
    paths: list[str] = []
    for name in _list_names(path):
        inside = os.path.join(path, name)
        paths.append(_mark_folder(inside))
        if os.path.isdir(inside) and not os.path.islink(inside):
            paths += [_mark_folder(os.path.join(inside, below)) for below in _list_names(inside)]
    return text_edits.describe_folder(path, paths, sum(name.startswith(".") for name in os.listdir(path)))


def _create_file(path: str, file_text: str | None) -> str:
    text_edits.require_argument("create", file_text=file_text)
    if os.path.lexists(path):
        raise EditRefused(text_edits.EXISTS.format(path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    _write_text(path, file_text or "")
    _history.setdefault(path, []).append(None)
    return text_edits.CREATED.format(path)


def _change_file(path: str, old: str, new: str) -> str:
    _write_text(path, new)
    _history.setdefault(path, []).append(old)
    return text_edits.describe_edit(text_edits.EDITED.format(path), path, text_edits.edit_snippet(old, new))


def _undo_edit(path: str) -> str:
    if not _history.get(path):
        raise EditRefused(text_edits.NO_HISTORY.format(path))
    before = _history[path][-1]
    if before is None:
        os.remove(path)
        said = text_edits.UNDONE.format(path)
    else:
        now = _read_text(path)
        _write_text(path, before)
        said = text_edits.describe_edit(text_edits.UNDONE.format(path), path, text_edits.edit_snippet(now, before))
    _history[path].pop()
    return said


def _read_text(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def _write_text(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _list_names(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def _mark_folder(path: str) -> str:
    return path + "/" if os.path.isdir(path) and not os.path.islink(path) else path
