"""Makes a sandbox's packages, which are files in the cache, readable for its process."""

import errno
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from cloche.sandbox.packages.package import Package

CROSSING = (errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS)
"""Errors that mean that a file cannot be linked, but can be copied."""


class PackageArchives:
    """The folder of one sandbox with its packages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, packages: Sequence[Package]) -> list[dict[str, str]]:
        """Put the files there and return the list that the engine reads; blocks."""
        placed: list[dict[str, str]] = []
        for package in packages:
            target = self._folder / package.blob.name
            if not target.exists():
                _link_file(package.blob, target)
            named = {"name": package.name, "version": package.version, "language": package.language}
            placed.append({**named, "at": package.at, "path": str(target)})
        return placed

    def clean(self, placed: Iterable[dict[str, str]]) -> None:
        """Remove files that are no longer used; blocks."""
        kept = {one["path"] for one in placed}
        for path in self._folder.iterdir():
            if str(path) not in kept:
                with suppress(OSError):
                    path.unlink()


def _link_file(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in CROSSING:
            raise
        stage = target.with_name(f".{target.name}")
        shutil.copyfile(source, stage)
        stage.rename(target)
