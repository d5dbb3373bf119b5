"""Files *.pth in folders of packages: the folders that they name, and the finders that they install."""

from __future__ import annotations

import contextlib
import os
import site
import sys
from typing import Any, NamedTuple


class _Added(NamedTuple):
    """What one file has added."""

    paths: list[str]
    finders: list[Any]


_done: dict[str, _Added] = {}
"""By the paths of the files."""


def read_path_files(folder: str) -> None:
    """Do what the files in a folder say, each once, and take back what those said that are gone."""
    try:
        now = {f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".pth")}  # noqa: PTH208
    except OSError:
        now = set[str]()
    for file in sorted(set(_done) - now):
        if file.rpartition("/")[0] == folder:
            _take_back(_done.pop(file))
    for file in sorted(now - set(_done)):
        _done[file] = _run(folder, file.rpartition("/")[2])


def restore_paths() -> None:
    """Put the folders that files have named into a path that was made anew."""
    for added in _done.values():
        sys.path += [path for path in added.paths if path not in sys.path]


def _run(folder: str, name: str) -> _Added:
    paths, finders = list(sys.path), list(sys.meta_path)
    # A package may run anything here, and must not end what merely looks at packages.
    with contextlib.suppress(Exception):
        site.addpackage(folder, name, set(sys.path))
    return _Added(
        [each for each in sys.path if each not in paths], [each for each in sys.meta_path if each not in finders]
    )


def _take_back(added: _Added) -> None:
    sys.path[:] = [each for each in sys.path if each not in added.paths]
    sys.meta_path[:] = [each for each in sys.meta_path if each not in added.finders]
