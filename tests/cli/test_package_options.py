"""Packages on the command line, from an index on loopback."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Cloche
from tests.guest_python import VERSION
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel
from tests.sandbox.registries.index_server import Site
from tests.sandbox.registries.makers import RockIndex

NAME = f"cloche-sample-{os.getpid()}"
"""Another one each time, since what is resolved is kept in the user's cache."""

MODULE = NAME.replace("-", "_")
USE = f"import {MODULE}; print({MODULE}.version)"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelIndex]:
    with WheelIndex(tmp_path / "index") as index:
        make_wheel(index.folder, NAME)
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("PIP_INDEX_URL", f"{index.address}/simple")
        monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield index


@pytest.mark.usefixtures("prepared", "index")
@pytest.mark.slow
def test_packages_are_named_by_options_and_headers(cloche: Cloche, tmp_path: Path) -> None:
    done = cloche("run", "--with", NAME, "-c", USE)
    assert (done.stdout, done.returncode) == ("1.0\n", 0)
    listed = tmp_path / "requirements.txt"
    listed.write_text(f"{NAME} >= 1\n")
    assert cloche("run", "-r", str(listed), "-c", USE).stdout == "1.0\n"
    script = tmp_path / "script.py"
    script.write_text(f'# /// script\n# dependencies = ["{NAME}"]\n# ///\n{USE}\n')
    assert cloche("run", str(script)).stdout == "1.0\n"
    wheel = make_wheel(tmp_path, f"{NAME}-other", "2.0")
    done = cloche("run", "--with", str(wheel), "-c", USE.replace(MODULE, f"{MODULE}_other"))
    assert done.stdout == "2.0\n"


@pytest.mark.usefixtures("prepared", "index")
def test_a_script_for_another_python_is_refused(cloche: Cloche, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text('# /// script\n# requires-python = "<3.13"\n# ///\nprint(1)\n')
    done = cloche("run", str(script))
    assert (done.stdout, done.returncode) == ("", 2)
    assert f"needs Python <3.13, and the sandbox has {VERSION}" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("prepared", "index")
def test_a_package_that_cannot_be_had_is_reported(cloche: Cloche) -> None:
    done = cloche("run", "--with", "nothing-like-it", "-c", "1")
    assert (done.stdout, done.returncode) == ("", 69)
    assert "No package is called 'nothing-like-it'" in done.stderr
    assert cloche("run", "--with", "not a name", "-c", "1").returncode == 2


@pytest.mark.slow
@pytest.mark.usefixtures("prepared")
def test_neither_a_script_nor_a_package_steers_the_terminal(cloche: Cloche, index: WheelIndex, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text('# /// script\n# requires-python = "===3\\u001b]evil\\u0007"\n# ///\nprint(1)\n')
    done = cloche("run", str(script))
    assert (done.returncode, "\x1b" in done.stderr, "needs Python" in done.stderr) == (2, False, True)
    make_wheel(index.folder, f"{NAME}-evil", inner_name="x\x1b]0;evil\x07")
    done = cloche("run", "--with", f"{NAME}-evil", "-c", "1")
    assert (done.returncode, "\x1b" in done.stderr) == (69, False)


@pytest.mark.slow
@pytest.mark.usefixtures("prepared")
@pytest.mark.timeout(60)
def test_another_language_gets_its_own_packages(cloche: Cloche, monkeypatch: pytest.MonkeyPatch) -> None:
    rock = MODULE.replace("_", "")
    with Site() as site:
        monkeypatch.setenv("CLOCHE_LUAROCKS_URL", site.address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        RockIndex(site).add(rock)
        done = cloche("run", "-l", "lua", "--with", rock, "-c", f"print(require('{rock}').version)")
        assert (done.stdout, done.returncode) == ("1.0-1\n", 0)
        done = cloche("run", "-l", "lua", "--with", "nothing-like-it", "-c", "1")
        assert (done.returncode, "No lua package is called 'nothing-like-it'" in done.stderr) == (69, True)
        done = cloche("run", "-l", "scheme", "--with", "x", "-c", "1")
        assert (done.returncode, "no packages for scheme" in done.stderr) == (2, True)
    assert f"lua-{rock}-1.0-1-" in cloche("cache", "--json").stdout
