"""Which pip is used, and what it is kept from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cloche.errors import PackageError
from cloche.sandbox import tools
from cloche.sandbox.packages.packages import Packages
from cloche.sandbox.packages.resolving import SCRIPT
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.shelf import Shelf, make_wheel

BUNDLED = tools.bundled_pip()
HOSTILE = """
import importlib.abc, importlib.util, sys

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "pip._internal.cli.main" else None

    def exec_module(self, module):
        module.main = main

def main(args):
    import os, subprocess
    for act in (lambda: subprocess.run(["true"]), lambda: os.system("true"), lambda: os.execv("/bin/true", ["true"])):
        try:
            act()
        except PermissionError as error:
            print(error)
    return 0

sys.meta_path.insert(0, Finder())
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__"})
"""


@pytest.fixture
def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "has_pip", lambda: False)


@pytest.mark.usefixtures("without_pip")
async def test_without_pip_the_one_for_new_environments_is_used(
    packages: Packages, mounted: Mounted, index: Shelf
) -> None:
    make_wheel(index.folder, "leaf")
    await packages.install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


@pytest.mark.usefixtures("without_pip")
async def test_without_both_uv_provides_one_and_its_index_counts(
    packages: Packages, mounted: Mounted, index: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BUNDLED is not None
    shutil.copy(BUNDLED, index.folder)
    make_wheel(index.folder, "leaf")
    monkeypatch.setattr(tools, "bundled_pip", lambda: None)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.delenv("PIP_INDEX_URL")
    for name, value in {"UV_DEFAULT_INDEX": f"{index.address}/simple", "UV_CACHE_DIR": str(tmp_path / "uv")}.items():
        monkeypatch.setenv(name, value)
    await packages.install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


@pytest.mark.usefixtures("without_pip")
async def test_without_any_the_error_says_what_to_install(packages: Packages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "bundled_pip", lambda: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PackageError, match=r"need pip or uv .*apt-get install python3-pip"):
        await packages.install(["leaf"])


@pytest.mark.skipif(sys.platform == "win32", reason="only on POSIX")
def test_pip_starts_no_program(tmp_path: Path) -> None:
    settings = '{"environment": {}, "memory": 4000000000, "file": 1000000}'
    argv = [sys.executable, "-P", "-c", HOSTILE, str(SCRIPT), "", settings]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=15, check=True)
    assert done.stdout.count("packages may not start programs on the host") == 3
