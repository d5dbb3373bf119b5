"""Paths that clients give."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.server.files.paths import PLAIN, file_problem, find_path, shorten_path
from cloche.server.problems import Problem


@given(st.text(st.sampled_from("ab./\0\\ é"), max_size=30))
def test_a_path_that_is_taken_is_in_the_workspace(path: str) -> None:
    with contextlib.suppress(Problem):
        check_inside(path, find_path(path))


def check_inside(path: str, found: str) -> None:
    assert found == "/workspace" or found.startswith("/workspace/")
    assert not {"", ".", ".."} & set(found.split("/")[1:])
    assert find_path(found) == find_path(shorten_path(found)) == found
    assert re.fullmatch(PLAIN, path)


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (FileNotFoundError(2, "x", "/host/secret"), 404, "a/b: No such file or directory"),
        (PermissionError("/tmp/x is a pipe, a socket or a device, not a file"), 403, "/tmp/x is a pipe"),
        (OSError(28, "x", "/host/secret"), 507, "a/b: No space left on device"),
        (OSError(5, "x", "/host/secret"), 500, "a/b: Input/output error"),
        (OSError("what"), 500, "a/b: it failed"),
    ],
)
def test_errors_name_the_path_that_the_client_knows(error: OSError, status: int, told: str) -> None:
    problem = file_problem(error, "/workspace/a/b")
    assert (problem.status, problem.detail.startswith(told)) == (status, True)
    assert "host" not in problem.detail
