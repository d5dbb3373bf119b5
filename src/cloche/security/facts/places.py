"""Where a shell may be: the folders against which its relative paths are resolved."""

import posixpath
from functools import lru_cache

from msgspec import Struct

from cloche.security.facts.fact import Access

LEADING = 4
"""The most folders that a shell may be in at one place of a script; beyond, the folder counts as unknown."""


class Surroundings(Struct, frozen=True, kw_only=True):
    """The folders of the machine on which an action runs."""

    cwd: str | None = "/workspace"
    """The folder of the shell; None if it is not known."""
    workspace: str = "/workspace"
    home: str = "/home/user"
    tmp: str = "/tmp"


class Place(Struct, frozen=True):
    """The folders in which a shell may be."""

    folders: frozenset[str | None]

    def resolve(self, path: str) -> frozenset[str | None]:
        """The absolute paths that a path may mean; None stands for an unknown one."""
        if path.startswith("/"):
            return frozenset({normalise(path)})
        return frozenset(None if folder is None else normalise(f"{folder}/{path}") for folder in self.folders)

    def enter(self, path: str | None) -> "Place":
        """The place after a `cd` that succeeded."""
        return Place(frozenset({None}) if path is None else self.resolve(path))

    def join(self, other: "Place") -> "Place":
        """Either of two places."""
        if other.folders is self.folders or other.folders == self.folders:
            return self
        both = self.folders | other.folders
        return Place(both if len(both) <= LEADING else frozenset({None}))


class Touched(Struct, frozen=True):
    """A path, and what is done to it."""

    path: str | None
    access: Access
    pattern: bool = False


@lru_cache(maxsize=4096)
def normalise(path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes; links are not followed."""
    plain = posixpath.normpath(path)
    return plain[1:] if plain.startswith("//") else plain


def expand_home(path: str, home: str) -> str | None:
    """The path with `~` replaced; None for the home of somebody else."""
    if path == "~" or path.startswith("~/"):
        return home + path[1:]
    return None if path.startswith("~") else path
