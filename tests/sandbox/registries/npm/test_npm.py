import json
import zipfile
from pathlib import Path

import anyio
import pytest

from cloche.errors import (
    ConfigError,
    PackageDamaged,
    PackageError,
    PackageNotFound,
    PackagesUnreachable,
    PackageUnsupported,
)
from cloche.sandbox.packages.install_budget import InstallBudget
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from tests.sandbox.registries.conftest import Mounted
from tests.sandbox.registries.index_server import Page
from tests.sandbox.registries.makers import NpmIndex, tarball

TOP = "javascript/node_modules"


async def install(libraries: InstalledLibraries, *names: str, upgrade: bool = False) -> list[str]:
    done = await libraries.install("javascript", names, LibraryOrder(upgrade=upgrade))
    return [f"{each.name} {each.version}" for each in done.packages]


async def test_a_package_and_what_it_needs_are_installed(
    libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted
) -> None:
    npm.add("leaf", "1.2.0")
    npm.add("leaf", "2.0.0")
    npm.add("tree", dependencies={"leaf": "^1.0.0"})
    assert await install(libraries, "tree") == ["leaf 1.2.0", "tree 1.0.0"]
    assert mounted.places == {f"{TOP}/leaf": "1.2.0", f"{TOP}/tree": "1.0.0"}
    blob = next(each.blob for each in libraries.packages if each.name == "tree")
    with zipfile.ZipFile(blob) as archive:
        assert archive.read("index.js") == b"module.exports = 'tree 1.0.0';\n"
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


async def test_versions_that_conflict_lie_below_who_needs_them(
    libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted
) -> None:
    npm.add("leaf", "1.0.0")
    npm.add("leaf", "2.0.0")
    npm.add("old", dependencies={"leaf": "1"})
    npm.add("new", dependencies={"leaf": "2"})
    await install(libraries, "old", "new")
    assert mounted.places == {
        f"{TOP}/leaf": "2.0.0",
        f"{TOP}/new": "1.0.0",
        f"{TOP}/old": "1.0.0",
        f"{TOP}/old/node_modules/leaf": "1.0.0",
    }


