"""Installing: what is asked for, what it needs, what was there, and every day on which that goes wrong."""

import json
import os
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche.errors import (
    ConfigError,
    PackageConflict,
    PackageDamaged,
    PackageError,
    PackageNotFound,
    PackagesUnreachable,
    PackageUnsupported,
)
from cloche.sandbox.cache.checksummed_file import add_checksum, strip_checksum
from cloche.sandbox.packages import blobs, wheels
from cloche.sandbox.packages import install_budget as budget_module
from cloche.sandbox.packages.install_plan import InstallOrder
from cloche.sandbox.packages.installed import InstalledPackages
from tests.guest_python import SUFFIX, TAG, VERSION
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import (
    NATIVE,
    OTHER,
    WASM,
    WheelIndex,
    add_entry,
    make_wheel,
    sha256,
    write_lock,
)


async def test_a_package_comes_with_what_it_needs(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf", "1.5")
    make_wheel(index.folder, "leaf", "2.0")
    make_wheel(index.folder, "tree", requires=["leaf<2", "gone; sys_platform == 'linux'"])
    done = await packages.install(["Tree"])
    assert [(each.name, each.version, each.imports) for each in done.packages] == [
        ("leaf", "1.5", ("leaf",)),
        ("tree", "1.0", ("tree",)),
    ]
    assert mounted.names == ["leaf 1.5", "tree 1.0"]
    assert done.packages[1].requires == ("leaf<2", "gone; sys_platform == 'linux'")


@pytest.mark.slow
async def test_all_wheels_are_compiled_in_one_run(
    packages: InstalledPackages,
    index: WheelIndex,
    distribution: WheelIndex,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[int] = []

    async def count(blobs: Sequence[Path]) -> None:
        runs.append(len(blobs))

    monkeypatch.setattr(blobs, "compile_blobs", count)
    make_wheel(index.folder, "leaf", requires=["stone"])
    make_wheel(index.folder, "tree", requires=["leaf"])
    write_lock(tmp_path / "lock.json", {make_wheel(distribution.folder, "stone"): {}})
    await packages.install(["tree"])
    assert runs == [3]
    make_wheel(index.folder, "house", requires=["stone", "leaf"])
    await packages.install(["house"])
    assert runs == [3, 1], "what is stored is not compiled again"


async def test_markers_are_those_of_the_sandbox(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf")
    make_wheel(index.folder, "tree", requires=[f"leaf; sys_platform == 'emscripten' and python_version >= '{VERSION}'"])
    await packages.install(["tree", "other; sys_platform != 'emscripten'"])
    assert mounted.names == ["leaf 1.0", "tree 1.0"]


async def test_a_wheel_for_webassembly_is_native(packages: InstalledPackages, index: WheelIndex) -> None:
    make_wheel(index.folder, "core", files={f"core{SUFFIX}": WASM}, tag=NATIVE)
    (package,) = (await packages.install(["core"])).packages
    assert (package.native, package.imports) == (True, ("core",))


async def test_what_is_there_is_reported_and_not_looked_for(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf")
    await packages.install(["leaf"])
    asked = len(index.asked)
    done = await packages.install(["leaf>=1", "pygments"])
    assert done.packages == []
    assert [each.split()[0] for each in done.already] == ["leaf", "pygments"]
    assert (len(index.asked), len(mounted.changes)) == (asked, 1)


async def test_what_the_sandbox_comes_with_is_kept(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "pygments", "99.0")
    make_wheel(index.folder, "tree", requires=["pygments>2"])
    await packages.install(["tree"])
    assert mounted.names == ["tree 1.0"]


async def test_versions_that_are_there_are_kept_if_they_can_be(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    await packages.install(["leaf"])
    make_wheel(index.folder, "leaf", "2.0")
    make_wheel(index.folder, "tree", requires=["leaf"])
    done = await packages.install(["tree"])
    assert (mounted.names, done.changed) == (["leaf 1.0", "tree 1.0"], ())


@pytest.mark.slow
async def test_a_version_that_has_to_change_is_reported(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    await packages.install(["leaf"])
    make_wheel(index.folder, "leaf", "2.0")
    make_wheel(index.folder, "tree", requires=["leaf>=2"])
    done = await packages.install(["tree"])
    assert [(before.version, now.version) for before, now in done.changed] == [("1.0", "2.0")]
    assert mounted.names == ["leaf 2.0", "tree 1.0"]


@pytest.mark.slow
async def test_a_conflict_names_both_sides_and_changes_nothing(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    make_wheel(index.folder, "leaf", "2.0")
    make_wheel(index.folder, "old", requires=["leaf<2"])
    make_wheel(index.folder, "new", requires=["leaf>=2"])
    await packages.install(["old"])
    with pytest.raises(PackageConflict, match=r"together: new 1\.0 depends on leaf>=2; old 1\.0 depends"):
        await packages.install(["new"])
    assert mounted.names == ["leaf 1.0", "old 1.0"]


async def test_an_upgrade_takes_the_newest_of_what_is_named(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    for name in ("leaf", "twig"):
        make_wheel(index.folder, name, "1.0")
    await packages.install(["leaf", "twig"])
    for name in ("leaf", "twig"):
        make_wheel(index.folder, name, "2.0")
    await packages.install(["leaf"], InstallOrder(upgrade=True))
    assert mounted.names == ["leaf 2.0", "twig 1.0"]


async def test_constraints_hold(packages: InstalledPackages, mounted: Mounted, index: WheelIndex) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    make_wheel(index.folder, "leaf", "2.0")
    await packages.install(["leaf"], InstallOrder(constraints=["leaf<2"]))
    assert mounted.names == ["leaf 1.0"]


async def test_a_hash_that_was_asked_for_is_checked(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    path = make_wheel(index.folder, "leaf")
    with pytest.raises(PackageDamaged, match=r"leaf 1\.0 does not have a hash"):
        await packages.install(["leaf"], InstallOrder(hashes={"leaf": {"0" * 64}}))
    await packages.install(["leaf"], InstallOrder(hashes={"leaf": {sha256(path)}}))
    assert mounted.names == ["leaf 1.0"]


@pytest.mark.slow
async def test_extras_are_installed_later_too(packages: InstalledPackages, mounted: Mounted, index: WheelIndex) -> None:
    make_wheel(index.folder, "leaf")
    make_wheel(index.folder, "tree", requires=["leaf; extra == 'leaves'"])
    await packages.install(["tree"])
    await packages.install(["tree[leaves]"])
    assert mounted.names == ["leaf 1.0", "tree 1.0"]
    assert (await packages.install(["tree[leaves]"])).packages == []


async def test_the_second_time_needs_no_index(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wheel(index.folder, "leaf")
    make_wheel(index.folder, "tree", requires=["leaf"])
    await packages.install(["tree"])
    index.stop()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    again = InstalledPackages(mounted.mount, mounted.read)
    begun = time.perf_counter()
    await again.install(["tree"])
    assert time.perf_counter() - begun < 0.3
    assert len(mounted.changes) == 2
    assert mounted.names == ["leaf 1.0", "tree 1.0"]


def age(cache: Path) -> None:
    """Let two days go by."""
    for path in (cache / "packages" / "resolved").glob("*.sealed"):
        kept = json.loads(strip_checksum(path.read_bytes()) or b"")
        path.write_bytes(add_checksum(json.dumps({**kept, "when": kept["when"] - 2 * 86400}).encode()))


async def test_after_a_day_the_index_is_asked_again(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, cache: Path
) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    await packages.install(["leaf"])
    make_wheel(index.folder, "leaf", "2.0")
    await InstalledPackages(mounted.mount, mounted.read).install(["leaf"])
    assert mounted.names == ["leaf 1.0"]
    age(cache)
    await InstalledPackages(mounted.mount, mounted.read).install(["leaf"])
    assert mounted.names == ["leaf 2.0"]


async def test_after_a_day_without_index_the_old_is_used(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, cache: Path
) -> None:
    make_wheel(index.folder, "leaf")
    await packages.install(["leaf"])
    age(cache)
    index.stop()
    await InstalledPackages(mounted.mount, mounted.read).install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


@pytest.mark.slow
async def test_a_blob_that_was_removed_is_made_again(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, cache: Path
) -> None:
    make_wheel(index.folder, "leaf")
    await packages.install(["leaf"])
    for blob in (cache / "packages" / "blobs").glob("*.zip"):
        blob.unlink()
    await InstalledPackages(mounted.mount, mounted.read).install(["leaf"])
    assert mounted.changes[-1][0].blob.exists()


def cut(blob: Path) -> None:
    data = blob.read_bytes()
    blob.unlink()
    blob.write_bytes(data[: len(data) // 2])


def flip(blob: Path) -> None:
    data = blob.read_bytes()
    blob.unlink()
    # In the contents of the first file.
    blob.write_bytes(data[:60] + bytes([data[60] ^ 1]) + data[61:])


def mark_encrypted(blob: Path) -> None:
    data = blob.read_bytes()
    blob.unlink()
    # In the list at the end: one bit that says that the file is encrypted.
    at = data.index(b"PK\x01\x02") + 8
    blob.write_bytes(data[:at] + bytes([data[at] | 1]) + data[at + 1 :])


@pytest.mark.parametrize("damage", [cut, flip, mark_encrypted])
async def test_a_blob_that_was_damaged_is_made_again(
    packages: InstalledPackages,
    mounted: Mounted,
    index: WheelIndex,
    cache: Path,
    damage: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    make_wheel(index.folder, "leaf")
    await packages.install(["leaf"])
    (blob,) = (cache / "packages" / "blobs").glob("*.zip")
    whole = blob.read_bytes()
    damage(blob)
    await InstalledPackages(mounted.mount, mounted.read).install(["leaf"])
    assert mounted.changes[-1][0].blob.read_bytes() == whole
    assert "damaged in the cache, fetched again" in caplog.text


async def test_packages_are_uninstalled(packages: InstalledPackages, mounted: Mounted, index: WheelIndex) -> None:
    make_wheel(index.folder, "leaf")
    make_wheel(index.folder, "twig")
    await packages.install(["leaf", "twig"])
    gone = await packages.uninstall(["Leaf", "missing"])
    assert ([each.name for each in gone], mounted.names) == (["leaf"], ["twig 1.0"])
    assert ("leaf", "1.0") not in await packages.list()


async def test_a_requirement_that_is_gone_comes_back(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf")
    make_wheel(index.folder, "tree", requires=["leaf"])
    await packages.install(["tree"])
    await packages.uninstall(["leaf"])
    await packages.install(["tree"])
    assert mounted.names == ["leaf 1.0", "tree 1.0"]


async def test_variables_of_the_host_are_not_filled_in(
    packages: InstalledPackages, index: WheelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1.0")
    make_wheel(index.folder, "leaf", "1.0")
    with pytest.raises(ConfigError, match="variables are not filled in"):
        await packages.install(["leaf===${SECRET}"], InstallOrder())


async def test_a_sandbox_asks_only_so_often(packages: InstalledPackages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "ATTEMPTS", 2)
    for _ in range(2):
        await packages.install(["pygments"], InstallOrder())
    with pytest.raises(PackageError, match="that is all it may"):
        await packages.install(["pygments"], InstallOrder())


async def test_a_wheel_of_the_workspace_is_installed(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf")
    path = make_wheel(index.folder.parent / "built", "mine", "0.1", requires=["leaf"])
    mounted.files[f"/workspace/{path.name}"] = path.read_bytes()
    await packages.install([f"/workspace/{path.name}"], InstallOrder())
    assert mounted.names == ["leaf 1.0", "mine 0.1"]
    make_wheel(index.folder, "tree", requires=["mine"])
    await packages.install(["tree"])
    assert mounted.names == ["leaf 1.0", "mine 0.1", "tree 1.0"]


async def test_a_wheel_of_the_host_is_installed(packages: InstalledPackages, mounted: Mounted, tmp_path: Path) -> None:
    await packages.install([make_wheel(tmp_path, "mine")])
    assert mounted.names == ["mine 1.0"]


async def test_a_wheel_from_inside_cannot_send_the_host_to_an_address(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    path = make_wheel(index.folder.parent / "built", "mine", requires=[f"leaf @ {index.address}/files/x.tar.gz"])
    mounted.files["/workspace/mine-1.0-py3-none-any.whl"] = path.read_bytes()
    with pytest.raises(PackageDamaged, match="by name, not by address"):
        await packages.install(["/workspace/mine-1.0-py3-none-any.whl"], InstallOrder())
    assert index.asked == []


async def test_nothing_of_a_package_runs_on_the_host(
    packages: InstalledPackages, index: WheelIndex, tmp_path: Path
) -> None:
    proof = tmp_path / "proof"
    source = index.folder / "evil-1.0.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("evil-1.0/setup.py", f"open({str(proof)!r}, 'w').close()\n")
    make_wheel(index.folder, "leaf", requires=["evil"])
    with pytest.raises(PackageError):
        await packages.install(["leaf"])
    assert any("evil" in path for path in index.asked)
    assert not proof.exists()


async def test_a_wrong_hash_is_refused(packages: InstalledPackages, mounted: Mounted, index: WheelIndex) -> None:
    path = make_wheel(index.folder, "leaf")
    index.hashes[path.name] = "0" * 64
    with pytest.raises(PackageDamaged, match="does not have the hash that the index names"):
        await packages.install(["leaf"])
    assert mounted.changes == []


async def test_a_wheel_that_lies_about_its_platform_is_refused(packages: InstalledPackages, index: WheelIndex) -> None:
    make_wheel(index.folder, "leaf", inner_tag=OTHER)
    with pytest.raises(PackageDamaged, match=f"says inside that it is for {TAG}-{TAG}-manylinux"):
        await packages.install(["leaf"])


async def test_a_truncated_wheel_is_refused(packages: InstalledPackages, index: WheelIndex) -> None:
    path = make_wheel(index.folder, "leaf")
    path.write_bytes(path.read_bytes()[:-40])
    index.hashes[path.name] = ""
    with pytest.raises(PackageDamaged, match="leaf"):
        await packages.install(["leaf"])


@pytest.mark.parametrize(
    ("name", "mode"), [("../../evil.py", 0o100644), ("/tmp/evil.py", 0o100644), ("leaf/link", 0o120777)]
)
async def test_a_wheel_that_reaches_out_is_refused(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, name: str, mode: int
) -> None:
    add_entry(make_wheel(index.folder, "leaf"), name, b"/etc/passwd", mode)
    with pytest.raises(PackageDamaged, match=r"leaf-1\.0-py3-none-any\.whl: the entry .*refused"):
        await packages.install(["leaf"])
    assert mounted.changes == []


async def test_a_zip_bomb_is_refused_and_leaves_nothing(
    packages: InstalledPackages, index: WheelIndex, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "PACKAGE_LIMIT", 1 << 20)
    make_wheel(index.folder, "leaf", files={"leaf.py": bytes(2 << 20)})
    with pytest.raises(PackageDamaged, match="unpacks to 2 MB"):
        await packages.install(["leaf"])
    assert list((cache / "packages" / "blobs").glob("*.zip")) == []


async def test_an_unknown_package_is_reported_with_a_guess(packages: InstalledPackages) -> None:
    with pytest.raises(PackageNotFound, match=r"No package is called 'reqests'.*Did you mean requests\?"):
        await packages.install(["reqests"])


@pytest.mark.slow
async def test_a_version_that_does_not_exist_is_reported(packages: InstalledPackages, index: WheelIndex) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    with pytest.raises(PackageNotFound, match=r"No version of leaf fits leaf>=2.*1\.0"):
        await packages.install(["leaf>=2"])


async def test_a_native_package_says_what_is_needed_and_what_instead(
    packages: InstalledPackages, index: WheelIndex
) -> None:
    make_wheel(index.folder, "torch", tag=OTHER)
    make_wheel(index.folder, "torch", tag=f"{TAG}-{TAG}-win_amd64")
    with pytest.raises(PackageUnsupported, match=r"torch has only wheels for manylinux, win: .*instead: scikit-learn"):
        await packages.install(["torch"])


async def test_a_package_that_is_only_source_says_so(packages: InstalledPackages, index: WheelIndex) -> None:
    (index.folder / "docs-1.0.tar.gz").write_bytes(b"")
    with pytest.raises(PackageUnsupported, match="docs has no wheel, only source"):
        await packages.install(["docs"])


async def test_a_package_for_another_python_says_so(packages: InstalledPackages, index: WheelIndex) -> None:
    index.pythons[make_wheel(index.folder, "leaf", python="<3.13").name] = "&lt;3.13"
    with pytest.raises(PackageUnsupported, match=r"leaf needs another Python \(<3\.13\)"):
        await packages.install(["leaf"])


async def test_an_index_that_is_down_is_named(packages: InstalledPackages, index: WheelIndex) -> None:
    index.stop()
    with pytest.raises(PackagesUnreachable, match=rf"index could not be reached: {index.address}.*PIP_INDEX_URL"):
        await packages.install(["leaf"])


async def test_an_installation_that_is_stopped_leaves_nothing(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, cache: Path
) -> None:
    make_wheel(index.folder, "leaf")
    index.open.clear()
    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(packages.install, ["leaf"])
            await to_thread.run_sync(index.arrived.wait, 10)
            tasks.cancel_scope.cancel()
        assert list((cache / "packages" / "stages").iterdir()) == []
        index.open.set()
        await packages.install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


async def test_a_cache_that_is_a_file_is_named(packages: InstalledPackages, cache: Path) -> None:
    cache.write_text("")
    with pytest.raises(PackageError, match=r"Could not keep packages in .*CLOCHE_CACHE"):
        await packages.install(["leaf"])


async def test_what_is_no_requirement_is_reported(packages: InstalledPackages) -> None:
    for text in ("not a name", "-r x", "--index-url=http://x", "x.tar.gz @ http://x/y.tar.gz", "../x"):
        with pytest.raises(ConfigError):
            await packages.install([text])


def numpy(distribution: WheelIndex, tmp_path: Path) -> None:
    """A distribution with a native package and a library that it needs."""
    lib = distribution.folder / "liblas-3.0.zip"
    with zipfile.ZipFile(lib, "w") as archive:
        archive.writestr("liblas.so", WASM)
    wheel = make_wheel(distribution.folder, "numpy", "2.4", files={"numpy/core.so": WASM}, tag=NATIVE)
    extra: dict[str, object] = {"package_type": "shared_library", "imports": []}
    write_lock(tmp_path / "lock.json", {lib: extra, wheel: {"depends": ["liblas"]}})


async def test_what_the_index_lacks_comes_from_the_distribution(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, distribution: WheelIndex, tmp_path: Path
) -> None:
    numpy(distribution, tmp_path)
    make_wheel(index.folder, "numpy", "2.4", tag=OTHER)
    make_wheel(index.folder, "plot", requires=["numpy>=2"])
    done = await packages.install(["plot"])
    assert mounted.names == ["liblas 3.0", "numpy 2.4", "plot 1.0"]
    assert [(each.name, each.native) for each in done.packages] == [("numpy", True), ("plot", False)]
    assert [each.library for each in mounted.changes[-1] if each.name == "liblas"] == [True]
    assert not any("liblas" in path for path in index.asked)


async def test_the_distribution_may_be_a_folder(
    packages: InstalledPackages,
    mounted: Mounted,
    distribution: WheelIndex,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numpy(distribution, tmp_path)
    monkeypatch.setenv("CLOCHE_PYODIDE_URL", str(distribution.folder))
    await packages.install(["numpy"])
    assert distribution.asked == []
    assert mounted.names == ["liblas 3.0", "numpy 2.4"]


async def test_a_file_of_the_distribution_with_another_hash_is_refused(
    packages: InstalledPackages, distribution: WheelIndex, tmp_path: Path
) -> None:
    numpy(distribution, tmp_path)
    make_wheel(distribution.folder, "numpy", "2.4", files={"numpy/core.so": WASM + b"x"}, tag=NATIVE)
    with pytest.raises(PackageDamaged, match="does not have the hash that the lock file names"):
        await packages.install(["numpy"])


async def test_a_distribution_that_is_down_is_named(
    packages: InstalledPackages, distribution: WheelIndex, tmp_path: Path
) -> None:
    numpy(distribution, tmp_path)
    distribution.stop()
    with pytest.raises(PackagesUnreachable, match=rf"(numpy|liblas)-.*{distribution.address}.*CLOCHE_PYODIDE_URL"):
        await packages.install(["numpy"])


async def test_an_index_that_is_down_is_named_even_if_the_distribution_has_another_version(
    packages: InstalledPackages, index: WheelIndex, distribution: WheelIndex, tmp_path: Path
) -> None:
    numpy(distribution, tmp_path)
    index.stop()
    with pytest.raises(PackagesUnreachable, match=index.address):
        await packages.install(["numpy==2.3"])


@pytest.mark.slow
async def test_a_sandbox_may_not_fill_the_disk_with_packages(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "PACKAGES_LIMIT", 3 << 19)
    for name in ("leaf", "twig"):
        make_wheel(index.folder, name, files={f"{name}.py": os.urandom(1 << 20)})
    await packages.install(["leaf"])
    await packages.uninstall(["leaf"])
    with pytest.raises(PackageError, match="MB of packages"):
        await packages.install(["twig"])
    assert mounted.names == []
