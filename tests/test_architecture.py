"""Compares docs/architecture.md and CONTRIBUTING.md with the code."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/cloche"
PAGE = ROOT / "docs/architecture.md"
PROTOCOL = SOURCE / "engine/protocol.ts"
BYTES = {"chunk"}
"""Messages that are no JSON: Python has no tag for them."""


def section(title: str) -> str:
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return found


def rows(title: str) -> list[list[str]]:
    """The table of a section, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def messages(column: int) -> list[str]:
    cells = [row[column] for row in rows("Messages between host and engine")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def declared(name: str) -> set[str]:
    """The values of `op` in a type of protocol.ts, including those of the types that it is made of."""
    (body,) = re.findall(rf"^(?:export )?type {name} =(.*?);$", PROTOCOL.read_text(), re.MULTILINE | re.DOTALL)
    parts = re.findall(r"^  \| (\w+)$", body, re.MULTILINE)
    return set(re.findall(r'\bop: "(\w+)"', body)).union(*(declared(part) for part in parts))


@pytest.mark.parametrize(("page", "least"), [(PAGE, 60), (ROOT / "CONTRIBUTING.md", 20)], ids=["page", "contributing"])
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


def test_the_table_of_messages_is_complete() -> None:
    assert sorted(messages(1)) == sorted(declared("FromHost"))
    assert sorted(messages(2)) == sorted(declared("ToHost"))


def test_python_knows_the_messages_of_the_table() -> None:
    tags = re.findall(r'tag="(\w+)", tag_field="op"', (SOURCE / "sandbox/process/protocol.py").read_text())
    assert sorted([*tags, *BYTES]) == sorted(messages(2))
    # The bridge has messages of its own, for a program in Deno.
    sources = [path.read_text() for path in (SOURCE / "sandbox").rglob("*.py") if path.name != "deno_bridge.py"]
    sent = {name for source in sources for name in re.findall(r'"op": "(\w+)"', source)}
    assert sorted(sent | BYTES) == sorted(messages(1))


def test_the_glossary_is_short() -> None:
    words = [row[0] for row in rows("Glossary")]
    assert len(words) <= 25
    assert len(set(words)) == len(words)


def test_decisions_are_linked_in_order() -> None:
    linked = re.findall(r"\(adr/([\w-]+\.md)\)", section("Decisions"))
    assert linked == sorted(path.name for path in (ROOT / "docs/adr").glob("*.md"))
