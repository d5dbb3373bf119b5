"""Starts never harm what others use, and mend what is proved damaged."""

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from anyio import to_thread

import cloche
from cloche import Sandbox, SandboxUnavailable
from cloche.sandbox.cache import snapshots
from cloche.sandbox.cache.folder_store import find_damage
from cloche.sandbox.cache.snapshots import PreparedStart
from cloche.sandbox.process import launch_plan
from cloche.sandbox.process.engine_process import EngineProcess
from cloche.sandbox.process.start import start_engine
from tests.sandbox.conftest import OpenBox

RUN = "import cloche; print(cloche.run('6 * 7').value, cloche.__file__)"
STARTED = cast("EngineProcess", object())


def inodes(cache: Path) -> dict[str, int]:
    """Which folders there are below the cache, so that one that was replaced is noticed."""
    return {str(path): path.stat().st_ino for place in ("snapshots", "code") for path in (cache / place).glob("[!.]*")}


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_two_installations_share_a_cache_and_leave_each_others_files(own_cache: Path, tmp_path: Path) -> None:
    first = Path(cloche.__file__).parent.parent
    second = tmp_path / "second"
    shutil.copytree(first, second)
    seen: list[dict[str, int]] = []
    for source in (first, second, first, second):
        env = {**os.environ, "PYTHONPATH": str(source)}
        done = subprocess.run([sys.executable, "-c", RUN], env=env, capture_output=True, text=True, timeout=100)
        assert (done.stdout, done.stderr) == (f"42 {source}/cloche/__init__.py\n", "")
        seen.append(inodes(own_cache))
    assert len(seen[0]) == 2
    assert len(seen[1]) == 3
    assert seen[0].items() < seen[1].items()
    assert seen[1] == seen[2] == seen[3]


async def test_a_start_that_fails_leaves_sound_files_alone(own_cache: Path) -> None:
    before = inodes(own_cache)
    tried: list[PreparedStart] = []

    async def launch(prepared: PreparedStart) -> EngineProcess:
        tried.append(prepared)
        raise SandboxUnavailable("it did not start within 60 s: deno run --allow-read=python.snapshot")

    with pytest.raises(SandboxUnavailable, match="did not start"):
        await start_engine(launch)
    assert len(tried) == 1
    assert inodes(own_cache) == before


async def test_a_program_that_fails_and_names_the_snapshot_costs_no_file(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "deno"
    program.write_text('#!/bin/sh\necho "It has panicked."\necho "Args: $@" >&2\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setattr(launch_plan, "find_deno", lambda: str(program))
    before = inodes(own_cache)
    with pytest.raises(SandboxUnavailable) as told:
        await Sandbox(confinement="none").run("1")
    assert len(str(told.value).splitlines()) == 1
    assert inodes(own_cache) == before


def replace(folder: Path) -> None:
    folder.rename(folder.with_name("old"))
    shutil.copytree(folder.with_name("old"), folder)


async def test_files_that_were_replaced_meanwhile_are_opened_again(own_cache: Path) -> None:
    tried: list[PreparedStart] = []

    async def launch(prepared: PreparedStart) -> EngineProcess:
        tried.append(prepared)
        if len(tried) == 2:
            return STARTED
        await to_thread.run_sync(replace, prepared.snapshot.parent)
        raise FileNotFoundError

    assert await start_engine(launch) is STARTED


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def zero_a_part(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 65536] = bytes(len(data[middle : middle + 65536]))
    path.write_bytes(data)


def flip_five_bytes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for number in range(5):
        data[4096 + number * (len(data) - 4096) // 5] ^= 0x55
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.unlink()


def faults() -> list[str]:
    return [*find_damage(snapshots.snapshot_dir()), *find_damage(snapshots.code_dir())]


@pytest.mark.slow
@pytest.mark.timeout(90)
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("snapshots/*/python.snapshot", cut),
        ("snapshots/*/python.snapshot", empty),
        ("snapshots/*/python.snapshot", zero_a_part),
        ("snapshots/*/python.snapshot", flip_five_bytes),
        ("snapshots/*/manifest.json", remove),
        ("snapshots/*/manifest.json", cut),
        ("code/*/deno/v8_code_cache_v2", flip_five_bytes),
        ("code/*/deno/v8_code_cache_v2-wal", flip_five_bytes),
        ("code/*/deno/dep_analysis_cache_v2-wal", flip_five_bytes),
        ("code/*/deno/dep_analysis_cache_v2", cut),
        ("code/*/deno/v8_code_cache_v2", remove),
    ],
)
async def test_what_is_damaged_is_made_again_before_a_sandbox_is_handed_out(
    own_cache: Path, open_box: OpenBox, caplog: pytest.LogCaptureFixture, name: str, damage: Callable[[Path], None]
) -> None:
    (path,) = own_cache.glob(name)
    kept = [each for each in (snapshots.snapshot_dir(), snapshots.code_dir()) if not path.is_relative_to(each)]
    before = [each.stat().st_ino for each in kept]
    damage(path)
    with caplog.at_level(logging.WARNING):
        box = await open_box()
    assert (await box.run("import json, re\njson.dumps([6 * 7])", check=True)).value == "'[42]'"
    assert await to_thread.run_sync(faults) == []
    # The other one is as it was.
    assert [each.stat().st_ino for each in kept] == before


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_damaged_snapshot_is_made_again_also_where_code_has_to_be_compiled_with_it(
    own_cache: Path, open_box: OpenBox
) -> None:
    path = snapshots.snapshot_dir() / "python.snapshot"
    path.write_bytes(bytes(path.stat().st_size))
    await to_thread.run_sync(shutil.rmtree, snapshots.code_dir())
    assert (await (await open_box()).run("6 * 7", check=True)).value == "42"
    assert await to_thread.run_sync(faults) == []


SHORT = """
import anyio, os, resource
import cloche

async def start():
    try:
        async with cloche.Sandbox() as box:
            return (await box.run("6 * 7")).value
    except cloche.SandboxError as error:
        return "short" if "ulimit -n" in str(error) else str(error)

async def main():
    print(await start())
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    taken = []
    try:
        while True: taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError: pass
    for _ in range(8):
        print(await start())
        os.close(taken.pop())
    for fd in taken: os.close(fd)
    print(await start())

anyio.run(main)
"""


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_a_start_without_descriptors_harms_nothing(own_cache: Path) -> None:
    before = inodes(own_cache)
    done = subprocess.run([sys.executable, "-c", SHORT], capture_output=True, text=True, timeout=50, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (["42", *["short"] * 8, "42"], "")
    assert inodes(own_cache) == before


@pytest.mark.slow
@pytest.mark.timeout(90)
async def test_mending_says_so_in_one_line(own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    zero_a_part(snapshots.snapshot_dir() / "python.snapshot")
    with caplog.at_level(logging.WARNING):
        async with Sandbox():
            pass
    (line,) = (record.getMessage() for record in caplog.records if record.name.startswith("cloche"))
    assert "damaged in the cache, made again" in line
    assert "python.snapshot" in line


async def test_an_unconfined_sandbox_does_not_write_to_what_others_share(own_cache: Path, open_box: OpenBox) -> None:
    box = await open_box(confinement="none")
    assert (await box.run("6 * 7", check=True)).value == "42"
    await box.close()
    assert await to_thread.run_sync(faults) == []


def test_compiled_code_does_not_count_deno_itself(prepared: PreparedStart) -> None:
    manifest = (prepared.code_cache.parent / "manifest.json").read_text()
    assert "v8_code_cache" in manifest
    assert "node_compat_bin" not in manifest
