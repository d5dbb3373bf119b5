"""The pip of the sandbox."""

import json
from collections.abc import Awaitable, Callable

import pytest

from cloche.sandbox.packages.guest_pip.pip_command import run_pip_command
from cloche.sandbox.packages.installed import InstalledPackages
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

Run = Callable[..., Awaitable[tuple[int, str]]]


@pytest.fixture
def run(packages: InstalledPackages) -> Run:
    async def run(*args: str) -> tuple[int, str]:
        said: list[str] = []

        async def out(text: str) -> None:
            said.append(text)

        return (await run_pip_command(packages, args, "/workspace", out)).exit, "".join(said)

    return run


async def test_packages_come_and_go(run: Run, index: WheelIndex, mounted: Mounted) -> None:
    make_wheel(index.folder, "Leaf", "1.5")
    make_wheel(index.folder, "tree", requires=["leaf"])
    assert await run("install", "tree") == (0, "Collecting tree\nSuccessfully installed leaf-1.5 tree-1.0\n")
    code, said = await run("install", "tree", "leaf>1")
    assert (code, said.splitlines()[0]) == (0, "Requirement already satisfied: tree in /opt/packages (1.0)")
    code, said = await run("list")
    assert [line.split() for line in said.splitlines()[:2]] == [["Package", "Version"], ["-" * 9, "-" * 7]]
    assert "leaf      1.5\n" in said
    code, said = await run("freeze")
    assert "leaf==1.5\n" in said
    assert "ipython==" in said
    code, said = await run("list", "--format", "json")
    assert {"name": "tree", "version": "1.0"} in json.loads(said)
    code, said = await run("show", "leaf", "missing")
    assert said.startswith("WARNING: Package(s) not found: missing\nName: Leaf\nVersion: 1.5\nSummary: About Leaf\n")
    assert said.endswith("Location: /opt/packages\nRequires: \nRequired-by: tree\n")
    assert await run("uninstall", "-y", "leaf", "missing", "ipython") == (
        0,
        "Found existing installation: leaf 1.5\nSuccessfully uninstalled leaf-1.5\n"
        "WARNING: Skipping missing as it is not installed.\nERROR: ipython belongs to the sandbox and stays\n",
    )
    assert mounted.names == ["tree 1.0"]


async def test_files_of_requirements_are_read_in_the_sandbox(run: Run, index: WheelIndex, mounted: Mounted) -> None:
    make_wheel(index.folder, "leaf", "1.0")
    make_wheel(index.folder, "leaf", "2.0")
    mounted.files["/workspace/r.txt"] = b"leaf\n-c c.txt\n"
    mounted.files["/workspace/c.txt"] = b"leaf<2\n"
    assert await run("-q", "install", "-r", "r.txt") == (0, "")
    assert mounted.names == ["leaf 1.0"]
    assert await run("install", "-U", "leaf") == (
        0,
        "Changed: leaf 1.0 -> 2.0\nSuccessfully installed leaf-2.0\n",
    )


@pytest.mark.parametrize("flag", [["--version"], ["-V"], ["--help"], [], ["help"], ["install", "--help"]])
async def test_help_and_version(run: Run, flag: list[str]) -> None:
    code, said = await run(*flag)
    assert code == 0
    assert said.startswith("pip " if flag in (["--version"], ["-V"]) else "Usage:")


@pytest.mark.parametrize(
    ("args", "code", "why"),
    [
        (["install"], 2, "at least one requirement"),
        (["install", "-i", "http://x", "a"], 2, "the host fetches packages from the indexes its pip knows"),
        (["install", "--extra-index-url=http://x", "a"], 2, "the host fetches packages"),
        (["install", "-e", "."], 2, "the folder has no pyproject.toml"),
        (["install", "."], 2, "no folder with a pyproject.toml"),
        (["install", "./folder"], 2, "no folder with a pyproject.toml"),
        (["install", "http://x.example/a-1.0-py3-none-any.whl"], 2, "not by address"),
        (["install", "--nonsense", "a"], 2, "no such option: --nonsense"),
        (["install", "-r"], 2, "requires 1 argument"),
        (["install", "-r", "missing.txt"], 1, "No such file"),
        (["download", "a"], 2, "only sources can be downloaded"),
        (["install", "nothing-like-it"], 1, "No package is called 'nothing-like-it'"),
        (["show"], 2, "Please provide a package name"),
        (["uninstall"], 2, "at least one requirement"),
    ],
)
async def test_what_cannot_be_done_is_reported(run: Run, args: list[str], code: int, why: str) -> None:
    got, said = await run(*args)
    assert got == code
    assert said.rpartition("ERROR: ")[1] == "ERROR: "
    assert why in said
