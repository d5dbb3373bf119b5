"""Installing by processes that share a cache, and by one whose disk is full."""

import subprocess
import sys
from pathlib import Path

import pytest

from cloche.sandbox.packages.installed import InstalledPackages
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

INSTALL = """
import anyio, resource, sys
from cloche.errors import PackageError
from cloche.sandbox.packages.installed import InstalledPackages
async def mount(packages): print(*(each.name for each in packages))
async def read(path, limit): raise OSError
async def main():
    try:
        await InstalledPackages(mount, read).install(["leaf", "twig"])
    except PackageError as error:
        print(error)
if sys.argv[1:]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
anyio.run(main)
"""


def start(*args: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", INSTALL, *args], stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_two_processes_install_at_once(packages: InstalledPackages, index: WheelIndex, cache: Path) -> None:
    for name in ("leaf", "twig"):
        make_wheel(index.folder, name)
    processes = [start() for _ in range(3)]
    assert [process.communicate(timeout=15)[0] for process in processes] == ["leaf twig\n"] * 3
    assert index.asked.count("/files/leaf-1.0-py3-none-any.whl") == 1
    assert len(list((cache / "packages" / "blobs").glob("*.zip"))) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="only on POSIX")
def test_a_disk_that_is_full_leaves_nothing_half(packages: InstalledPackages, index: WheelIndex, cache: Path) -> None:
    for name in ("leaf", "twig"):
        make_wheel(index.folder, name, files={f"{name}.py": bytes(1 << 20)})
    told = start(str(1 << 18)).communicate(timeout=15)[0]
    assert "Could not store a package" in told
    left = [path.name for path in (cache / "packages" / "blobs").iterdir() if path.suffix != ".lock"]
    assert left == []
    assert list((cache / "packages" / "stages").iterdir()) == []
