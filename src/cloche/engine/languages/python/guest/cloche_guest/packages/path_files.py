"""Files *.pth in folders of packages: the folders that they name, and the lines that they have run."""

from __future__ import annotations

import contextlib
import os
import site
import sys


def read_path_files(folder: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Do what the files in a folder say, without those that are known already; return the names of all."""
    try:
        names = frozenset(each for each in os.listdir(folder) if each.endswith(".pth"))  # noqa: PTH208
    except OSError:
        return frozenset()
    for name in sorted(names - known):
        # A package may run anything here, and must not end what merely looks at packages.
        with contextlib.suppress(Exception):
            site.addpackage(folder, name, set(sys.path))
    return names
