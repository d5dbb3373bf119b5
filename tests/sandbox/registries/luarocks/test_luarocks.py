import zipfile

import pytest

from cloche.errors import ConfigError, PackageConflict, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from cloche.sandbox.registries.luarocks.lua_table import NotPlainData, as_list, read_assignments, read_entry
from cloche.sandbox.registries.luarocks.versions import VersionConstraints, version_key
from tests.sandbox.registries.conftest import Mounted
from tests.sandbox.registries.makers import RockIndex


async def install(libraries: InstalledLibraries, *names: str) -> list[str]:
    done = await libraries.install("lua", names, LibraryOrder())
    return [f"{each.name} {each.version}" for each in done.packages]


def files(libraries: InstalledLibraries, name: str) -> list[str]:
    (package,) = [each for each in libraries.packages if each.name == name]
    with zipfile.ZipFile(package.blob) as archive:
        return sorted(archive.namelist())


async def test_a_rock_and_what_it_needs_are_installed(
    libraries: InstalledLibraries, rocks: RockIndex, mounted: Mounted
) -> None:
    rocks.add("leaf", "1.0-1")
    rocks.add("leaf", "1.10-2")
    rocks.add("leaf", "2.0-1")
    rocks.add("leaf", "scm-1")
    rocks.add("my-tree", "0.1-1", {"src/my-tree.lua": ""}, needs=["lua >= 5.1, < 5.5", "leaf ~> 1"])
    assert await install(libraries, "my-tree") == ["leaf 1.10-2", "my-tree 0.1-1"]
    assert {each.at for each in mounted.changes[-1]} == {"lua"}
    assert files(libraries, "leaf") == ["leaf.lua"]


