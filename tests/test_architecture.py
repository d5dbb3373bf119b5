"""Compares docs/architecture.md and CONTRIBUTING.md with the code."""

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

from cloche.events import CmdRunAction, EventStream, MemoryStore
from cloche.runtime import PyodideRuntime
from cloche.sandbox.process.engine_process import EngineProcess, Launch
from cloche.sandbox.sandbox import Sandbox
from cloche.session import Dispatcher
from tests.sandbox.conftest import prepared

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/cloche"
PAGE = ROOT / "docs/architecture.md"
PROTOCOL = SOURCE / "engine/protocol.ts"
BYTES = {"chunk"}
"""Messages that are no JSON: Python has no tag for them."""
ASIDE = {
    "logs/ids.py",
    "logs/masks.py",
    "options.py",
    "sandbox/languages.py",
    "sandbox/options.py",
    "sandbox/owner_check.py",
    "sandbox/process/background.py",
    "sandbox/process/priority.py",
    "sandbox/process/process_family.py",
    "sandbox/process/watchdog.py",
}
"""Files that check or watch a call, and do nothing with its message."""
__all__ = ["prepared"]


def section(title: str) -> str:
    (found,) = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return found


def rows(title: str, table: int = 0) -> list[list[str]]:
    """A table of a section, without its head."""
    tables = re.findall(r"(?:^\|.*\n)+", section(title), re.MULTILINE)
    lines = tables[table].splitlines()[2:]
    return [[cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")] for line in lines]


def walk(title: str, *above: str) -> list[str]:
    """The files of a walk in their order; rows may name those of the table above."""
    files: list[str] = []
    for number, file, step in rows(title):
        if file.startswith("`"):
            files.append(file.strip("`"))
        else:
            first, kind, last = re.findall(r"rows (\d+) (to|and) (\d+)", step)[0]
            files += (
                above[int(first) - 1 : int(last)] if kind == "to" else (above[int(each) - 1] for each in (first, last))
            )
        assert int(number.rpartition("-")[2]) == len(files), file
    return files


def walk_of_an_action() -> list[str]:
    return walk("One action: `run`", *walk('One call: `box.run("1+1")`'))


def names(column: int, table: int = 0) -> list[str]:
    """The words of one column about messages."""
    cells = [row[column] for row in rows("Messages", table)]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def declared(name: str) -> set[str]:
    """The values of `op` in a type of protocol.ts, including those of the types that it is made of."""
    (body,) = re.findall(rf"^(?:export )?type {name} =(.*?);$", PROTOCOL.read_text(), re.MULTILINE | re.DOTALL)
    parts = re.findall(r"^  \| (\w+)$", body, re.MULTILINE)
    return set(re.findall(r'\bop: "(\w+)"', body)).union(*(declared(part) for part in parts))


PAGES = [(PAGE, 60), (ROOT / "CONTRIBUTING.md", 20), *((page, -1) for page in sorted((ROOT / "docs/adr").glob("*.md")))]


@pytest.mark.parametrize(("page", "least"), PAGES, ids=[page.stem for page, _ in PAGES])
def test_every_path_on_a_page_exists(page: Path, least: int) -> None:
    named = set(re.findall(r"`(\w[\w.*-]*/[\w./*-]*)`", page.read_text()))
    assert len(named) > least
    placeholders = {path for path in named if "NAME" in path}
    assert [
        path for path in named - placeholders if not any(any(root.glob(path.rstrip("/"))) for root in (ROOT, SOURCE))
    ] == []


def test_every_folder_of_the_code_is_in_the_tree() -> None:
    tree = section("The tree")
    for folder in (SOURCE, SOURCE / "sandbox", SOURCE / "engine"):
        # Git leaves folders behind that hold nothing but bytecode.
        inside = [path.name for path in folder.iterdir() if any(path.rglob("*.py")) or any(path.rglob("*.ts"))]
        assert [name for name in inside if f"{name}/" not in tree] == []


@pytest.mark.parametrize(("column", "name"), list(enumerate(["FromHost", "ToHost", "ToWorker", "FromWorker"], 1)))
def test_the_table_of_messages_is_complete(column: int, name: str) -> None:
    assert sorted(names(column)) == sorted(declared(name))


def test_the_table_of_requests_is_complete() -> None:
    kinds = [word for row in rows("Messages", 1) for word in re.findall(r"`(\w+)`", row[0])]
    box = Sandbox()
    process = EngineProcess(Launch([], {}, "", (), (), {}, 0), lambda content: None, box._answerers)  # pyright: ignore[reportPrivateUsage] - only these know them
    requests = process._requests  # pyright: ignore[reportPrivateUsage] - as above
    answered = {*requests._answerers, *requests._receivers}  # pyright: ignore[reportPrivateUsage] - as above
    inside = {"languages", "program", "stdin", "bind", "unbind", "accept", "connect"}
    assert sorted(kinds) == sorted(answered | inside)
    # Those that have a type are the engine's own.
    typed = re.findall(r'^ .*\bkind: "(\w+)";|^export type \w+ = \{ kind: "(\w+)"', PROTOCOL.read_text(), re.MULTILINE)
    assert {one or other for one, other in typed} <= set(kinds)


def test_python_knows_the_messages_of_the_table() -> None:
    tags = re.findall(r'tag="(\w+)", tag_field="op"', (SOURCE / "sandbox/process/protocol.py").read_text())
    assert sorted([*tags, *BYTES]) == sorted(names(2))
    # The bridge has messages of its own, for a program in Deno.
    sources = [path.read_text() for path in (SOURCE / "sandbox").rglob("*.py") if path.name != "deno_bridge.py"]
    sent = {name for source in sources for name in re.findall(r'"op": "(\w+)"', source)}
    assert sorted(sent | BYTES) == sorted(names(1))


def test_the_glossary_is_short() -> None:
    words = [row[0] for row in rows("Glossary")]
    assert len(words) <= 25
    assert len(set(words)) == len(words)


def test_decisions_are_linked_in_order() -> None:
    linked = re.findall(r"\(adr/([\w-]+\.md)\)", section("Decisions"))
    assert linked == sorted(path.name for path in (ROOT / "docs/adr").glob("*.md"))


def test_the_walk_of_an_action_is_short_and_passes_each_file_once() -> None:
    files = walk_of_an_action()
    assert len(files) <= 29
    assert len({*files}) == len(files)


@pytest.mark.usefixtures("prepared")
async def test_an_action_passes_the_files_of_its_walk_and_no_others() -> None:
    passed: set[str] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            passed.add(path.relative_to(SOURCE).as_posix())

    async with MemoryStore() as store, EventStream("walk", store) as stream, PyodideRuntime() as runtime:
        dispatcher = Dispatcher(stream, runtime)
        await dispatcher.handle(await stream.add_event(CmdRunAction("echo first")))
        action = await stream.add_event(CmdRunAction("echo hello"))
        sys.setprofile(look)
        try:
            await dispatcher.handle(action)
        finally:
            sys.setprofile(None)
    told = {file for file in walk_of_an_action() if not file.startswith("engine/")}
    assert {file for file in passed if not file.startswith("events/")} - ASIDE == told
