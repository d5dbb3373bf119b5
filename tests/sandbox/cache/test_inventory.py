"""What is stored, what may go, and what happens when somebody prunes while others work."""

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from cloche.sandbox.cache import assets, snapshots, usage
from cloche.sandbox.cache.checksummed_file import add_zip_checksum, write_checksummed
from cloche.sandbox.cache.inventory import CacheEntry, find_prunable, list_entries, remove_entry
from cloche.sandbox.cache.usage import DAY, hold_in_use, in_use, last_used, reserve_unused, touch_used
from cloche.sandbox.cache.verify import describe_fault
from cloche.sandbox.packages.blobs import blob_path

HOLDER = """
import sys
from pathlib import Path
from cloche.sandbox.cache.usage import hold_in_use
hold_in_use(Path(sys.argv[1]))
print("holds", flush=True)
sys.stdin.read()
"""

WORKER = """
import anyio, sys
from pathlib import Path
from cloche.sandbox.cache.file_lock import lock_file
from cloche.sandbox.cache.usage import hold_in_use

async def main(path):
    hold_in_use(path)
    if not path.exists():
        async with lock_file(path.parent / ".lock"):
            if not path.exists():
                (stage := path.with_name(f".tmp-{id(path)}")).mkdir()
                (stage / "file").write_text("whole")
                stage.rename(path)
    for _ in range(100):
        assert (path / "file").read_text() == "whole"
        await anyio.sleep(0.001)

anyio.run(main, Path(sys.argv[1]))
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path))
    monkeypatch.setattr(usage, "_held", {})
    return tmp_path


@contextmanager
def held(path: Path) -> Generator[None]:
    """Another process uses it."""
    argv = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "holds\n"
            yield
        finally:
            child.kill()


def make(path: Path, days: float = 0) -> Path:
    """An entry that was last used so many days ago."""
    if path.suffix in (".zip", ".json", ".sealed"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    else:
        path.mkdir(parents=True)
        (path / "file").write_text("x" * 1000)
    when = time.time() - days * DAY
    os.utime(path, (when, when))
    return path


def gone(entry: CacheEntry) -> bool:
    return anyio.run(remove_entry, entry)


def named(found: list[CacheEntry]) -> set[str]:
    return {each.name for each in found}


def test_every_kind_is_listed_with_its_size(store: Path) -> None:
    mine = make(store / "assets" / assets.asset_key())
    make(store / "assets" / "other", 40)
    make(snapshots.snapshot_dir())
    make(store / "assets" / ".tmp-dead", 3)
    blob = make(blob_path("ab" * 32))
    (store / "assets" / ".lock").touch()
    (store / "mine.txt").write_text("not known")
    found = {each.name: each for each in list_entries()}
    assert set(found) == {mine.name, "other", snapshots.snapshot_dir().name, ".tmp-dead", blob.name}
    assert (found[mine.name].size, found[mine.name].current, found[mine.name].in_use) == (1000, True, False)
    assert (found["other"].current, round((time.time() - found["other"].used) / DAY)) == (False, 40)
    assert found[".tmp-dead"].kind == "leftover"
    assert found[blob.name].kind == "package"


def test_an_empty_or_missing_cache_holds_nothing(store: Path) -> None:
    assert list_entries() == []


def test_old_things_may_go_but_this_versions_files_stay(store: Path) -> None:
    make(store / "assets" / assets.asset_key(), 90)
    make(snapshots.snapshot_dir(), 90)
    make(store / "assets" / "old", 90)
    make(store / "assets" / "new", 1)
    make(store / "snapshots" / ".tmp-fresh")
    make(blob_path("ab" * 32), 90)
    make(blob_path("cd" * 32), 1)
    found = list_entries()
    assert named(find_prunable(found, older_than=30 * DAY)) == {"old", blob_path("ab" * 32).name}
    both = named(find_prunable(found, older_than=30 * DAY, versions=True))
    assert both == {"old", "new", blob_path("ab" * 32).name}
    assert named(find_prunable(found, older_than=0, everything=True)) == named(found) - {".tmp-fresh"}


def test_what_is_removed_is_gone_with_its_stamp(store: Path) -> None:
    folder, blob = make(store / "assets" / "old", 90), make(blob_path("ab" * 32), 90)
    (store / "assets" / ".used-old").touch()
    assert [gone(each) for each in list_entries()] == [True, True]
    assert not folder.exists()
    assert not blob.exists()
    assert sorted(path.name for path in store.rglob("*") if path.is_file()) == [".lock"]


def test_what_a_process_uses_stays(store: Path) -> None:
    folder = make(store / "assets" / "old", 90)
    with held(folder):
        (entry,) = list_entries()
        assert entry.in_use
        assert find_prunable([entry], older_than=0, everything=True) == []
        assert not gone(entry)
        assert folder.exists()
    assert not in_use(folder)
    assert gone(entry)


def test_packages_of_the_last_days_stay_while_a_process_installs(store: Path) -> None:
    make(blob_path("ab" * 32), 90)
    make(blob_path("cd" * 32), 1)
    with held(store / "packages"):
        found = list_entries()
        chosen = find_prunable(found, older_than=0, everything=True)
        assert named(chosen) == {blob_path("ab" * 32).name}
        assert [gone(each) for each in chosen] == [True]
    assert named(find_prunable(list_entries(), older_than=0, everything=True)) == {blob_path("cd" * 32).name}


def test_the_time_of_use_is_noted_once_a_day(store: Path) -> None:
    folder = make(store / "assets" / "old", 90)
    hold_in_use(folder)
    assert time.time() - last_used(folder) < 60
    noted = last_used(folder)
    hold_in_use(folder)
    touch_used(folder.with_name(".used-old"))
    assert last_used(folder) == noted
    os.utime(folder.with_name(".used-old"), (1, 1))
    hold_in_use(folder)
    assert last_used(folder) > 2
    assert in_use(folder)


def test_noting_use_never_fails(store: Path) -> None:
    hold_in_use(store / "nowhere" / "at-all")
    touch_used(store / "nothing")
    assert not in_use(store / "nowhere" / "at-all")
    with reserve_unused(store / "nothing") as free:
        assert free


@pytest.mark.slow
def test_processes_that_use_and_make_an_entry_are_safe_from_one_that_prunes(store: Path) -> None:
    path = store / "assets" / "shared"
    path.parent.mkdir()
    argv = [sys.executable, "-c", WORKER, str(path)]
    removed = 0
    for _ in range(4):
        children = [subprocess.Popen(argv, stderr=subprocess.PIPE) for _ in range(3)]
        while any(child.poll() is None for child in children):
            for entry in list_entries():
                removed += gone(entry)
        for child in children:
            _, err = child.communicate(timeout=5)
            assert (child.returncode, err) == (0, b"")
    for entry in list_entries():
        removed += gone(entry)
    assert removed


OLDER = (
    "packages/blobs/ab-3.zip",
    "packages/resolved/ab.json",
    "packages/answers/ab.answer",
    "packages/stubs/ab-1/x",
    "layers/ab",
)
"""Files of older versions, without checksums."""


def test_what_an_older_version_left_is_not_called_broken(store: Path) -> None:
    for name in OLDER:
        (store / name).parent.mkdir(parents=True)
        (store / name).write_text("{}")
    found = list_entries()
    assert len(found) == len(OLDER)
    assert [(each.current, describe_fault(each)) for each in found] == [(False, None)] * len(OLDER)


def test_broken_things_are_found(store: Path, assets: Path) -> None:
    whole = blob_path("ab" * 32)
    whole.parent.mkdir(parents=True)
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("a.py", "x" * 1000)
    add_zip_checksum(whole)
    with zipfile.ZipFile(whole) as archive:
        assert archive.testzip() is None
    data = bytearray(whole.read_bytes())
    data[100] ^= 1
    blob_path("cd" * 32).write_bytes(data)
    blob_path("ef" * 32).write_bytes(b"cut")
    make(store / "snapshots" / "half")
    make(store / "assets" / "half")
    make(store / "packages" / "resolved" / "b.sealed").write_text("{")
    write_checksummed(store / "packages" / "resolved" / "a.sealed", b"{}")
    faults = {each.name: describe_fault(each) for each in list_entries()}
    assert faults[whole.name] is None
    assert faults["a.sealed"] is None
    assert faults[blob_path("cd" * 32).name] == faults[blob_path("ef" * 32).name] == "cut short or changed"
    assert [faults["b.sealed"] is None, faults["half"] is None] == [False, False]
