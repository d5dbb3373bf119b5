"""Completes names of modules in import statements, without importing anything."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path

_NAMED = re.compile(r"(?:^|[\n;:])[ \t]*(?:import[ \t]+(?:[\w. \t]+,)*[ \t]*|from[ \t]+)(?P<name>[\w.]*)$")
_MEMBER = re.compile(
    r"(?:^|[\n;:])[ \t]*from[ \t]+(?P<module>[\w.]+)[ \t]+import[ \t]+"
    r"(?:\((?:[\w \t\n]*,)*[ \t\n]*|(?:[\w \t]*,)*[ \t]*)(?P<name>\w*)$"
)
_WORD = re.compile(r"(?:^|[\n;:])[ \t]*from[ \t]+[\w.]+[ \t]+(?P<name>i?m?p?o?r?t?)$")
_SUFFIXES = (*EXTENSION_SUFFIXES, ".pyc", ".py")
_HIDDEN = ("cloche_guest", "__pycache__")
_archives: dict[str, tuple[str, ...]] = {}


def complete_import(ahead: str) -> tuple[list[str], int] | None:
    """Completions of the text, and how much of it they replace; None if no module is being named."""
    if found := _WORD.search(ahead):
        return ["import"], len(found["name"])
    if found := _NAMED.search(ahead):
        package, _, word = found["name"].rpartition(".")
        return _starting(_modules(package), word), len(word)
    return None


def complete_member(ahead: str) -> tuple[list[str], int] | None:
    """The same for a member of a module; the shell knows the members of modules that are not imported."""
    if found := _MEMBER.search(ahead):
        known = vars(sys.modules[found["module"]]) if found["module"] in sys.modules else ()
        return _starting([*known, *_modules(found["module"])], found["name"]), len(found["name"])
    return None


def _starting(names: Iterable[str], word: str) -> list[str]:
    fits = {name for name in names if name.startswith(word) and name.isidentifier() and name not in _HIDDEN}
    return sorted(name for name in fits if word.startswith("_") or not name.startswith("_"))


def _modules(package: str) -> Iterator[str]:
    if package:
        prefix = f"{package}."
        yield from (name[len(prefix) :].partition(".")[0] for name in list(sys.modules) if name.startswith(prefix))
    else:
        yield from sys.builtin_module_names
        yield from list(sys.modules)
    for folder in _folders(package):
        yield from _listed(folder)


def _folders(package: str) -> list[str]:
    """The folders with a package's modules; without a package, those of the top level."""
    path: list[str] | None = None
    name = ""
    for part in package.split(".") if package else ():
        name = f"{name}.{part}" if name else part
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.submodule_search_locations is None:
            return []
        path = list(spec.submodule_search_locations)
    return list(sys.path) if path is None else path


def _listed(folder: str) -> Iterator[str]:
    archive, _, inside = folder.partition(".zip")
    if Path(f"{archive}.zip").is_file():
        yield from _names(_zipped(f"{archive}.zip", inside.strip("/")))
        return
    try:
        entries = list(os.scandir(folder or "."))
    except OSError:
        return
    yield from _names(f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries)


def _zipped(archive: str, inside: str) -> Iterator[str]:
    names = _archives.get(archive)
    if names is None:
        with zipfile.ZipFile(archive) as opened:
            names = _archives[archive] = tuple(opened.namelist())
    start = f"{inside}/" if inside else ""
    for name in names:
        if name.startswith(start):
            first, slash, _ = name[len(start) :].partition("/")
            yield first + slash


def _names(entries: Iterable[str]) -> Iterator[str]:
    for entry in entries:
        if entry.endswith("/"):
            yield entry[:-1]
        elif suffix := next((each for each in _SUFFIXES if entry.endswith(each)), None):
            yield entry[: -len(suffix)]
