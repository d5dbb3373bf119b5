"""Globs match paths, and two globs know whether they can mean the same."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.security.policy.globs import compile_glob, may_meet


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("/etc/*", "/etc/passwd", True),
        ("/etc/*", "/etc/ssh/config", False),
        ("/etc/**", "/etc/ssh/config", True),
        ("/etc/**", "/etc", True),
        ("/etc/**", "/etcetera", False),
        ("**/.git/hooks/**", "/a/b/.git/hooks/x", True),
        ("/[*]", "/*", True),
        ("/[*]", "/a", False),
        ("/[!a]", "/b", True),
        ("/a?c", "/abc", True),
        ("/a.c", "/abc", False),
        ("/[", "/[", True),
    ],
)
def test_a_glob_matches(glob: str, path: str, fits: bool) -> None:
    assert (compile_glob(glob).fullmatch(path) is not None) is fits


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [
        ("/*", "/etc", True),
        ("/e??", "/etc", True),
        ("/e??", "/usr", False),
        ("/*", "/etc/passwd", False),
        ("/*/passwd", "/etc/**", True),
        ("/workspace/*", "/workspace/[*]", True),
        ("/workspace/*.pyc", "/workspace/[*]", False),
        ("/workspace/*", "/workspace/.env", False),
        ("/workspace/.*", "/workspace/.env", True),
        ("/dev/sd*", "/dev/*a", True),
        ("/a/**", "/a/b/c", True),
        ("/a/**", "/b/**", False),
        ("/tmp/**", "/tmp", True),
    ],
)
def test_globs_meet(left: str, right: str, meet: bool) -> None:
    assert may_meet(left, right) is meet


CHARS = st.text(alphabet="ab", min_size=1, max_size=6)
GLOBS = st.text(alphabet="ab*?", min_size=1, max_size=6)


@given(GLOBS, GLOBS, CHARS)
def test_two_globs_that_match_one_name_meet(left: str, right: str, name: str) -> None:
    if fnmatchcase(name, left) and fnmatchcase(name, right):
        assert may_meet(f"/{left}", f"/{right}")


@given(GLOBS, CHARS)
def test_a_name_meets_a_glob_if_it_matches(glob: str, name: str) -> None:
    assert may_meet(f"/{name}", f"/{glob}") is fnmatchcase(name, glob)
