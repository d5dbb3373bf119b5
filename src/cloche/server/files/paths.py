"""Paths as clients give them, and what they are told when one is of no use."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager

from cloche.runtime.machine import WORKSPACE
from cloche.server.problems import Problem

LONGEST = 4096
"""Characters of a path."""
PLAIN = r"^[^/\x00]{0,255}(/[^/\x00]{0,255})*$"
"""What paths are like: without NUL, and each name as long as file systems take it."""
_PROBLEMS = {
    errno.ENOENT: (404, "not_found", "Look what is there: GET .../files."),
    errno.EACCES: (403, "forbidden", "Use paths in the workspace."),
    errno.EPERM: (403, "forbidden", ""),
    errno.EROFS: (403, "forbidden", ""),
    errno.ELOOP: (403, "forbidden", "Use the path that the link leads to."),
    errno.EEXIST: (409, "conflict", "Choose another name, or send `overwrite`."),
    errno.EISDIR: (409, "conflict", "It is a folder: give the path of a file."),
    errno.ENOTDIR: (409, "conflict", "It is a file, or lies below one: give the path of a folder."),
    errno.ENOTEMPTY: (409, "conflict", "Remove what is in it first, or send `recursive`."),
    errno.EXDEV: (409, "conflict", "Download it, upload it there, and remove it here."),
    errno.EINVAL: (422, "invalid", ""),
    errno.ENAMETOOLONG: (422, "invalid", "Use shorter names."),
    errno.EFBIG: (413, "too_large", "Take it in parts."),
    errno.ENOSPC: (507, "disk_full", "Remove files that are not needed."),
    errno.EDQUOT: (507, "disk_full", "Remove files that are not needed."),
}


def find_path(given: str) -> str:
    """The absolute path of what a client names; relative paths are below the workspace, and no path leads out of it."""
    if "\0" in given:
        raise Problem(422, "invalid", "a path cannot hold a NUL")
    if len(given) > LONGEST:
        raise Problem(422, "invalid", f"the path has more than {LONGEST} characters")
    parts = [part for part in given.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Problem(403, "forbidden", f"{given!r}: `..` is not followed", fix="Give the path without it.")
    if given.startswith("/"):
        if f"/{parts[0] if parts else ''}" != WORKSPACE:
            raise Problem(403, "forbidden", f"{given!r} is not in {WORKSPACE}", fix="Give a path relative to it.")
        parts = parts[1:]
    return "/".join([WORKSPACE, *parts])


def shorten_path(path: str) -> str:
    """The path relative to the workspace, which itself is empty."""
    return path.removeprefix(WORKSPACE).lstrip("/")


@contextmanager
def telling_errors(path: str) -> Generator[None]:
    """Tells clients of an error of this file, by the path that they know."""
    try:
        yield
    except OSError as error:
        raise file_problem(error, path) from error


def file_problem(error: OSError, path: str) -> Problem:
    """What a client is told of an error of a file."""
    number = error.errno
    if number is None and isinstance(error, PermissionError):
        # Our own refusals say more than the system's.
        return Problem(403, "forbidden", str(error))
    status, code, fix = _PROBLEMS.get(number or 0, (500, "internal", "Try again; the server's log says more."))
    why = os.strerror(number) if number else "it failed"
    return Problem(status, code, f"{shorten_path(path) or WORKSPACE}: {why}", fix=fix)
