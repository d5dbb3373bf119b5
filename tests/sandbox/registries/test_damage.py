"""Every file of a cache after an installation from each registry: damage is found, and the next use mends it."""

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest

from cloche.errors import ConfigError
from cloche.sandbox.cache import packs, snapshots, usage
from cloche.sandbox.cache.folder_store import MANIFEST, find_damage
from cloche.sandbox.cache.inventory import CacheEntry, list_entries
from cloche.sandbox.cache.verify import describe_fault, repair_entry
from cloche.sandbox.changes import stored_marks
from cloche.sandbox.confinement.layers import find_layer
from cloche.sandbox.confinement.probe import Layer
from cloche.sandbox.packages import blobs
from cloche.sandbox.packages.host_pip.stub_wheels import ensure_distribution_stubs
from cloche.sandbox.packages.install_budget import InstallBudget
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.pyodide_lock import PyodideLock
from cloche.sandbox.process.warm_up import warm_up
from cloche.sandbox.registries import index_cache
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from tests.sandbox.packages.conftest import Mounted, leave_plain
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel, write_lock
from tests.sandbox.registries.makers import ComposerIndex, CpanIndex, CranIndex, GemIndex, NpmIndex, RockIndex

pytestmark = pytest.mark.timeout(180)

LEAVES = {
    "javascript": "leaf",
    "ruby": "leaf",
    "php": "mine/leaf",
    "lua": "leaf",
    "r": "leaf",
    "perl": "Leaf::Green",
}
"""What is installed, one package of each registry besides pip's."""

HELD = Layer("landlock", True, "as tested")

Install = Callable[[str], None]


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelIndex]:
    """The only index that pip knows, with one package, and a distribution with another."""
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(blobs, "compile_blobs", leave_plain)
    with WheelIndex(tmp_path / "index") as index:
        monkeypatch.setenv("PIP_INDEX_URL", f"{index.address}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip"))
        monkeypatch.setenv("CLOCHE_PYODIDE_LOCK", str(tmp_path / "lock.json"))
        write_lock(tmp_path / "lock.json", {make_wheel(tmp_path / "distribution", "tree"): {}})
        make_wheel(index.folder, "leaf")
        yield index