async def test_modules_go_where_they_are_required_from(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    spec = """build = {
      type = "builtin",
      modules = { ["deep.er.mod"] = "lib/mod.lua", deep = "deep/init.lua", [ 'one' ] = "./one.lua" },
      install = { lua = { ["extra"] = "more/extra.lua" }, bin = { "bin/tool" } },
    }"""
    sources = {
        "lib/mod.lua": "",
        "deep/init.lua": "",
        "one.lua": "",
        "more/extra.lua": "",
        "bin/tool": "",
        "test.lua": "",
    }
    rocks.add("rich", "1.0-1", sources, spec=spec)
    await install(libraries, "rich")
    assert files(libraries, "rich") == ["deep/er/mod.lua", "deep/init.lua", "extra.lua", "one.lua"]


async def test_a_rock_that_does_not_say_is_searched(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    rocks.add(
        "plain", "1.0-1", {"lua/plain/init.lua": "", "lua/plain/a.lua": "", "spec/x_spec.lua": ""}, spec="build = {}"
    )
    await install(libraries, "plain")
    assert files(libraries, "plain") == ["plain/a.lua", "plain/init.lua"]


async def test_a_rock_that_is_ready_is_taken_as_it_is(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    rocks.add("ready", "1.0-1", {"lua/ready.lua": "", "doc/x.md": ""}, arch="all")
    await install(libraries, "ready")
    assert files(libraries, "ready") == ["ready.lua"]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ('build = { type = "builtin", modules = { x = { sources = {"x.c"} } } }', r"x.c is C"),
        ('build = { type = "builtin", modules = { x = "src/x.c" } }', r"x.c is C"),
        ('build = { type = "builtin", modules = { x = { "x.c", "y.c" } } }', r"x.c is C"),
        ('build = { type = "make" }', "built by 'make'"),
        ('external_dependencies = { Z = { header = "z.h" } }\nbuild = {}', "libraries of the system"),
        ("build = {}", r"native.c is C"),
    ],
)
async def test_native_rocks_are_refused(
    libraries: InstalledLibraries, rocks: RockIndex, spec: str, reason: str
) -> None:
    rocks.add("fast", "1.0-1", {"native.c": "int x;"}, spec=spec)
    with pytest.raises(PackageUnsupported, match=reason):
        await install(libraries, "fast")


async def test_a_rock_for_another_lua_is_refused(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    rocks.add("jit", needs=["lua == 5.1"])
    with pytest.raises(PackageUnsupported, match=r"needs Lua == 5.1; the sandbox has 5"):
        await install(libraries, "jit")


async def test_a_rockspec_that_is_a_program_is_refused(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    rocks.add("wild", spec='os.execute("touch /tmp/x")\nbuild = {}')
    with pytest.raises(PackageUnsupported, match="cannot be read"):
        await install(libraries, "wild")


async def test_a_rock_that_lacks_what_it_names_is_refused(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    rocks.add("empty", "1.0-1", {"README.md": "x"})
    with pytest.raises(PackageDamaged, match=r"names 'src/empty.lua', which is not in it"):
        await install(libraries, "empty")
    rocks.add("out", "1.0-1", {"x.lua": ""}, spec='build = { modules = { ["../../x"] = "x.lua" } }')
    with pytest.raises(PackageDamaged, match="no name of a module"):
        await install(libraries, "out")


async def test_rocks_that_do_not_go_together_are_reported(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    rocks.add("leaf", "1.0-1")
    rocks.add("leaf", "2.0-1")
    rocks.add("left", needs=["leaf < 2"])
    rocks.add("right", needs=["leaf >= 2"])
    with pytest.raises(PackageConflict, match="left asked for < 2"):
        await install(libraries, "left", "right")


async def test_unknown_rocks_and_nonsense_are_reported(libraries: InstalledLibraries, rocks: RockIndex) -> None:
    with pytest.raises(PackageNotFound, match="Did you mean inspect"):
        await install(libraries, "inspct")
    for bad in ("../x", "", "a b", "leaf@~~3"):
        with pytest.raises(ConfigError):
            await install(libraries, bad)
    rocks.add("penlight", "1.0-1", {"src/penlight.lua": ""})
    done = await libraries.provide("lua", "pl.pretty", LibraryOrder())
    assert [each.name for each in done.packages] == ["penlight"]


def test_the_data_of_lua_is_read() -> None:
    text = """--[[ long
    comment ]] a = 1; local b = "x\\n\\65\\x42" .. 'y' -- end
    c = { 1, "two", [3] = true, k = -2.5, ["odd key"] = { nested = nil }, [==[
long]] text]==]; } d = b .. "z"
    """
    found = read_assignments(text)
    assert (found["a"], found["b"], found["d"]) == (1, "x\nABy", "x\nAByz")
    assert as_list(found["c"]) == [1, "two", "long]] text"]
    assert found["c"]["k"] == -2.5


@pytest.mark.parametrize(
    "text",
    ["a = f()", "a = 1 + 2", "for i=1,2 do end", "a = {", "a = }", "a.b = 1", "a = " + "{" * 100 + "}" * 100, "a = @"],
)
def test_what_is_more_than_data_is_refused(text: str) -> None:
    with pytest.raises(NotPlainData):
        read_assignments(text)


def test_one_entry_of_a_large_table_is_found() -> None:
    text = 'repository = { other = { x = 1 }, ["my-leaf"] = { ["1.0-1"] = { { arch = "src" } } }, leaf = { y = 2 } }'
    assert read_entry(text, "leaf") == {"y": 2}
    assert read_entry(text, "my-leaf") == {"1.0-1": {1: {"arch": "src"}}}
    assert read_entry(text, "nothing") is None


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        (">= 1.2, < 2", ["1.2-1", "1.9-3"], ["2.0-1", "1.1-9"]),
        ("~> 1.2", ["1.2-1", "1.2.5-1"], ["1.3-1"]),
        ("== 1.0", ["1.0-1", "1.0-7"], ["1.0.1-1"]),
        ("1.0-2", ["1.0-2"], ["1.0-1"]),
        ("~= 1.0", ["1.1-1"], ["1.0-1"]),
        ("> 1.0rc1", ["1.0-1"], ["1.0beta2-1"]),
        ("", ["0.1-1", "scm-1"], []),
    ],
)
def test_constraints_of_rocks(text: str, yes: list[str], no: list[str]) -> None:
    constraints = VersionConstraints(text)
    assert [version for version in yes if not constraints.allows(version)] == []
    assert [version for version in no if constraints.allows(version)] == []


def test_versions_of_rocks_have_an_order() -> None:
    ordered = ["1.0alpha-1", "1.0beta-1", "1.0rc1-1", "1.0-1", "1.0-2", "1.9-1", "1.10-1", "scm-1"]
    assert sorted(ordered, key=version_key) == ordered
