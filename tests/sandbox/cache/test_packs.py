"""The files of a language: fetched on first use, whole or not at all, and mended."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from cloche import AssetsUnavailable, SyncSandbox
from cloche.sandbox.cache import packs
from cloche.sandbox.cache.assets import DownloadProgress, cache_dir
from cloche.sandbox.cache.folder_store import MANIFEST, find_damage
from tests.sandbox.cache.test_assets import UNREACHABLE

LANGUAGE = "lua"
FETCH = "import anyio; from cloche.sandbox.cache import packs; print(anyio.run(packs.ensure_pack, 'lua'))"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the engine's files in it, and no language."""
    shared = cache_dir()
    for name in ("assets", "snapshots", "layers"):
        if (shared / name).exists():
            shutil.copytree(shared / name, tmp_path / name, copy_function=os.link)
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path))
    return tmp_path


def fetch(steps: list[str]) -> Path:
    def note(progress: DownloadProgress) -> None:
        steps.append(progress.step)

    return anyio.run(packs.ensure_pack, LANGUAGE, note)


def test_a_language_without_files_of_its_own_is_always_ready(cache: Path) -> None:
    assert packs.pack_ready("python")
    assert packs.pack_ready("scheme")
    assert not packs.pack_ready(LANGUAGE)


@pytest.mark.network
@pytest.mark.timeout(120)
def test_files_are_fetched_once_and_mended_when_cut_short(cache: Path) -> None:
    steps: list[str] = []
    folder = fetch(steps)
    assert set(steps) == {"files of lua"}
    assert (folder.parent, find_damage(folder), packs.pack_ready(LANGUAGE)) == (cache / "packs", [], True)
    assert list((folder / "licences").iterdir())
    steps.clear()
    assert fetch(steps) == folder
    assert steps == []
    program = next(folder.glob("*.wasm"))
    program.write_bytes(program.read_bytes()[:1000])
    assert not packs.pack_ready(LANGUAGE)
    assert find_damage(folder) == [program.name]
    fetch(steps)
    assert find_damage(folder) == []
    assert [path.name for path in (cache / "packs").iterdir() if path.name.startswith(".tmp-")] == []


@pytest.mark.network
@pytest.mark.timeout(120)
@pytest.mark.slow
def test_a_program_that_was_changed_is_fetched_again(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = fetch([])
    program = next(folder.glob("*.wasm"))
    data = bytearray(program.read_bytes())
    data[len(data) // 2] ^= 0x55
    program.write_bytes(data)
    assert packs.pack_ready(LANGUAGE)
    with SyncSandbox() as box:
        assert box.run("print(1)", language=LANGUAGE).stdout == "1\n"
    assert f"damaged in the cache, fetched again: {folder}/{program.name}" in caplog.text
    assert find_damage(folder) == []


@pytest.mark.network
@pytest.mark.timeout(120)
@pytest.mark.slow
def test_a_changed_program_that_cannot_be_fetched_is_a_clear_error(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = next(fetch([]).glob("*.wasm"))
    program.write_bytes(bytes(program.stat().st_size))
    for name, value in UNREACHABLE.items():
        monkeypatch.setenv(name, value)
    with SyncSandbox() as box:
        with pytest.raises(AssetsUnavailable, match=r"Could not fetch the files of lua .*cloche fetch"):
            box.run("print(1)", language=LANGUAGE)
        assert box.run("1 + 1").value == "2"


def test_without_a_network_the_error_says_what_to_do(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in UNREACHABLE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(AssetsUnavailable, match=r"Could not fetch the files of lua .*cloche fetch"):
        fetch([])
    assert not packs.pack_ready(LANGUAGE)
    assert not (packs.pack_dir(LANGUAGE) / MANIFEST).exists()


@pytest.mark.network
@pytest.mark.timeout(120)
def test_two_processes_fetch_it_at_once(cache: Path) -> None:
    begun = [subprocess.Popen([sys.executable, "-c", FETCH], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=100)[0].strip() for process in begun]
    assert said == [str(packs.pack_dir(LANGUAGE))] * 2
    assert find_damage(packs.pack_dir(LANGUAGE)) == []
