"""Guests, scripts and wheels that are out to harm the host or other sandboxes."""

import os
import zipfile
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from cloche.errors import ConfigError, PackageDamaged, PackageError
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.packages import blobs, local_wheels, wheels
from cloche.sandbox.packages import install_budget as budget_module
from cloche.sandbox.packages.guest_pip.pip_command import run_pip_command
from cloche.sandbox.packages.host_pip import resolver
from cloche.sandbox.packages.install_plan import InstallOrder
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.installer import Installer
from cloche.sandbox.packages.package import Package
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.process.link import Link
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

GUEST = "/workspace/mine-1.0-py3-none-any.whl"


async def test_a_wheel_of_the_sandbox_cannot_send_the_host_to_an_address_whoever_installs_it(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, tmp_path: Path
) -> None:
    path = make_wheel(tmp_path, "mine", requires=[f"leaf @ {index.address}/files/x.tar.gz"])
    mounted.files[GUEST] = path.read_bytes()
    for order in (InstallOrder(), InstallOrder()):
        with pytest.raises(PackageDamaged, match="by name, not by address"):
            await packages.install([GUEST], order)
    assert index.asked == []


async def test_a_wheel_that_changes_while_it_is_read_is_stored_as_what_it_was(
    packages: InstalledPackages, mounted: Mounted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_wheel(tmp_path, "mine")
    other = make_wheel(tmp_path / "other", "mine", files={"mine.py": "evil = 1"}).read_bytes()

    def swap(wheel: Path) -> str:
        found = blobs.hash_file(wheel)
        path.write_bytes(other)
        return found

    monkeypatch.setattr(local_wheels, "hash_file", swap)
    await packages.install([path])
    [mine] = mounted.changes[-1]
    with zipfile.ZipFile(mine.blob) as archive:
        assert "mine/__init__.py" in archive.namelist()


async def test_a_name_that_leads_away_on_another_system_is_refused(
    packages: InstalledPackages, mounted: Mounted
) -> None:
    for name in (r"..\..\mine-1.0-py3-none-any.whl", "c:mine-1.0-py3-none-any.whl"):
        mounted.files[f"/workspace/{name}"] = b""
        with pytest.raises(ConfigError, match="not the name of a wheel"):
            await packages.install([f"/workspace/{name}"], InstallOrder())


async def test_wheels_count_as_soon_as_they_are_stored(
    packages: InstalledPackages, mounted: Mounted, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "PACKAGES_LIMIT", 5 << 19)
    for _ in range(6):
        away = make_wheel(tmp_path, "mine", files={"mine.py": os.urandom(1 << 20)}, requires=["x @ file:///x.whl"])
        mounted.files[GUEST] = away.read_bytes()
        with pytest.raises(PackageError):
            await packages.install([GUEST], InstallOrder())
    assert len(list((cache / "packages" / "blobs").glob("*.zip"))) == 3


async def test_downloads_count_before_they_are_all_there(
    packages: InstalledPackages, index: WheelIndex, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "PACKAGES_LIMIT", 3 << 19)
    for number in range(8):
        make_wheel(index.folder, f"leaf{number}", files={f"leaf{number}.py": os.urandom(1 << 20)})
    with pytest.raises(PackageError, match="MB of packages"):
        await packages.install([f"leaf{number}" for number in range(8)], InstallOrder())
    assert len(list((cache / "packages" / "blobs").glob("*.zip"))) < 8


async def test_pip_is_stopped_when_it_fetches_too_much(
    packages: InstalledPackages, index: WheelIndex, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolver, "PACKAGES_LIMIT", 1 << 19)
    make_wheel(index.folder, "leaf", files={"leaf.py": os.urandom(1 << 20)})
    with pytest.raises(PackageError, match="pip was stopped"):
        await packages.install(["leaf"], InstallOrder())
    assert list((cache / "packages" / "stages").iterdir()) == []
    assert not list((cache / "packages" / "blobs").glob("*.zip"))


async def test_a_wheel_with_requirements_without_end_is_refused(
    packages: InstalledPackages, mounted: Mounted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "REQUIRES", 10)
    mounted.files[GUEST] = make_wheel(tmp_path, "mine", requires=["leaf"] * 11).read_bytes()
    with pytest.raises(PackageDamaged, match="11 requirements, more than 10"):
        await packages.install([GUEST], InstallOrder())


@pytest.mark.parametrize(
    ("name", "version", "roots"),
    [
        ("../../mine", "1.0", {}),
        ("mine/..", "1.0", {}),
        ("Mine", "1.0", {}),
        ("mine", "1/../../x", {}),
        ("mine", "1.0", {"mine": "mine @ http://127.0.0.1/mine-1.0-py3-none-any.whl"}),
        ("mine", "1.0", {"mine": "--index-url=http://127.0.0.1"}),
        ("mine", "1.0", {"mine": "leaf"}),
        ("mine", "1.0", {"mine": "mine===${HOME}"}),
    ],
)
def test_packages_of_a_saved_sandbox_are_looked_at(
    packages: InstalledPackages, tmp_path: Path, name: str, version: str, roots: dict[str, str]
) -> None:
    with pytest.raises(PackageDamaged):
        packages.adopt([Package(name, version, tmp_path)], roots)


async def test_packages_of_a_saved_sandbox_send_the_host_nowhere(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, tmp_path: Path
) -> None:
    blob = make_wheel(tmp_path, "mine")
    requires = (f"twig @ {index.address}/files/twig-1.0-py3-none-any.whl", "leaf")
    packages.adopt([Package("mine", "1.0", blob, requires=requires)], {"mine": "mine"})
    make_wheel(index.folder, "leaf")
    make_wheel(index.folder, "twig")
    await packages.install(["leaf"], InstallOrder())
    assert mounted.names == ["leaf 1.0", "mine 1.0"]
    assert not any("twig" in path for path in index.asked)


async def test_a_forged_description_is_read_to_its_limit(packages: InstalledPackages, tmp_path: Path) -> None:
    blob = tmp_path / "x.zip"
    with zipfile.ZipFile(blob, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mine-1.0.dist-info/METADATA", b"Name: mine\nSummary: " + b"x" * (64 << 20))
    packages.adopt([Package("mine", "1.0", blob)], {})
    shown = await packages.show("mine")
    assert shown is not None
    assert len(shown[1]["Summary"]) < wheels.METADATA_LIMIT
    with zipfile.ZipFile(blob, "w") as archive:
        archive.writestr("other", b"")
    with pytest.raises(PackageDamaged, match="no METADATA"):
        await packages.show("mine")


async def test_the_owner_does_not_wait_for_code_that_was_left_behind(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    installer = Installer(mounted.mount, lambda: GuestFiles([]), allowed=True, automatic=False)
    index.open.clear()
    make_wheel(index.folder, "leaf")
    ask = HostRequest(
        1, 1, {"kind": "pip", "args": ["install", "leaf"]}, Link(lambda _message, _weight: None, lambda _: None)
    )
    errors: list[Exception] = []

    async def answer() -> None:
        try:
            await installer.answerers["pip"](ask)
        except PackageError as error:
            errors.append(error)

    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            await anyio.to_thread.run_sync(index.arrived.wait, 10)
            assert await installer.install(["pygments"]) == []
            index.open.set()
    assert "the owner of the sandbox" in str(errors[0])


async def test_the_guest_does_not_learn_where_the_host_keeps_its_files(
    packages: InstalledPackages, cache: Path
) -> None:
    cache.write_text("in the way")
    said: list[str] = []

    async def out(text: str) -> None:
        said.append(text)

    assert (await run_pip_command(packages, ["install", "leaf"], "/workspace", out)).exit == 1
    assert "Could not keep packages in the host's cache" in "".join(said)
    assert str(cache) not in "".join(said)
