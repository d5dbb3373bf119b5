"""Finding files, and text in them."""

import fnmatch
import os
from collections.abc import Iterator

from agentskills.window import window

MOST = 100
"""Matches that are listed one by one."""
_LARGEST = 10_000_000


def search_dir(search_term: str, dir_path: str = "./") -> None:
    """Print every line of the files in a folder that holds a text."""
    if not os.path.isdir(dir_path):
        print(f"ERROR: there is no folder {dir_path}.")
        return
    _print_found(
        search_term, [match for path in _walk_files(dir_path) for match in _find_lines(search_term, path)], dir_path
    )


def search_file(search_term: str, file_path: str | None = None) -> None:
    """Print every line of a file, by default the open one, that holds a text."""
    path = file_path or window.path
    if path is None or not os.path.isfile(path):
        print(f"ERROR: there is no file {path}." if path else "ERROR: no file is open, and none was named.")
        return
    _print_found(search_term, list(_find_lines(search_term, path)), path)


def find_file(file_name: str, dir_path: str = "./") -> None:
    """Print the files in a folder whose name holds this, or matches it as a pattern."""
    if not os.path.isdir(dir_path):
        print(f"ERROR: there is no folder {dir_path}.")
        return
    pattern = file_name if any(sign in file_name for sign in "*?[") else f"*{file_name}*"
    found = [path for path in _walk_files(dir_path) if fnmatch.fnmatch(os.path.basename(path), pattern)]
    print(f"[{len(found)} files match {file_name!r} in {os.path.abspath(dir_path)}]")
    for path in found[:MOST]:
        print(path)
    _print_rest(len(found))


def _print_found(term: str, found: list[tuple[str, int, str]], where: str) -> None:
    print(f"[{len(found)} lines hold {term!r} in {os.path.abspath(where)}]")
    for path, number, line in found[:MOST]:
        print(f"{path} (line {number}): {line[:300]}")
    _print_rest(len(found))


def _print_rest(number: int) -> None:
    if number > MOST:
        print(f"({number - MOST} more: search for something narrower)")


def _walk_files(folder: str) -> Iterator[str]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(above, name) for name in sorted(names) if not name.startswith("."))


def _find_lines(term: str, path: str) -> Iterator[tuple[str, int, str]]:
    if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if term in line:
                yield path, number, line.rstrip("\n")
