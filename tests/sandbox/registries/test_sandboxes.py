"""Packages of the languages besides Python in real sandboxes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cloche import ConfigError, PackageNotFound, Sandbox
from tests.sandbox.conftest import OpenBox
from tests.sandbox.registries.index_server import Site
from tests.sandbox.registries.makers import GemIndex, NpmIndex, RockIndex

NAME = f"cloche-leaf-{os.getpid()}"
"""Another one each time, since answers are kept in the user's cache."""

TREE = f"cloche-tree-{os.getpid()}"
FOLDER = "/opt/languages/javascript/node_modules"

pytestmark = [pytest.mark.usefixtures("npm", "gems"), pytest.mark.timeout(60)]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Site() as served:
        yield served


@pytest.fixture
def npm(site: Site, monkeypatch: pytest.MonkeyPatch) -> NpmIndex:
    monkeypatch.setenv("npm_config_registry", site.address)
    index = NpmIndex(site)
    index.add(NAME, "1.0.0")
    index.add(NAME, "2.0.0")
    index.add(TREE, "1.0.0", dependencies={NAME: "^1"})
    return index


@pytest.fixture
def gems(site: Site, monkeypatch: pytest.MonkeyPatch) -> GemIndex:
    monkeypatch.setenv("CLOCHE_GEM_URL", site.address)
    index = GemIndex(site)
    index.add(NAME, "3.1.0")
    return index


@pytest.mark.slow
async def test_what_is_installed_is_seen_by_every_language_and_listed(fresh: Sandbox) -> None:
    await fresh.bash("true")
    found = await fresh.install(TREE, f"{NAME}@2", language="javascript")
    assert [(each.name, each.version, each.language) for each in found] == [
        (NAME, "2.0.0", "javascript"),
        (NAME, "1.0.0", "javascript"),
        (TREE, "1.0.0", "javascript"),
    ]
    assert fresh.packages == sorted(fresh.packages, key=lambda each: each.at)
    nested = f"{FOLDER}/{TREE}/node_modules/{NAME}/index.js"
    result = await fresh.bash(f"cat {FOLDER}/{NAME}/index.js {nested}; touch {FOLDER}/x; ls /opt")
    assert result.stdout == f"module.exports = '{NAME} 2.0.0';\nmodule.exports = '{NAME} 1.0.0';\nlanguages\npackages\n"
    assert "read-only" in result.stderr.lower()
    assert (await fresh.run(f"open('{nested}').read()[-8:]")).value == '"1.0.0\';\\n"'
    assert (await fresh.run("import javascript")).error is not None


async def test_languages_do_not_mix(fresh: Sandbox) -> None:
    await fresh.install(NAME, language="javascript")
    await fresh.install(NAME, language="ruby")
    assert [(each.language, each.version) for each in fresh.packages] == [("javascript", "2.0.0"), ("ruby", "3.1.0")]
    result = await fresh.bash(f"ls /opt/languages; cat /opt/languages/ruby/{NAME}-3.1.0/lib/{NAME}.rb")
    assert result.stdout == f"javascript\nruby\n{NAME.upper()} = '3.1.0'\n"
    await fresh.reset()
    assert (await fresh.run("import os; sorted(os.listdir('/opt/languages'))")).value == "['javascript', 'ruby']"


async def test_bash_has_the_tools_that_people_know(fresh: Sandbox) -> None:
    result = await fresh.bash(f"npm install {TREE} && npm ls && gem install {NAME} -v 3.1.0 --no-document && gem list")
    assert result.stdout.splitlines() == [
        *(f"installed {NAME} 1.0.0", f"installed {TREE} 1.0.0", f"{NAME} 1.0.0", f"{TREE} 1.0.0"),
        *(f"installed {NAME} 3.1.0", f"{NAME} 3.1.0"),
    ]
    result = await fresh.bash(f"npm i {TREE}; npm rm {TREE}; npm ls; npm rm {NAME}")
    assert result.stdout.splitlines() == [
        *(f"already there: {TREE} 1.0.0", f"removed {NAME} 1.0.0", f"removed {TREE} 1.0.0"),
        f"warning: {NAME} was not asked for, or others need it: it stays as it is",
    ]


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        ("npm install nothing-like-it-at-all", 1, "npm: No javascript package is called"),
        ("npm install ../x", 2, "is no npm package"),
        ("npm run build", 1, "there is no package.json"),
        ("npm install", 1, "name the packages"),
        ("gem", 0, "Usage: gem install"),
        ("cpanm --help", 0, "Usage: cpanm NAME"),
    ],
)
async def test_what_the_tools_cannot_do_is_reported(shared_box: Sandbox, command: str, code: int, text: str) -> None:
    result = await shared_box.bash(command)
    assert (result.exit_code, text in result.stdout + result.stderr) == (code, True)


async def test_a_package_that_cannot_be_had_leaves_the_sandbox_as_it_was(fresh: Sandbox) -> None:
    await fresh.run("x = 1")
    with pytest.raises(PackageNotFound):
        await fresh.install("nothing-like-it-at-all", language="javascript")
    with pytest.raises(ConfigError, match="no packages for scheme"):
        await fresh.install("x", language="scheme")
    with pytest.raises(ConfigError, match="no language 'rubi'"):
        await fresh.install("x", language="rubi")
    with pytest.raises(ConfigError, match="installed by name"):
        await fresh.install(Path("x.tgz"), language="javascript")
    assert (await fresh.run("x")).value == "1"
    assert fresh.packages == []


async def test_the_code_inside_may_be_kept_from_installing(open_box: OpenBox) -> None:
    box = await open_box(allow_install=False)
    result = await box.bash(f"npm install {NAME}; npm ls; gem list")
    assert "switched off for this sandbox" in result.stdout
    assert box.packages == []
    assert [each.name for each in await box.install(NAME, language="javascript")] == [NAME]


@pytest.mark.slow
async def test_packages_are_saved_with_the_sandbox(open_box: OpenBox, fresh: Sandbox, tmp_path: Path) -> None:
    await fresh.install(TREE, language="javascript")
    await fresh.install(NAME, language="ruby")
    await fresh.save(tmp_path / "saved")
    box = await open_box(from_=tmp_path / "saved")
    assert [(each.language, each.name) for each in box.packages] == [
        *(("javascript", NAME), ("javascript", TREE), ("ruby", NAME)),
    ]
    result = await box.bash(f"cat {FOLDER}/{TREE}/index.js; npm rm {TREE}; npm ls; gem list")
    assert result.stdout.splitlines() == [
        f"module.exports = '{TREE} 1.0.0';",
        *(f"removed {NAME} 1.0.0", f"removed {TREE} 1.0.0", f"{NAME} 3.1.0"),
    ]


@pytest.fixture
def rocks(site: Site, monkeypatch: pytest.MonkeyPatch) -> RockIndex:
    monkeypatch.setenv("CLOCHE_LUAROCKS_URL", site.address)
    index = RockIndex(site)
    index.add(NAME.replace("-", ""))
    return index


@pytest.mark.slow
@pytest.mark.usefixtures("rocks")
async def test_a_missing_module_is_installed_where_that_is_wanted(open_box: OpenBox) -> None:
    code = f"return require('{NAME.replace('-', '')}').version"
    plain = await open_box()
    result = await plain.run(code, language="lua")
    assert result.error is not None
    assert plain.packages == []
    box = await open_box(auto_install=True)
    assert (await box.run(code, language="lua")).value == '"1.0-1"'
    assert [each.language for each in box.packages] == ["lua"]
    assert (await box.run("require('nothing_like_it_at_all')", language="lua")).error is not None
