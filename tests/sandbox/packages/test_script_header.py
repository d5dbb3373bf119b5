"""What the header of a script may ask for."""

import time
from contextlib import suppress

import pytest

from cloche.errors import ConfigError
from cloche.sandbox.packages.script_header import read_header
from tests.guest_python import VERSION


def header(*lines: str) -> str:
    return "\n".join(["#!/usr/bin/env python", "# /// script", *lines, "# ///", "print(1)", ""])


def test_the_header_of_a_script_names_its_dependencies() -> None:
    code = header("# dependencies = [", '#   "rich>=13",', "#", "# ]", '# requires-python = ">=3.12"', "# [tool.x]")
    assert read_header(code, f"{VERSION}.2", "x.py") == ["rich>=13"]
    assert read_header(code.replace("\n", "\r\n"), f"{VERSION}.2", "x.py") == ["rich>=13"]


def test_a_script_without_header_needs_nothing() -> None:
    for code in ("print(1)", "# /// script\nprint(1)\n", header()):
        assert read_header(code, f"{VERSION}.2", "x.py") == []


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (header('# requires-python = "<3.13"'), r"x\.py needs Python <3\.13, and the sandbox has 3\.14\.2"),
        (header("# dependencies = 1"), r"header of x\.py cannot be read"),
        (header("# dependencies = ["), r"header of x\.py cannot be read"),
        (header('# requires-python = "new"'), r"header of x\.py cannot be read"),
        (header("# x = 1") + header("# x = 1"), "more than one"),
    ],
)
def test_a_header_that_cannot_be_used_is_reported(code: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        read_header(code, f"{VERSION}.2", "x.py")


@pytest.mark.parametrize(
    "dependency",
    [
        "http://127.0.0.1:80/leaf-1.0-py3-none-any.whl",
        "leaf @ file:///etc/leaf-1.0-py3-none-any.whl",
        "/workspace/leaf-1.0-py3-none-any.whl",
        "leaf===${HOME}",
    ],
)
def test_a_script_cannot_send_the_host_to_an_address_or_a_file(dependency: str) -> None:
    with pytest.raises(ConfigError):
        read_header(header(f"# dependencies = ['{dependency}']"), f"{VERSION}.2", "x.py")


@pytest.mark.parametrize("line", ["# /// script\n", "# /// script\n# ///\n", "# ///\n", "#\n"])
def test_a_header_without_end_is_read_in_time(line: str) -> None:
    began = time.monotonic()
    with suppress(ConfigError):
        read_header("# /// script\n" + line * 200_000, f"{VERSION}.2", "x.py")
    assert time.monotonic() - began < 5
