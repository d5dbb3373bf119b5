"""The modules pwd and grp: the one user that a sandbox has, and root."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_USER_ID = 1000


class struct_passwd(NamedTuple):
    """A user."""

    pw_name: str
    pw_passwd: str
    pw_uid: int
    pw_gid: int
    pw_gecos: str
    pw_dir: str
    pw_shell: str


class struct_group(NamedTuple):
    """A group."""

    gr_name: str
    gr_passwd: str
    gr_gid: int
    gr_mem: list[str]


_USERS = (
    struct_passwd("root", "x", 0, 0, "root", "/root", "/bin/bash"),
    struct_passwd("user", "x", _USER_ID, _USER_ID, "", "/home/user", "/bin/bash"),
)
_GROUPS = (struct_group("root", "x", 0, []), struct_group("user", "x", _USER_ID, []))


def _find(known: tuple[Any, ...], place: int, function: str, what: str) -> Callable[[Any], Any]:
    def find(wanted: Any, /) -> Any:
        """Return the entry, or raise KeyError."""
        for entry in known:
            if entry[place] == wanted and type(wanted) is type(entry[place]):
                return entry
        raise KeyError(f"{function}(): {what} not found: {wanted!r}")

    find.__name__ = find.__qualname__ = function
    return find


def users() -> dict[str, Any]:
    """The names of the module pwd."""
    return {
        "struct_passwd": struct_passwd,
        "getpwnam": _find(_USERS, 0, "getpwnam", "name"),
        "getpwuid": _find(_USERS, 2, "getpwuid", "uid"),
        "getpwall": lambda: list(_USERS),
    }


def groups() -> dict[str, Any]:
    """The names of the module grp."""
    return {
        "struct_group": struct_group,
        "getgrnam": _find(_GROUPS, 0, "getgrnam", "name"),
        "getgrgid": _find(_GROUPS, 2, "getgrgid", "gid"),
        "getgrall": lambda: list(_GROUPS),
    }


def _owner(self: Path, *, follow_symlinks: bool = True) -> str:
    """Return the login name of the file owner."""
    return str(users()["getpwuid"](self.stat(follow_symlinks=follow_symlinks).st_uid).pw_name)


def _group(self: Path, *, follow_symlinks: bool = True) -> str:
    """Return the group name of the file gid."""
    return str(groups()["getgrgid"](self.stat(follow_symlinks=follow_symlinks).st_gid).gr_name)


def install() -> None:
    """Add to paths what they left out when they were imported."""
    Path.owner, Path.group = _owner, _group