@pytest.fixture
def install(
    npm: NpmIndex,
    gems: GemIndex,
    composer: ComposerIndex,
    rocks: RockIndex,
    cran: CranIndex,
    cpan: CpanIndex,
    wheels: WheelIndex,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Install:
    """Installs a language's package, each time as a program would that has just started."""
    mounted = Mounted()
    npm.add("leaf")
    gems.add("leaf", "1.0.0")
    composer.add("mine/leaf", "1.0.0")
    rocks.add("leaf", "1.0-1")
    cran.add("leaf", "1.0")
    cpan.add("Leaf-Green", "1.0")
    # Metadata of registries is fetched again only when it is gone.
    monkeypatch.setattr(index_cache, "FRESH", 3600.0)

    async def run(language: str) -> None:
        if language == "python":
            await InstalledPackages(mounted.mount, mounted.read).install(["leaf"])
        else:
            await InstalledLibraries(mounted.mount, InstallBudget()).install(
                language, [LEAVES[language]], LibraryOrder()
            )

    return lambda language: anyio.run(run, language)


def flip(path: Path) -> None:
    """Change one byte in the middle; in a new file, since the old one may have other names."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    kept = path.stat()
    path.unlink()
    path.write_bytes(data)
    path.chmod(kept.st_mode)
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))


def is_content(path: Path) -> bool:
    """Whether a file holds something: not for locks and for notes of use, which are empty."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size > 0


def find(kind: str) -> list[CacheEntry]:
    return [each for each in list_entries() if each.kind == kind]


@pytest.mark.slow
def test_a_flipped_byte_is_found_in_every_file(
    assets: Path, install: Install, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = assets.parent.parent
    monkeypatch.setenv("CLOCHE_CACHE", str(shared))
    anyio.run(snapshots.build_prepared, warm_up)
    anyio.run(packs.ensure_pack, "lua")
    copied = [assets, snapshots.snapshot_dir(), snapshots.code_dir(), packs.pack_dir("lua")]
    monkeypatch.setenv("CLOCHE_CACHE", str(cache))
    for folder in copied:
        shutil.copytree(folder, cache / folder.relative_to(shared), symlinks=True)
    for language in ("python", *LEAVES):
        install(language)
    stored_marks.save_mark(tmp_path / "index")
    find_layer(cache / "layers", "key", lambda: HELD)
    check_every_file(cache)


def check_every_file(cache: Path) -> None:
    found = list_entries()
    assert {each.kind for each in found} == {
        *("assets", "snapshot", "code", "pack", "package", "resolution", "index", "point", "probe"),
    }
    assert [describe_fault(each) for each in found] == [None] * len(found)
    files = [path for path in cache.rglob("*") if is_content(path)]
    assert [path for path in files if not any(path.is_relative_to(each.path) for each in found)] == []
    for path in files:
        if path.name != MANIFEST:
            flip(path)
    for each in found:
        assert describe_fault(each), each
        if each.path.is_dir():
            inside = [path for path in files if path.is_relative_to(each.path) and path != each.path / MANIFEST]
            assert sorted(find_damage(each.path)) == sorted(path.relative_to(each.path).as_posix() for path in inside)
    for path in files:
        if path.name == MANIFEST:
            flip(path)
            assert find_damage(path.parent)


@pytest.mark.parametrize("language", ["python", *LEAVES])
@pytest.mark.parametrize("harm", ["flipped", "cut"])
def test_a_damaged_package_is_fetched_again_with_one_line(
    install: Install, language: str, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    install(language)
    stored = {each.path: each.path.read_bytes() for each in find("package")}
    for blob in stored:
        if harm == "flipped":
            flip(blob)
        else:
            blob.chmod(0o600)
            os.truncate(blob, blob.stat().st_size // 2)
    assert [describe_fault(each) for each in find("package")] == ["cut short or changed"] * len(stored)
    with caplog.at_level(logging.WARNING, "cloche"):
        install(language)
    assert {each.path: each.path.read_bytes() for each in find("package")} == stored
    told = [line.getMessage() for line in caplog.records]
    assert sorted(told) == sorted(f"damaged in the cache, fetched again: {blob}" for blob in stored)


@pytest.mark.slow
def test_damaged_notes_of_registries_are_made_again_with_one_line(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("javascript")
    install("python")
    notes = [*find("resolution"), *(each for each in find("index") if each.path.is_file())]
    assert len(notes) == 2
    for each in notes:
        flip(each.path)
    install("javascript")
    install("python")
    told = [line.getMessage() for line in caplog.records]
    assert sorted(told) == sorted(f"damaged in the cache, made again: {each.path}" for each in notes)
    assert [describe_fault(each) for each in list_entries()] == [None] * len(list_entries())


def test_damaged_stubs_are_made_again(wheels: WheelIndex, cache: Path, tmp_path: Path) -> None:
    lock = PyodideLock((tmp_path / "lock.json").read_bytes())
    folder = ensure_distribution_stubs(lock)
    (stub,) = folder.glob("*.whl")
    before = stub.read_bytes()
    flip(stub)
    assert ensure_distribution_stubs(lock) == folder
    assert stub.read_bytes()[:30] == before[:30]
    assert find_damage(folder) == []


def test_a_damaged_point_is_not_compared_with(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "file").write_text("as it was")
    stored_marks.save_mark(tmp_path / "own")
    flip(next(cache.glob("points/*/contents")))
    with pytest.raises(ConfigError, match=r"is damaged \(contents\)\. Make a new one"):
        stored_marks.diff_since_mark(tmp_path / "own")


def test_what_is_damaged_and_of_no_use_is_removed_though_it_is_used(
    install: Install, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "_held", {})
    install("javascript")
    (entry,) = find("package")
    assert entry.in_use
    flip(entry.path)
    assert anyio.run(repair_entry, entry) == "removed"
    assert find("package") == []
    install("javascript")
    assert [describe_fault(each) for each in find("package")] == [None]
