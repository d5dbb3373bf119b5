"""`cloche cache`."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from cloche.sandbox.cache import assets, snapshots
from tests.cli.conftest import Cloche

TALK = "print('on', flush=True); input(); print('still here')"


@pytest.fixture
def copy(prepared: None, tmp_path: Path) -> Path:
    """This version's files in a cache of its own, and old ones beside them."""
    for folder in (assets.assets_dir(), snapshots.snapshot_dir(), snapshots.code_dir()):
        target = tmp_path / folder.parent.name / folder.name
        shutil.copytree(folder, target, copy_function=os.link)
        old = target.with_name("old")
        old.mkdir()
        os.utime(old, (1, 1))
    return tmp_path


def stored(cache: Path) -> set[str]:
    return {path.name for path in cache.glob("*/*") if path.is_dir()}


def test_what_is_stored_is_shown(cloche: Cloche, copy: Path) -> None:
    shown = cloche("cache", CLOCHE_CACHE=str(copy)).stdout
    assert shown.startswith(f"{copy}: ")
    assert f"{assets.asset_key()}" in shown
    assert "this version" in shown
    told = json.loads(cloche("cache", "--json", CLOCHE_CACHE=str(copy)).stdout)
    assert {each["name"] for each in told["entries"]} >= {"old", assets.asset_key()}
    assert told["size"] == sum(each["size"] for each in told["entries"])
    assert cloche("cache", "path", CLOCHE_CACHE=str(copy)).stdout == f"{copy}\n"


def test_pruning_removes_what_is_old_and_says_so(cloche: Cloche, copy: Path) -> None:
    before = stored(copy)
    assert "Would free" in cloche("cache", "prune", "--dry-run", CLOCHE_CACHE=str(copy)).stdout
    assert stored(copy) == before
    done = cloche("cache", "prune", CLOCHE_CACHE=str(copy))
    assert (done.returncode, done.stdout.count("old")) == (0, 3)
    assert stored(copy) == before - {"old"}
    told = json.loads(cloche("cache", "prune", "--all", "--json", CLOCHE_CACHE=str(copy)).stdout)
    assert len(told["removed"]) == 3
    assert stored(copy) == set()


def test_an_age_that_is_none_is_a_usage_error(cloche: Cloche) -> None:
    done = cloche("cache", "prune", "--older-than", "soon")
    assert done.returncode == 2
    assert "30d" in done.stderr


@pytest.mark.slow
def test_a_running_sandbox_keeps_its_files_while_all_is_pruned(
    cloche: Cloche, copy: Path, program: list[str], tmp_path: Path
) -> None:
    pipe = subprocess.PIPE
    env = {**os.environ, "CLOCHE_CACHE": str(copy)}
    before = stored(copy)
    with subprocess.Popen([*program, "run", "-c", TALK], stdin=pipe, stdout=pipe, text=True, env=env) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "on\n"
            assert "in use" in cloche("cache", CLOCHE_CACHE=str(copy)).stdout
            assert cloche("cache", "prune", "--all", CLOCHE_CACHE=str(copy)).returncode == 0
            assert stored(copy) == before - {"old"}
            out, _ = child.communicate("\n", timeout=10)
            assert (child.returncode, out) == (0, "still here\n")
        finally:
            child.kill()


@pytest.mark.slow
def test_starting_and_pruning_at_the_same_time_both_succeed(cloche: Cloche, copy: Path, program: list[str]) -> None:
    env = {**os.environ, "CLOCHE_CACHE": str(copy)}
    prune = [*program, "cache", "prune", "--older-than", "0s"]
    deadline = time.monotonic() + 15
    for _ in range(2):
        runs = [
            subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            for argv in ([*program, "run", "-c", "6 * 7"], prune, prune)
        ]
        outs = [each.communicate(timeout=deadline - time.monotonic())[0] for each in runs]
        assert [each.returncode for each in runs] == [0, 0, 0]
        assert outs[0] == b"42\n"


@pytest.mark.slow
def test_a_start_prunes_what_older_versions_left(cloche: Cloche, copy: Path) -> None:
    before = stored(copy)
    done = cloche("run", "-v", "-c", "import time; time.sleep(2); 6 * 7", CLOCHE_CACHE=str(copy), CLOCHE_PRUNE="")
    assert done.stdout == "42\n"
    assert "removed from the cache, unused for 30 days: 3 entries" in done.stderr
    assert stored(copy) == before - {"old"}


@pytest.mark.parametrize("name", ["python.snapshot", "v8_code_cache_v2"])
def test_damage_that_no_size_shows_is_reported(cloche: Cloche, copy: Path, name: str) -> None:
    (victim,) = (path for path in copy.rglob(name) if "old" not in path.parts)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0x55
    victim.unlink()
    victim.write_bytes(data)
    done = cloche("cache", "verify", CLOCHE_CACHE=str(copy))
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if f"{name} missing or changed" in line]


@pytest.mark.timeout(90)
@pytest.mark.slow
def test_what_is_broken_is_reported_and_mended_on_request(cloche: Cloche, copy: Path) -> None:
    shutil.rmtree(copy / "assets" / "old")
    shutil.rmtree(copy / "snapshots" / "old")
    shutil.rmtree(copy / "code" / "old")
    assert cloche("cache", "verify", CLOCHE_CACHE=str(copy)).stdout == "3 checked, 0 broken.\n"
    victim = copy / "assets" / assets.asset_key() / "import_map.json"
    # Not in place: the file is a link to the one in the real cache.
    text = victim.read_text()
    victim.unlink()
    victim.write_text(text.replace("{", "[", 1))
    done = cloche("cache", "verify", CLOCHE_CACHE=str(copy))
    assert done.returncode == 1
    assert "import_map.json missing or changed" in done.stdout
    told = json.loads(cloche("cache", "verify", "--json", CLOCHE_CACHE=str(copy)).stdout)
    assert [each["fixed"] for each in told["broken"]] == [False]
    victim.write_text(text)
    place = copy / "code" / snapshots.code_dir().name / "engine.txt"
    text = place.read_text()
    place.unlink()
    place.write_text(text.upper())
    (copy / "packages" / "blobs").mkdir(parents=True)
    (copy / "packages" / "blobs" / "cut-4.zip").write_bytes(b"cut")
    done = cloche("cache", "verify", "--fix", CLOCHE_CACHE=str(copy))
    assert done.returncode == 0
    assert "engine.txt missing or changed; made again\n" in done.stdout
    assert "cut-4.zip: cut short or changed; removed\n" in done.stdout
    assert place.read_text() == text
    assert cloche("cache", "verify", CLOCHE_CACHE=str(copy)).stdout == "3 checked, 0 broken.\n"
