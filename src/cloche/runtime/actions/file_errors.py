"""Error messages about files, for the sender of an action; and back from such a message to the error."""

import errno
import os

from cloche.errors import BinaryFile, RuntimeFailed, RuntimeUnavailable
from cloche.events import ErrorObservation, Observation
from cloche.runtime.codes import FILE, NOT_CONNECTED, RUNTIME_LOST, RUNTIME_SILENT, SANDBOX_GONE

_MESSAGES = {
    errno.ENOENT: "File not found: {path}. Look what is there with `ls`.",
    errno.EEXIST: "{path} exists already: give another name, or say `overwrite`.",
    errno.EISDIR: "{path} is a folder, not a file: `{kind}` works on files. Look into it with `ls {path}`.",
    errno.ENOTDIR: "{path} is a file, or lies below one, not a folder: `{kind}` cannot go on there.",
    errno.EACCES: "{path} may not be touched: {why}. Work in the workspace.",
    errno.ENAMETOOLONG: "{path} has a name that is too long: use shorter names.",
    errno.EINVAL: "{path} cannot be used so: {why}.",
    errno.ELOOP: "{path} is a link that is not followed, or one of too many: use the path that it leads to.",
    errno.EXDEV: "{path} cannot be moved to another disk: copy it there, and remove it then.",
    errno.EFBIG: "{path} is too large to be read whole ({why}). Read a part with `head`, `sed -n` or `tail`.",
    errno.ENOTEMPTY: "{path} is not empty: remove what is in it first, or say `recursive`.",
    errno.ENOSPC: "There is no room left to write {path}: remove files that are not needed.",
}
_TOO_MUCH = "{path} is too large to be copied at once: {why}. Copy it in parts."
_ALIKE = {errno.EPERM: errno.EACCES, errno.EROFS: errno.EACCES, errno.EDQUOT: errno.ENOSPC}
_PHRASES = (
    ("File not found: ", errno.ENOENT),
    (" exists already: ", errno.EEXIST),
    (" is a folder, not a file: ", errno.EISDIR),
    (" is a file, or lies below one, not a folder: ", errno.ENOTDIR),
    (" may not be touched: ", errno.EACCES),
    (" has a name that is too long: ", errno.ENAMETOOLONG),
    (" cannot be used so: ", errno.EINVAL),
    (" is a link that is not followed, ", errno.ELOOP),
    (" cannot be moved to another disk: ", errno.EXDEV),
    (" is too large to be ", errno.EFBIG),
    (" is not empty: ", errno.ENOTEMPTY),
    ("There is no room left to write ", errno.ENOSPC),
)
"""By what each of these messages is known."""
_LOST = (NOT_CONNECTED, RUNTIME_LOST, RUNTIME_SILENT, SANDBOX_GONE)


def explain_file_error(error: OSError | BinaryFile, kind: str, path: str) -> str:
    """What went wrong with a file, and what to do."""
    if isinstance(error, BinaryFile):
        return str(error)
    number = _find_number(error)
    why = error.strerror or str(error)
    if number == errno.EFBIG and kind == "copy_from":
        return _TOO_MUCH.format(path=path, why=why)
    if number not in _MESSAGES:
        return f"`{kind}` of {path} failed: {why}."
    named = error.filename if number == errno.EEXIST and error.filename else path
    return _MESSAGES[number].format(path=named, kind=kind, why=why)


def _find_number(error: OSError) -> int | None:
    if error.errno is None:
        return errno.EACCES if isinstance(error, PermissionError) else None
    return _ALIKE.get(error.errno, error.errno)


def read_file_error(observation: Observation, path: str) -> Exception:
    """The error that an observation tells of, as Python's own if it is about a file."""
    if not isinstance(observation, ErrorObservation):
        return RuntimeFailed(f"{path}: the answer was of the kind `{observation.kind}`")
    text = observation.content
    if observation.error_id in _LOST:
        return RuntimeUnavailable(text)
    if observation.error_id != FILE:
        return RuntimeFailed(text)
    number = next((number for phrase, number in _PHRASES if phrase in text), None)
    return OSError(errno.EIO, text, path) if number is None else OSError(number, os.strerror(number), path)
