"""Folders of the cache: on the disk before they get their names, and not damaged where a machine is only short."""

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from cloche.sandbox.cache import folder_store

FILES = ("a", "deep/b")


async def fill(target: Path) -> bool:
    async def write(_: Path, whole: Path) -> None:
        for name in FILES:
            path = anyio.Path(whole / name)
            await path.parent.mkdir(exist_ok=True)
            await path.write_text(name)

    return await folder_store.ensure_folder(target, write, whole=lambda: False)


SHORT = """
import os, resource, sys
from pathlib import Path
from cloche.sandbox.cache import folder_store
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True: taken.append(os.open("/dev/null", os.O_RDONLY))
except OSError: pass
def look(what):
    try: print(what.__name__, what(Path(sys.argv[1])))
    except OSError as error: print(what.__name__, error.strerror)
for free in range(2):
    for what in (folder_store.is_whole, folder_store.find_damage, folder_store.find_new_damage): look(what)
    os.close(taken.pop())
"""


def test_a_file_that_cannot_be_opened_for_want_of_descriptors_is_not_damaged(tmp_path: Path) -> None:
    anyio.run(fill, tmp_path / "kept")
    done = subprocess.run(
        [sys.executable, "-c", SHORT, str(tmp_path / "kept")], capture_output=True, text=True, timeout=30, check=True
    )
    short = [f"{what} Too many open files" for what in ("is_whole", "find_damage", "find_new_damage")]
    assert done.stdout.splitlines() == [*short, "is_whole True", "find_damage []", "find_new_damage []"]


async def test_everything_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, Path.rename

    def note_sync(fd: int) -> None:
        done.append(Path(f"/proc/self/fd/{fd}").readlink().name)
        sync(fd)

    def note_rename(path: Path, target: Path) -> Path:
        done.append(f"{path.name} -> {target.name}")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "rename", note_rename)
    await fill(tmp_path / "kept")
    before = done[: done.index("whole -> kept")]
    assert {"a", "b", "deep", folder_store.MANIFEST, "whole"} <= {*before}
    assert done[-1] == tmp_path.name
