"""What a package, a page of the index or a guest may send the host to: nowhere but to the owner's indexes."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from cloche.errors import ConfigError, PackageDamaged, PackageError
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.network.addresses import is_public_host
from cloche.sandbox.packages.host_pip.rules import Origin, PipRules
from cloche.sandbox.packages.install_plan import InstallOrder
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.installer import Installer
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel, sha256

REFUSED = "leads to where nothing is fetched from"
LEAF = "leaf-1.0-py3-none-any.whl"


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[WheelIndex]:
    """A server that only the host can reach, and that no setting names."""
    with WheelIndex(tmp_path / "inside") as index:
        make_wheel(index.folder, "leaf")
        yield index


@pytest.mark.parametrize("owner", [False, True])
@pytest.mark.parametrize("kind", ["file", "private", "elsewhere", "git"])
async def test_metadata_of_a_package_names_no_address(
    packages: InstalledPackages, index: WheelIndex, inside: WheelIndex, kind: str, owner: bool
) -> None:
    address = {
        "file": (inside.folder / LEAF).as_uri(),
        "private": f"{inside.address}/files/{LEAF}",
        "elsewhere": f"https://files.example/{LEAF}",
        "git": "git+https://files.example/leaf.git",
    }[kind]
    make_wheel(index.folder, "mine", requires=[f"leaf @ {address}"])
    with pytest.raises(PackageDamaged, match=REFUSED) as caught:
        await packages.install(["mine"], InstallOrder(owner=owner))
    assert "leaf@" in str(caught.value).replace(" ", "")
    assert inside.asked == []


async def test_an_address_of_an_extra_that_nobody_asked_for_hinders_nobody(
    packages: InstalledPackages, index: WheelIndex, mounted: Mounted
) -> None:
    make_wheel(index.folder, "mine", requires=["leaf @ https://files.example/leaf.tar.gz ; extra == 'dev'"])
    await packages.install(["mine"])
    assert mounted.names == ["mine 1.0"]
    with pytest.raises(PackageDamaged, match=REFUSED):
        await packages.install(["mine[dev]"])


@pytest.mark.parametrize("path", [f"/files/{LEAF}", "/simple/leaf/"])
@pytest.mark.parametrize("kind", ["private", "file"])
async def test_a_redirect_of_the_index_leads_to_no_private_address(
    packages: InstalledPackages, index: WheelIndex, inside: WheelIndex, path: str, kind: str
) -> None:
    make_wheel(index.folder, "leaf")
    index.redirects[path] = f"{inside.address}{path}" if kind == "private" else (inside.folder / LEAF).as_uri()
    with pytest.raises(PackageDamaged, match=REFUSED):
        await packages.install(["leaf"])
    assert inside.asked == []


@pytest.mark.parametrize("kind", ["file", "http", "https"])
async def test_a_page_of_the_index_names_no_file_of_the_host_and_no_private_host(
    packages: InstalledPackages, index: WheelIndex, inside: WheelIndex, kind: str
) -> None:
    path = inside.folder / LEAF
    address = path.as_uri() if kind == "file" else f"{kind}://127.0.0.1:{inside.port}/files/{LEAF}"
    index.pages["leaf"] = f'<a href="{address}#sha256={sha256(path)}">{LEAF}</a>'
    with pytest.raises(PackageDamaged, match=REFUSED):
        await packages.install(["leaf"], InstallOrder(owner=True))
    assert inside.asked == []


def test_a_name_that_leads_to_a_private_address_is_not_connected_to() -> None:
    rules = PipRules(["http://127.0.0.1:80/leaf.whl"], is_public_host, {})
    rules.configure(["https://index.example/simple", "/opt/wheels"], [("files.corp", 8080), ("any.corp", None)])
    for address, host in (
        ("https://files.example/x", "127.0.0.1"),
        ("https://files.example/x", "::ffff:10.0.0.1"),
        ("https://files.example/x", "fe80::1%eth0"),
        ("http://files.corp/x", "10.0.0.1"),
    ):
        with pytest.raises(PermissionError, match="no public address"):
            rules.during(address, False, partial(rules.check_connection, (host, 80)))
    with pytest.raises(PermissionError):
        # Nothing was asked for.
        rules.check_connection(("8.8.8.8", 443))
    rules.during("https://files.example/x", False, partial(rules.check_connection, ("8.8.8.8", 443)))
    for own in ("https://index.example/y", "http://files.corp:8080/x", "https://any.corp:1/x", "http://127.0.0.1/y"):
        rules.during(own, False, partial(rules.check_connection, ("10.0.0.1", 80)))
    rules.during("https://files.example/x", True, partial(rules.check_connection, ("10.0.0.1", 3128)))
    rules.check_connection("/run/user/1/bus")


def test_a_mirror_in_place_of_the_public_index_holds_its_files_too() -> None:
    files_of: dict[Origin, Origin] = {("https", "index.example", 443): ("https", "files.example", 443)}
    rules = PipRules([], is_public_host, files_of)
    files = partial(rules.during, "https://files.example/x", False)
    with pytest.raises(PermissionError):
        files(partial(rules.check_connection, ("10.0.0.1", 443)))
    rules.configure(["https://index.example/simple"], [])
    files(partial(rules.check_connection, ("10.0.0.1", 443)))


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/x",
        "https://127.1/x",
        "https://2130706433/x",
        "https://0x7f.1/x",
        "https://[::1]/x",
        "https://[::ffff:7f00:1]/x",
        "https://169.254.169.254/x",
        "https://localhost/x",
        "https://LOCALHOST./x",
        "https://a.localhost/x",
        "https://metadata.google.internal/x",
        "https://printer/x",
        "https://index.example:8443@127.0.0.1/x",
        "https://index.example:99999/x",
        "http://files.example/x",
        "http://index.example/x",
        "file:///etc/passwd",
        "ftp://files.example/x",
        "//files.example/x",
    ],
)
def test_no_spelling_of_an_address_gets_past(address: str) -> None:
    rules = PipRules(["file:///srv/leaf-1.0-py3-none-any.whl"], is_public_host, {})
    rules.configure(["https://index.example/simple", "file:///opt/pypi/simple"], [])
    assert rules.refuse_request(address).startswith("cloche refused: ")


async def test_a_host_that_pip_is_configured_to_trust_is_the_owners(
    packages: InstalledPackages,
    index: WheelIndex,
    inside: WheelIndex,
    mounted: Mounted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIP_TRUSTED_HOST", f"127.0.0.1:{inside.port}")
    index.pages["leaf"] = f'<a href="{inside.address}/files/{LEAF}">{LEAF}</a>'
    await packages.install(["leaf"])
    assert mounted.names == ["leaf 1.0"]


async def test_only_the_owner_names_an_address(
    packages: InstalledPackages, inside: WheelIndex, mounted: Mounted
) -> None:
    for address in (f"{inside.address}/files/{LEAF}", (inside.folder / LEAF).as_uri()):
        for text in (address, f"leaf @ {address}"):
            with pytest.raises(ConfigError, match="not by address"):
                await packages.install([text])
    assert inside.asked == []
    await packages.install([f"leaf @ {inside.address}/files/{LEAF}"], InstallOrder(owner=True))
    assert mounted.names == ["leaf 1.0"]


async def test_requirements_that_somebody_else_chose_get_what_code_inside_gets(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex, inside: WheelIndex, tmp_path: Path
) -> None:
    installer = Installer(mounted.mount, lambda: GuestFiles([]), allowed=True, automatic=False)
    with pytest.raises(ConfigError, match="not by address"):
        await installer.install([f"{inside.address}/files/{LEAF}"])
    index.hashes[make_wheel(index.folder, "leaf").name] = "0" * 64
    with pytest.raises(PackageDamaged) as caught:
        await installer.install(["leaf"])
    assert str(tmp_path) not in str(caught.value)
    closed = Installer(mounted.mount, lambda: GuestFiles([]), allowed=False, automatic=False)
    with pytest.raises(PackageError, match="switched off"):
        await closed.install(["leaf"])
