"""Errors on their way from a server to a client: one shape (RFC 9457), and a fixed table of what a code means."""

import errno
import os

from msgspec import Struct

from cloche import errors
from cloche.errors import ServerUnavailable

MEDIA_TYPE = "application/problem+json"


class ProblemDetails(Struct, frozen=True, omit_defaults=True):
    """An error, as clients get it."""

    type: str
    """A name of the kind of error that does not change: `urn:cloche:error:CODE`."""
    title: str
    status: int
    detail: str
    """What happened, and why."""
    code: str
    id: str
    """The error itself; the server's log has it too."""
    fix: str = ""
    """What to do."""
    instance: str = ""
    """The path of the request."""


NOT_PERMITTED = "not_permitted"
"""The code of a PermissionError that is not from a system."""
FILE_PREFIX = "file_"
"""How the codes of errors about files begin; the name of the number follows, as in `file_enoent`."""
_NUMBERS = {name.lower(): number for number, name in errno.errorcode.items()}
_KINDS: dict[str, type[errors.ClocheError]] = {
    kind.code: kind
    for kind in (
        errors.SandboxError,
        errors.SandboxUnavailable,
        errors.SavedStateError,
        errors.AssetsUnavailable,
        errors.ConfinementUnavailable,
        errors.PackageError,
        errors.PackageNotFound,
        errors.PackageUnsupported,
        errors.PackageConflict,
        errors.PackageDamaged,
        errors.PackagesUnreachable,
        errors.ConfigError,
    )
}
"""The errors that a server's sandbox raises as an embedded one does; all others are of the server."""
_PLAIN: dict[str, type[Exception]] = {
    "timeout": TimeoutError,
    "invalid_value": ValueError,
    NOT_PERMITTED: PermissionError,
}


def file_code(error: OSError) -> str:
    """The code of an error about a file."""
    return FILE_PREFIX + errno.errorcode.get(error.errno or errno.EIO, "EIO").lower()


def rebuild_error(problem: ProblemDetails, place: str) -> Exception:
    """The error of a problem: of a class in our table, whatever the server says."""
    if problem.code.startswith(FILE_PREFIX) and (number := _NUMBERS.get(problem.code.removeprefix(FILE_PREFIX))):
        path, colon, words = problem.detail.rpartition(": ")
        # Python chooses the class by the number.
        return OSError(number, words, path) if colon else OSError(number, problem.detail)
    if (plain := _PLAIN.get(problem.code)) is not None:
        return plain(problem.detail)
    if (own := _KINDS.get(problem.code)) is not None:
        return own(problem.detail)
    kind = errors.ServerUnauthorized if problem.status in (401, 403) else ServerUnavailable
    return kind(describe_refusal(problem, place))


def describe_refusal(problem: ProblemDetails, place: str) -> str:
    """What the server refused, why, and what to do."""
    said = problem.detail.rstrip(".") or os.strerror(errno.EIO)
    return f"{place} refused: {said}.{f' {problem.fix}' if problem.fix else ''}"
