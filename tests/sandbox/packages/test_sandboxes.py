"""Packages in real sandboxes: installed from outside and inside, used, kept."""

import os
from pathlib import Path

import pytest

import cloche
from cloche import PackageNotFound, Sandbox
from cloche.errors import ConfigError
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

NAME = f"cloche-boxes-{os.getpid()}"
"""Another one each time, since what is resolved is kept in the user's cache."""

MODULE = NAME.replace("-", "_")
USE = f"import {MODULE}; {MODULE}.version"
LATER = f"{MODULE}_later"

pytestmark = [pytest.mark.usefixtures("filled_index"), pytest.mark.timeout(60)]


@pytest.fixture
def filled_index(index: WheelIndex) -> WheelIndex:
    make_wheel(index.folder, NAME, "1.0")
    make_wheel(index.folder, LATER, "2.0", requires=[NAME])
    return index


async def test_what_is_installed_can_be_imported_and_is_listed(fresh: Sandbox) -> None:
    assert [each.name for each in await fresh.install(NAME)] == [NAME]
    assert (await fresh.run(USE)).value == "'1.0'"
    assert [each.version for each in fresh.packages] == ["1.0"]
    assert await fresh.install(NAME) == []
    result = await fresh.bash(f"pip freeze | grep {NAME}; python3 -c 'import {MODULE}; print({MODULE}.__file__)'")
    assert result.stdout == f"{NAME}==1.0\n/opt/packages/{MODULE}/__init__.py\n"


@pytest.mark.slow
async def test_packages_are_there_before_the_first_call_and_after_a_reset(open_box: OpenBox) -> None:
    box = await open_box(packages=[LATER.replace("_", "-")])
    assert (await box.run(f"import {LATER}, {MODULE}; {LATER}.version")).value == "'2.0'"
    await box.reset()
    assert (await box.run(USE)).value == "'1.0'"


async def test_a_wheel_of_the_workspace_is_installed_by_its_path(fresh: Sandbox, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, f"{NAME}-own", "0.1")
    await fresh.write(wheel.name, wheel.read_bytes())
    assert [each.version for each in await fresh.install(wheel.name)] == ["0.1"]
    assert (await fresh.run(f"import {MODULE}_own as own; own.version")).value == "'0.1'"


@pytest.mark.slow
async def test_a_package_that_does_not_exist_leaves_the_sandbox_as_it_was(fresh: Sandbox) -> None:
    await fresh.run("x = 1")
    with pytest.raises(PackageNotFound):
        await fresh.install("nothing-like-it")
    assert (await fresh.run("x")).value == "1"


async def test_the_code_inside_may_be_kept_from_installing(open_box: OpenBox) -> None:
    box = await open_box(allow_install=False, auto_install=True)
    result = await box.bash(f"pip install {NAME}; echo $?; pip list | head -1")
    assert result.stdout.endswith("allow_install=False)\n1\nPackage   Version\n")
    assert (await box.run(USE)).error is not None
    await box.install(NAME)
    assert (await box.run(USE)).value == "'1.0'"


async def test_missing_imports_are_installed_only_where_that_is_wanted(open_box: OpenBox) -> None:
    plain, willing = await open_box(), await open_box(auto_install=True)
    failed = await plain.run(USE)
    assert failed.error is not None
    assert failed.error.type == "ModuleNotFoundError"
    done = await willing.run(USE)
    assert (done.value, done.stderr) == ("'1.0'", f"installed {NAME}-1.0 for `import {MODULE}`\n")


@pytest.mark.usefixtures("prepared")
def test_one_text_is_no_list_of_packages() -> None:
    with pytest.raises(ConfigError, match="is one text"):
        cloche.run("1", packages=NAME)


@pytest.mark.usefixtures("prepared")
def test_the_one_liner_takes_packages() -> None:
    assert cloche.run(USE, packages=[NAME]).value == "'1.0'"
