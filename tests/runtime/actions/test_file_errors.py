"""What is said of a file that fails, and what is understood of that."""

import errno
import os

import pytest

from cloche.errors import BinaryFile, RuntimeFailed, RuntimeUnavailable
from cloche.events import ErrorObservation, SuccessObservation
from cloche.runtime.actions.file_errors import explain_file_error, read_file_error
from cloche.runtime.codes import FILE, RUNTIME_LOST, STOPPED

NUMBERS = [
    *(errno.ENOENT, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EXDEV),
    *(errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP),
    *(errno.EFBIG, errno.ENOTEMPTY, errno.ENOSPC),
]


@pytest.mark.parametrize("kind", ["read", "copy_from", "move"])
@pytest.mark.parametrize("number", NUMBERS)
def test_an_error_is_understood_as_the_one_it_was(number: int, kind: str) -> None:
    said = explain_file_error(OSError(number, os.strerror(number), "/workspace/x"), kind, "/workspace/x")
    assert said.endswith(".")
    assert "/workspace/x" in said
    read = read_file_error(ErrorObservation(said, FILE), "/workspace/x")
    assert isinstance(read, OSError)
    assert (read.errno, read.filename) == (number, "/workspace/x")


def test_errors_that_are_alike_are_told_alike() -> None:
    for number, like in ((errno.EROFS, errno.EACCES), (errno.EDQUOT, errno.ENOSPC)):
        said = explain_file_error(OSError(number, "why"), "write", "/workspace/x")
        read = read_file_error(ErrorObservation(said, FILE), "/workspace/x")
        assert isinstance(read, OSError)
        assert read.errno == like
    own = explain_file_error(PermissionError("/mnt/data is mounted read-only"), "write", "/mnt/data/x")
    assert own == "/mnt/data/x may not be touched: /mnt/data is mounted read-only. Work in the workspace."
    assert explain_file_error(BinaryFile("no text"), "read", "x") == "no text"


def test_what_is_no_error_of_a_file_stays_what_it_is() -> None:
    other = read_file_error(ErrorObservation(explain_file_error(OSError(errno.EBUSY, "busy"), "read", "x"), FILE), "x")
    assert isinstance(other, OSError)
    assert other.errno == errno.EIO
    assert isinstance(read_file_error(ErrorObservation("gone", RUNTIME_LOST), "x"), RuntimeUnavailable)
    assert isinstance(read_file_error(ErrorObservation("File not found: x", STOPPED), "x"), RuntimeFailed)
    assert isinstance(read_file_error(SuccessObservation("what"), "x"), RuntimeFailed)
