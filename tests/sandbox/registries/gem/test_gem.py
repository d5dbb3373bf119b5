import json
import zipfile

import pytest

from cloche.errors import ConfigError, PackageConflict, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.sandbox.registries.gem.versions import Requirement, compare_versions
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from tests.sandbox.registries.conftest import Mounted
from tests.sandbox.registries.makers import GemIndex, gem, tarball


async def install(libraries: InstalledLibraries, *names: str) -> list[str]:
    done = await libraries.install("ruby", names, LibraryOrder())
    return [f"{each.name} {each.version}" for each in done.packages]


async def test_a_gem_and_what_it_needs_are_installed(
    libraries: InstalledLibraries, gems: GemIndex, mounted: Mounted
) -> None:
    gems.add("leaf", "1.0.0")
    gems.add("leaf", "1.4.2")
    gems.add("leaf", "2.0.0")
    gems.add("tree", "0.3.0", needs="leaf:~> 1.2&!= 1.4.3")
    assert await install(libraries, "tree") == ["leaf 1.4.2", "tree 0.3.0"]
    assert mounted.places == {"ruby/leaf-1.4.2": "1.4.2", "ruby/tree-0.3.0": "0.3.0"}
    blob = next(each.blob for each in libraries.packages if each.name == "leaf")
    with zipfile.ZipFile(blob) as archive:
        assert archive.read("lib/leaf.rb") == b"LEAF = '1.4.2'\n"
        about = json.loads(archive.read("cloche.json"))
    assert about == {"name": "leaf", "version": "1.4.2", "require_paths": ["lib"], "executables": [], "bindir": "exe"}


async def test_an_older_version_is_taken_where_the_newest_does_not_go_together(
    libraries: InstalledLibraries, gems: GemIndex, mounted: Mounted
) -> None:
    for version in ("1.0", "2.0"):
        gems.add("leaf", version)
    gems.add("left", "1.0", needs="leaf:< 2")
    gems.add("right", "1.0", needs="leaf:>= 1")
    gems.add("right", "2.0", needs="leaf:>= 2")
    await install(libraries, "left", "right")
    assert mounted.places == {"ruby/left-1.0": "1.0", "ruby/leaf-1.0": "1.0", "ruby/right-1.0": "1.0"}


async def test_requirements_that_cannot_be_met_together_name_both_sides(
    libraries: InstalledLibraries, gems: GemIndex
) -> None:
    for version in ("1.0", "2.0"):
        gems.add("leaf", version)
    gems.add("left", needs="leaf:< 2")
    gems.add("right", needs="leaf:>= 2")
    with pytest.raises(
        PackageConflict, match=r"leaf is right for all \(left asked for < 2; right asked for >= 2\); there are 2.0, 1.0"
    ):
        await install(libraries, "left", "right")
    assert libraries.packages == []


async def test_a_hard_case_is_solved_by_going_back_to_who_is_to_blame(
    libraries: InstalledLibraries, gems: GemIndex
) -> None:
    for number in range(12):
        for version in range(10):
            gems.add(f"free{number}", f"{version}.0")
    gems.add("base", "1.0")
    gems.add("base", "2.0")
    gems.add("first", "2.0", needs="base:>= 2")
    gems.add("first", "1.0", needs="base:>= 1")
    gems.add("last", "1.0", needs="base:< 2")
    found = await install(libraries, "first", *(f"free{number}" for number in range(12)), "last")
    assert {"first 1.0", "base 1.0", "free3 9.0"} <= set(found)


async def test_only_what_fits_this_ruby_and_machine_is_taken(libraries: InstalledLibraries, gems: GemIndex) -> None:
    gems.add("leaf", "1.0")
    gems.add("leaf", "2.0", ruby=">= 9.0")
    gems.add("leaf", "2.1", ruby="< 3.0")
    gems.line("leaf", "3.0-x86_64-linux |checksum:00")
    gems.line("leaf", "3.0-java |checksum:00")
    gems.add("leaf", "4.0.pre1")
    assert await install(libraries, "leaf") == ["leaf 1.0"]


async def test_a_version_before_its_release_is_taken_when_it_is_named(
    libraries: InstalledLibraries, gems: GemIndex
) -> None:
    gems.add("leaf", "1.0")
    gems.add("leaf", "2.0.rc1")
    assert await install(libraries, "leaf:2.0.rc1") == ["leaf 2.0.rc1"]


async def test_what_ruby_comes_with_is_not_installed(libraries: InstalledLibraries, gems: GemIndex) -> None:
    gems.add("leaf", needs="json:>= 1,stringio:~> 3.0,logger:>= 0")
    gems.add("logger", "1.7.0")
    assert await install(libraries, "leaf") == ["leaf 1.0.0", "logger 1.7.0"]