async def test_circles_of_dependencies_end(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    npm.add("a", dependencies={"b": "*"})
    npm.add("b", dependencies={"a": "*"})
    assert await install(libraries, "a") == ["a 1.0.0", "b 1.0.0"]


@pytest.mark.parametrize(
    ("wanted", "version"),
    [
        ("leaf", "1.5.0"),
        ("leaf@latest", "1.5.0"),
        ("leaf@beta", "3.0.0-beta.2"),
        ("leaf@2", "2.1.0"),
        ("leaf@^2.0.0", "2.1.0"),
        ("leaf@<2", "1.5.0"),
        ("leaf@~1.4.0", "1.4.9"),
        ("leaf@1.4.x || 0.1", "1.4.9"),
        ("leaf@>=1.4.0 <1.5.0", "1.4.9"),
        ("leaf@1.4.0 - 1.4.5", "1.4.1"),
        ("leaf@3.0.0-beta.1", "3.0.0-beta.1"),
        ("leaf@^3.0.0-beta.1", "3.0.0-beta.2"),
    ],
)
async def test_a_version_is_chosen_as_npm_does(
    libraries: InstalledLibraries, npm: NpmIndex, wanted: str, version: str
) -> None:
    for each in ("1.4.1", "1.4.9", "2.0.0", "2.1.0", "3.0.0-beta.1", "3.0.0-beta.2", "1.5.0"):
        npm.add("leaf", each)
    npm.tag("leaf", "beta", "3.0.0-beta.2")
    assert await install(libraries, wanted) == [f"leaf {version}"]


async def test_a_version_that_does_not_exist_is_reported_with_those_that_do(
    libraries: InstalledLibraries, npm: NpmIndex
) -> None:
    npm.add("leaf", "1.5.0")
    with pytest.raises(PackageNotFound, match=r"No version of leaf fits '\^9': the newest are 1.5.0"):
        await install(libraries, "leaf@^9")
    with pytest.raises(PackageNotFound, match="no version or tag 'nightly'; tags: latest"):
        await install(libraries, "leaf@nightly")


async def test_what_is_there_stays_as_it_is_until_an_upgrade(
    libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted
) -> None:
    npm.add("leaf", "1.0.0")
    assert await install(libraries, "leaf") == ["leaf 1.0.0"]
    npm.add("leaf", "1.1.0")
    npm.add("tree", dependencies={"leaf": "^1"})
    assert await install(libraries, "leaf") == []
    assert await install(libraries, "tree") == ["tree 1.0.0"]
    assert mounted.places[f"{TOP}/leaf"] == "1.0.0"


async def test_an_upgrade_takes_what_is_new(
    libraries: InstalledLibraries, npm: NpmIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm.add("leaf", "1.0.0")
    await install(libraries, "leaf")
    npm.add("leaf", "1.1.0")
    monkeypatch.setattr("cloche.sandbox.registries.index_cache.FRESH", 0.0)
    assert await install(libraries, "leaf", upgrade=True) == ["leaf 1.1.0"]


async def test_removing_takes_along_what_nobody_else_needs(
    libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted
) -> None:
    npm.add("leaf")
    npm.add("tree", dependencies={"leaf": "*"})
    npm.add("stone")
    await install(libraries, "tree", "stone")
    gone = await libraries.uninstall("javascript", ["tree"])
    assert sorted(each.name for each in gone) == ["leaf", "tree"]
    assert mounted.places == {f"{TOP}/stone": "1.0.0"}
    assert await libraries.uninstall("javascript", ["leaf"]) == []


async def test_scoped_packages_and_aliases(libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted) -> None:
    npm.add("@mine/leaf", "1.0.0")
    npm.add("tree", dependencies={"other-leaf": "npm:@mine/leaf@^1"})
    assert await install(libraries, "@mine/leaf@1", "tree") == ["@mine/leaf 1.0.0", "@mine/leaf 1.0.0", "tree 1.0.0"]
    assert set(mounted.places) == {f"{TOP}/@mine/leaf", f"{TOP}/other-leaf", f"{TOP}/tree"}


async def test_peers_come_beside_who_wants_them(libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted) -> None:
    npm.add("host", "1.0.0")
    npm.add("host", "2.0.0")
    npm.add("never")
    meta = {"never": {"optional": True}}
    npm.add("plugin", peerDependencies={"host": "1", "never": "*"}, peerDependenciesMeta=meta)
    await install(libraries, "plugin")
    assert mounted.places == {f"{TOP}/plugin": "1.0.0", f"{TOP}/host": "1.0.0"}


async def test_a_peer_that_does_not_fit_is_reported(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    npm.add("host", "2.0.0")
    npm.add("plugin", peerDependencies={"host": "1"})
    await install(libraries, "host", "plugin")
    assert libraries.warnings == ["plugin wants host 1 beside it, and there is 2.0.0"]


@pytest.mark.parametrize(
    ("fields", "files", "reason"),
    [
        ({}, {"binding.gyp": "{}"}, "built from C"),
        ({"gypfile": True}, {}, "built from C"),
        ({"scripts": {"install": "prebuild-install || node-gyp rebuild"}}, {}, "install script"),
        ({}, {"build/addon.node": b"\x7fELF"}, "program for another machine"),
        ({"cpu": ["x64"], "os": ["linux"]}, {}, "for linux x64 only"),
    ],
)
async def test_native_packages_are_refused_and_left_out_where_they_are_optional(
    libraries: InstalledLibraries,
    npm: NpmIndex,
    mounted: Mounted,
    fields: dict[str, object],
    files: dict[str, str],
    reason: str,
) -> None:
    npm.add("fast", "1.0.0", files, **fields)
    npm.add("needs", dependencies={"fast": "*"})
    npm.add("likes", optionalDependencies={"fast": "*", "absent": "*"})
    with pytest.raises(PackageUnsupported, match=reason):
        await install(libraries, "needs")
    assert libraries.packages == []
    assert await install(libraries, "likes") == ["likes 1.0.0"]


async def test_scripts_of_packages_are_never_run(libraries: InstalledLibraries, npm: NpmIndex, tmp_path: Path) -> None:
    npm.add("eager", scripts={"postinstall": f"touch {tmp_path}/ran", "preinstall": "exit 1"})
    assert await install(libraries, "eager") == ["eager 1.0.0"]
    assert not (tmp_path / "ran").exists()


async def test_packages_from_addresses_and_git_are_refused(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    for number, spec in enumerate(
        ("git+https://example.com/x.git", "file:../x", "someone/repository", "http://x/y.tgz")
    ):
        npm.add(f"from{number}", dependencies={"leaf": spec})
        with pytest.raises(PackageUnsupported, match="come from the registry only"):
            await install(libraries, f"from{number}")


async def test_what_cannot_be_a_name_is_refused(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    for bad in ("../x", "", "a b", "http://x/y", ".hidden", "@scope"):
        with pytest.raises((ConfigError, PackageNotFound)):
            await install(libraries, bad)


async def test_an_unknown_package_is_reported_with_what_may_be_meant(
    libraries: InstalledLibraries, npm: NpmIndex
) -> None:
    with pytest.raises(PackageNotFound, match=r"No javascript package is called 'lodsh'.*Did you mean lodash"):
        await install(libraries, "lodsh")
    npm.add("tree", dependencies={"nowhere": "1"})
    with pytest.raises(PackageNotFound, match=r"tree 1.0.0 needs it.*no package 'nowhere'"):
        await install(libraries, "tree")


async def test_a_download_with_the_wrong_hash_is_refused_and_leaves_nothing(
    libraries: InstalledLibraries, npm: NpmIndex, cache: Path
) -> None:
    npm.add("leaf")
    npm.site.put("/leaf/-/leaf-1.0.0.tgz", tarball({"package/package.json": "{}"}))
    with pytest.raises(PackageDamaged, match="does not have the sha512 that its registry names"):
        await install(libraries, "leaf")
    assert list((cache / "packages").glob("blobs/*.zip")) == []
    npm.add("leaf")
    assert await install(libraries, "leaf") == ["leaf 1.0.0"]


async def test_an_old_package_is_checked_by_its_shasum(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    npm.add("leaf")
    page = npm.site.pages["/leaf"]
    known = json.loads(page.body)
    del known["versions"]["1.0.0"]["dist"]["integrity"]
    npm.site.put("/leaf", json.dumps(known))
    npm.site.put("/leaf/-/leaf-1.0.0.tgz", tarball({"package/package.json": "{}"}))
    with pytest.raises(PackageDamaged, match="does not have the sha1"):
        await install(libraries, "leaf")


async def test_a_package_without_a_manifest_is_refused(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    npm.publish({"name": "bare", "version": "1.0.0"}, tarball({"package/index.js": ""}))
    with pytest.raises(PackageDamaged, match=r"has no package.json"):
        await install(libraries, "bare")


async def test_what_a_registry_says_is_not_believed_blindly(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    npm.site.put("/noise", b"\xff\x00 not json")
    npm.site.put(
        "/liar", json.dumps({"name": "liar", "versions": {"1.0.0": {"dist": 3}}, "dist-tags": {"latest": "1.0.0"}})
    )
    for name in ("noise", "liar"):
        with pytest.raises(PackageDamaged):
            await install(libraries, name)


async def test_an_archive_in_a_private_network_is_not_fetched(libraries: InstalledLibraries, npm: NpmIndex) -> None:
    data = npm.add("leaf")
    known = json.loads(npm.site.pages["/leaf"].body)
    known["versions"]["1.0.0"]["dist"]["tarball"] = "http://169.254.169.254/latest/meta-data"
    npm.site.put("/leaf", json.dumps(known))
    with pytest.raises(PackageDamaged, match="in a private network"):
        await install(libraries, "leaf")
    assert data


async def test_the_users_token_goes_to_its_registry_only(
    libraries: InstalledLibraries, npm: NpmIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm.add("leaf")
    npm.add("@mine/leaf")
    place = npm.site.address.removeprefix("http:")
    monkeypatch.setenv("TOKEN", "secret")
    (tmp_path / "npmrc").write_text(
        f"registry=http://127.0.0.1:9/\n@mine:registry={npm.site.address}/\n{place}/:_authToken=${{TOKEN}}\n"
    )
    assert await install(libraries, "@mine/leaf") == ["@mine/leaf 1.0.0"]
    assert {each["Authorization"] for each in npm.site.headers.values()} == {"Bearer secret"}
    with pytest.raises(PackagesUnreachable, match=r"127.0.0.1:9"):
        await install(libraries, "leaf")


async def test_a_registry_that_is_down_is_reported_and_old_answers_still_do(
    libraries: InstalledLibraries, npm: NpmIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm.add("leaf")
    await install(libraries, "leaf")
    npm.site.down = True
    monkeypatch.setattr("cloche.sandbox.registries.index_cache.FRESH", 0.0)
    other = InstalledLibraries(Mounted().mount, libraries._budget)  # pyright: ignore[reportPrivateUsage] - nobody else needs it
    assert await install(other, "leaf") == ["leaf 1.0.0"]
    with pytest.raises(PackagesUnreachable, match="503"):
        await install(other, "tree")


async def test_what_was_fetched_once_needs_no_network(
    libraries: InstalledLibraries, npm: NpmIndex, mounted: Mounted
) -> None:
    npm.add("leaf")
    await install(libraries, "leaf")
    npm.site.asked.clear()
    other = InstalledLibraries(mounted.mount, libraries._budget)  # pyright: ignore[reportPrivateUsage] - nobody else needs it
    assert await install(other, "leaf") == ["leaf 1.0.0"]
    assert npm.site.asked == []


async def test_sandboxes_that_install_the_same_at_once_share_it(
    libraries: InstalledLibraries, npm: NpmIndex, cache: Path
) -> None:
    npm.add("leaf")
    npm.add("tree", dependencies={"leaf": "*"})
    others = [InstalledLibraries(Mounted().mount, InstallBudget()) for _ in range(4)]
    async with anyio.create_task_group() as tasks:
        for each in others:
            tasks.start_soon(install, each, "tree")
    assert {len(each.packages) for each in others} == {2}
    assert len({each.blob for other in others for each in other.packages}) == 2
    assert [path.suffix for path in (cache / "packages/blobs").iterdir() if path.suffix not in (".zip", ".lock")] == []


async def test_an_answer_is_asked_for_again_only_if_it_changed(
    libraries: InstalledLibraries, npm: NpmIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm.add("leaf")
    await install(libraries, "leaf")
    monkeypatch.setattr("cloche.sandbox.registries.index_cache.FRESH", 0.0)
    await install(libraries, "leaf", upgrade=True)
    assert "If-None-Match" in npm.site.headers["/leaf"]


async def test_a_redirect_to_another_place_of_the_registry_is_followed(
    libraries: InstalledLibraries, npm: NpmIndex
) -> None:
    npm.add("leaf")
    npm.site.pages["/moved"] = npm.site.pages["/leaf"]
    npm.site.pages["/leaf"] = Page(code=302, location="/moved")
    assert await install(libraries, "leaf") == ["leaf 1.0.0"]
    npm.site.pages["/loop"] = Page(code=302, location="/loop")
    with pytest.raises(PackagesUnreachable):
        await install(libraries, "loop")


async def test_a_sandbox_has_no_more_packages_than_it_may(
    libraries: InstalledLibraries, npm: NpmIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.sandbox.registries.npm.node_modules_layout.REQUIREMENT_LIMIT", 3)
    for number in range(5):
        npm.add(f"n{number}", dependencies={f"n{number + 1}": "*"} if number < 4 else {})
    with pytest.raises(PackageError, match="more than 3 packages"):
        await install(libraries, "n0")


@pytest.mark.parametrize(
    ("module", "package"),
    [("lodash", "lodash"), ("lodash/fp", "lodash"), ("@a/b", "@a/b"), ("@a/b/c/d.js", "@a/b")],
)
async def test_a_missing_module_leads_to_its_package(
    libraries: InstalledLibraries, npm: NpmIndex, module: str, package: str
) -> None:
    npm.add(package)
    done = await libraries.provide("typescript", module, LibraryOrder())
    assert [each.name for each in done.packages] == [package]


@pytest.mark.parametrize("module", ["fs", "node:fs", "./mine", "/x", "", "lodahs", "expres"])
async def test_a_module_that_no_package_should_bring_is_not_installed(
    libraries: InstalledLibraries, npm: NpmIndex, module: str
) -> None:
    npm.add("lodahs")
    with pytest.raises(PackageNotFound):
        await libraries.provide("javascript", module, LibraryOrder())


async def test_a_registry_that_is_no_address_is_reported_plainly(
    libraries: InstalledLibraries, npm: NpmIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "ftp://x")
    with pytest.raises(ConfigError, match="names the registry 'ftp://x': give an https address"):
        await libraries.install("javascript", ["leaf"], LibraryOrder())
