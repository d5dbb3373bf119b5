"""What other versions left is removed after 30 days, and nothing else is."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cloche.sandbox.cache import assets, auto_prune, snapshots, usage
from cloche.sandbox.cache.auto_prune import STAMP, prune_daily, prune_in_background
from cloche.sandbox.cache.usage import DAY
from cloche.sandbox.packages.blobs import blob_path

OLD = (
    *("assets/old", "snapshots/old", "code/old", "packs/lua-old", "packs/cobol-old"),
    *("packages/blobs/ab-3.zip", "packages/stubs/ab-1", "packages/answers/ab.answer", "layers/ab"),
)
"""What other versions of Cloche have written."""

PRUNE = """
import sys
from cloche.sandbox.cache.auto_prune import prune_daily
print("ready", flush=True)
sys.stdin.readline()
prune_daily()
"""
USE = """
import sys, time
from pathlib import Path
from cloche.sandbox.cache.usage import hold_in_use
path = Path(sys.argv[1])
hold_in_use(path)
print("holds" if path.exists() else "gone", flush=True)
sys.stdin.readline()
print("whole" if (path / "file").exists() else "gone", flush=True)
"""
BUILD = """
import sys
from pathlib import Path
from cloche.sandbox.cache.file_lock import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("builds", flush=True)
    sys.stdin.readline()
"""
SLOW_END = """
import time
from cloche.sandbox.cache import auto_prune
def wait():
    print("begun", flush=True)
    time.sleep(60)
auto_prune.prune_daily = wait
auto_prune.prune_in_background()
time.sleep(0.2)
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own that is pruned."""
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path))
    monkeypatch.delenv(auto_prune.VARIABLE, raising=False)
    monkeypatch.setattr(usage, "_held", {})
    monkeypatch.setattr(auto_prune, "_begun", {})
    return tmp_path


def make(path: Path, days: float) -> Path:
    """An entry that was last used so many days ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix:
        path.write_text("x" * 1000)
    else:
        path.mkdir()
        (path / "file").write_text("x" * 1000)
    when = time.time() - days * DAY
    os.utime(path, (when, when))
    return path


def start(program: str, *args: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program, *args], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def say(child: subprocess.Popen[str], text: str = "\n") -> None:
    assert child.stdin is not None
    child.stdin.write(text)
    child.stdin.flush()


def hear(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def wait_for(path: Path) -> None:
    end = time.monotonic() + 10
    while path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not path.exists()


def test_what_other_versions_left_goes_after_thirty_days(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    old = [make(store / name, 31) for name in OLD]
    dead = make(store / "assets" / ".tmp-dead", 3)
    caplog.set_level(logging.INFO)
    prune_daily()
    assert [path for path in (*old, dead) if path.exists()] == []
    (line,) = caplog.messages
    assert line == "removed from the cache, unused for 30 days: 10 entries, 0.0 MB"


def test_what_this_version_uses_or_cannot_make_again_stays(store: Path) -> None:
    mine = [make(folder, 90) for folder in (assets.assets_dir(), snapshots.snapshot_dir(), snapshots.code_dir())]
    mine += [make(blob_path("ab" * 32), 90), make(store / "packages" / "resolved" / "ab.sealed", 90)]
    mine += [make(store / "points" / "project", 90), make(store / "unknown", 90)]
    recent = [make(store / "assets" / "recent", 29), make(store / "packages" / "blobs" / "ab-3.zip", 29)]
    fresh = make(store / "assets" / ".tmp-fresh", 1)
    prune_daily()
    assert all(path.exists() for path in (*mine, *recent, fresh))


def test_what_was_used_lately_stays_though_it_was_made_long_ago(store: Path) -> None:
    folder = make(store / "assets" / "old", 90)
    (store / "assets" / ".used-old").touch()
    prune_daily()
    assert folder.exists()


def test_it_is_done_once_a_day(store: Path) -> None:
    prune_daily()
    late = make(store / "assets" / "old", 90)
    prune_daily()
    assert late.exists()
    os.utime(store / STAMP, (time.time() - 2 * DAY, time.time() - 2 * DAY))
    prune_daily()
    assert not late.exists()


def test_what_was_broken_off_is_done_at_the_next_start(store: Path) -> None:
    (store / STAMP).touch()
    old = make(store / "assets" / "old", 90)
    prune_daily()
    assert not old.exists()


def test_what_another_process_uses_stays(store: Path) -> None:
    folders = [make(store / "assets" / "old", 90), make(store / "packs" / "lua-old", 90)]
    with start(USE, str(folders[0])) as user:
        assert hear(user) == "holds"
        # As if it had begun long ago.
        os.utime(store / "assets" / ".used-old", (1, 1))
        prune_daily()
        say(user)
        assert hear(user) == "whole"
    assert [path.exists() for path in folders] == [True, False]


def test_where_somebody_builds_nothing_waits_and_nothing_goes(store: Path) -> None:
    folder = make(store / "assets" / "old", 90)
    with start(BUILD, str(store / "assets" / ".lock")) as builder:
        assert hear(builder) == "builds"
        began = time.monotonic()
        prune_daily()
        assert time.monotonic() - began < 2
        assert folder.exists()
        say(builder)


@pytest.mark.slow
def test_two_processes_at_once_remove_everything_and_hurt_nobody(store: Path) -> None:
    for turn in range(3):
        old = [make(store / "assets" / f"old{turn}-{at}", 90) for at in range(50)]
        (store / STAMP).unlink(missing_ok=True)
        pruners = [start(PRUNE) for _ in range(2)]
        assert [hear(each) for each in pruners] == ["ready", "ready"]
        users = [start(USE, str(old[at])) for at in (0, 49)]
        for each in pruners:
            say(each)
        first = [hear(each) for each in users]
        for each in users:
            say(each)
        # What a process holds and has found stays; what is gone was gone before it looked.
        assert [hear(each) for each in users] == ["whole" if each == "holds" else "gone" for each in first]
        ends = [each.communicate(timeout=10) for each in (*pruners, *users)]
        assert [err for _, err in ends] == [""] * 4
        held = {old[at] for at, word in zip((0, 49), first, strict=True) if word == "holds"}
        assert set((store / "assets").glob(f"old{turn}-*")) == held


def test_it_runs_beside_the_program_and_ends_with_it(store: Path) -> None:
    old = make(store / "assets" / "old", 90)
    prune_in_background()
    wait_for(old)
    began = time.monotonic()
    with start(SLOW_END) as child:
        assert hear(child) == "begun"
        assert child.wait(timeout=10) == 0
    assert time.monotonic() - began < 10


def test_it_can_be_switched_off(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(auto_prune.VARIABLE, "0")
    make(store / "assets" / "old", 90)
    prune_in_background()
    assert not auto_prune._begun  # pyright: ignore[reportPrivateUsage]
    assert not (store / STAMP).exists()


def test_a_cache_that_may_only_be_read_is_left_alone(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOCHE_CACHE", "/proc/nowhere")
    prune_daily()