async def test_native_gems_are_refused(libraries: InstalledLibraries, gems: GemIndex) -> None:
    gems.add("fast", extensions=["ext/fast/extconf.rb"])
    with pytest.raises(PackageUnsupported, match=r"fast 1.0.0 is native: it builds ext/fast/extconf.rb"):
        await install(libraries, "fast")


async def test_a_gem_with_the_wrong_hash_is_refused(libraries: InstalledLibraries, gems: GemIndex) -> None:
    gems.add("leaf")
    gems.publish("leaf-1.0.0", gem("leaf", "1.0.0", {"lib/leaf.rb": "evil"}))
    with pytest.raises(PackageDamaged, match="sha256"):
        await install(libraries, "leaf")


async def test_what_is_no_gem_is_refused(libraries: InstalledLibraries, gems: GemIndex) -> None:
    for number, data in enumerate((b"noise", tarball({"metadata.gz": "noise", "data.tar.gz": ""}, packed=""), b"")):
        gems.publish(f"bad{number}-1.0", data)
        gems.line(f"bad{number}", "1.0 |ruby:>= 0")
        with pytest.raises(PackageDamaged):
            await install(libraries, f"bad{number}")


async def test_an_unknown_gem_is_reported(libraries: InstalledLibraries, gems: GemIndex) -> None:
    with pytest.raises(PackageNotFound, match="Did you mean rainbow"):
        await install(libraries, "rainbw")
    gems.add("tree", needs="nowhere:>= 0")
    with pytest.raises(PackageNotFound, match="tree needs 'nowhere'"):
        await install(libraries, "tree")
    gems.add("leaf", "1.5")
    with pytest.raises(PackageNotFound, match=r"No version of leaf fits = 9 \(you asked for = 9\); there are 1.5"):
        await install(libraries, "leaf:9")


@pytest.mark.parametrize("bad", ["", "../x", "a b", "leaf:nonsense", "leaf:~>", "https://x/y"])
async def test_what_cannot_be_a_gem_is_refused(libraries: InstalledLibraries, gems: GemIndex, bad: str) -> None:
    with pytest.raises(ConfigError):
        await install(libraries, bad)


@pytest.mark.parametrize(
    ("module", "name"),
    [("rainbow", "rainbow"), ("rainbow/refinement", "rainbow"), ("active_support/all", "activesupport")],
)
async def test_a_missing_file_leads_to_its_gem(
    libraries: InstalledLibraries, gems: GemIndex, module: str, name: str
) -> None:
    gems.add(name)
    done = await libraries.provide("ruby", module, LibraryOrder())
    assert [each.name for each in done.packages] == [name]


@pytest.mark.parametrize("module", ["json", "net/http", "../x", "", "rainbw"])
async def test_a_file_that_no_gem_should_bring_is_not_installed(
    libraries: InstalledLibraries, gems: GemIndex, module: str
) -> None:
    with pytest.raises(PackageNotFound):
        await libraries.provide("ruby", module, LibraryOrder())


@pytest.mark.parametrize(
    ("older", "newer"),
    [("1.0", "1.1"), ("1.9", "1.10"), ("1.0.a", "1.0"), ("1.0.a2", "1.0.a10"), ("1.0.b1", "1.0.rc1"), ("0.9", "1.0.a")],
)
def test_versions_of_gems_have_an_order(older: str, newer: str) -> None:
    assert compare_versions(older, newer) < 0 < compare_versions(newer, older)


@pytest.mark.parametrize(
    ("parts", "yes", "no"),
    [
        (["~> 1.2"], ["1.2", "1.2.9", "1.9"], ["1.1", "2.0", "2.0.a"]),
        (["~> 1.2.3"], ["1.2.3", "1.2.10"], ["1.3", "1.2.2"]),
        (["~> 1"], ["1.0", "1.9.9"], ["2.0", "0.9"]),
        ([">= 1", "< 3"], ["1", "2.9"], ["3", "0.9", "2.0.a"]),
        (["!= 1.5"], ["1.4", "1.6"], ["1.5", "1.5.0"]),
        (["1.5"], ["1.5", "1.5.0"], ["1.5.1"]),
        ([">= 2.0.a"], ["2.0.a", "2.0.b", "2.0"], ["1.9"]),
        (["~> 2.0.a"], ["2.0.a", "2.0.5", "2.1"], ["3.0"]),
    ],
)
def test_requirements_of_gems(parts: list[str], yes: list[str], no: list[str]) -> None:
    requirement = Requirement(parts)
    assert [version for version in yes if not requirement.allows(version)] == []
    assert [version for version in no if requirement.allows(version)] == []
