"""Which pip is used, and what it is kept from."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from cloche.errors import PackageError
from cloche.sandbox.cache import fetch_tools
from cloche.sandbox.packages.host_pip.resolver import SCRIPT
from cloche.sandbox.packages.installed import InstalledPackages
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

BUNDLED = fetch_tools.bundled_pip()
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
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
"""


@pytest.fixture
def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_tools, "has_pip", lambda: False)


@pytest.mark.slow
@pytest.mark.usefixtures("without_pip")
async def test_without_pip_the_one_for_new_environments_is_used(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf")
    await packages.install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


@pytest.mark.slow
@pytest.mark.usefixtures("without_pip")
async def test_without_both_uv_provides_one_and_its_index_counts(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BUNDLED is not None
    shutil.copy(BUNDLED, index.folder)
    make_wheel(index.folder, "leaf")
    monkeypatch.setattr(fetch_tools, "bundled_pip", lambda: None)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.delenv("PIP_INDEX_URL")
    for name, value in {"UV_DEFAULT_INDEX": f"{index.address}/simple", "UV_CACHE_DIR": str(tmp_path / "uv")}.items():
        monkeypatch.setenv(name, value)
    await packages.install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


@pytest.mark.usefixtures("without_pip")
async def test_without_any_the_error_says_what_to_install(
    packages: InstalledPackages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_tools, "bundled_pip", lambda: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PackageError, match=r"need pip or uv .*apt-get install python3-pip"):
        await packages.install(["leaf"])


@pytest.mark.skipif(sys.platform == "win32", reason="only on POSIX")
def test_pip_starts_no_program(tmp_path: Path) -> None:
    settings = '{"environment": {}, "addresses": [], "memory": 4000000000, "file": 1000000}'
    argv = [sys.executable, "-P", "-c", HOSTILE, str(SCRIPT), "", settings]
    theirs, ours = os.pipe()
    try:
        done = subprocess.run(argv, stdin=theirs, capture_output=True, text=True, timeout=15, check=True)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stdout.count("packages may not start programs on the host") == 3


INSTALLING = """
import anyio
from cloche.sandbox.packages.installed import InstalledPackages

async def mount(packages): pass
async def read(path, limit): return b""

anyio.run(InstalledPackages(mount, read).install, ["leaf"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_pip_ends_when_whoever_started_it_is_killed(
    packages: InstalledPackages, index: WheelIndex, cache: Path
) -> None:
    make_wheel(index.folder, "leaf")
    index.open.clear()
    async with await anyio.open_process([sys.executable, "-c", INSTALLING]) as process:
        await anyio.to_thread.run_sync(index.arrived.wait, 15)
        assert await anyio.to_thread.run_sync(_count_pips, cache) == 1
        process.kill()
    with anyio.fail_after(15):
        while await anyio.to_thread.run_sync(_count_pips, cache):  # noqa: ASYNC110 - no event
            await anyio.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_pip_ends_with_an_installation_that_is_given_up(
    packages: InstalledPackages, index: WheelIndex, cache: Path
) -> None:
    make_wheel(index.folder, "leaf")
    index.open.clear()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(packages.install, ["leaf"])
        await anyio.to_thread.run_sync(index.arrived.wait, 15)
        tasks.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(_count_pips, cache) == 0


def _count_pips(cache: Path) -> int:
    """Processes that work in a stage of this cache; one that has ended and waits to be seen has no words left."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes()
            count += b"run_pip.py" in words and str(cache).encode() in words
    return count
