"""The tools that models get from frameworks."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cloche import ConfigError, Sandbox, SandboxUnavailable
from cloche.adapters.sandbox_tools import TOOLS, choose_tools, describe_pictures, use_tool
from cloche.limits import SHOWN_CHARACTERS, TIMEOUT
from cloche.llm.tool_schema import read_description, read_schema
from cloche.sandbox.results.readable import Picture

SHOW_PICTURE = """
from IPython.display import Image
from base64 import b64decode
print("here")
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
"""


@pytest.fixture
async def box(prepared: object) -> AsyncGenerator[Sandbox]:
    async with Sandbox() as box:
        yield box


async def ask(box: Sandbox, name: str, arguments: Mapping[str, Any] | str) -> str:
    """What a model that sees no pictures is answered."""
    return describe_pictures(await use_tool(box, TOOLS[name], arguments))


async def test_code_and_files_share_a_sandbox(box: Sandbox) -> None:
    assert await ask(box, "run_python", {"code": "x = 41"}) == "(no output)"
    assert await ask(box, "run_python", {"code": "print('a')\nx + 1"}) == "a\n42"
    assert await ask(box, "write_file", {"path": "a/b.txt", "content": "glass\n"}) == "Wrote 6 bytes to a/b.txt."
    assert await ask(box, "run_bash", {"command": "cd a; cat b.txt; exit 3"}) == "glass\n[exit code 3]"
    assert await ask(box, "run_bash", '{"command": "pwd"}') == "/workspace/a"
    assert await ask(box, "read_file", {"path": "a/b.txt"}) == "glass\n"


async def test_a_model_that_sees_gets_pictures_and_others_a_note(box: Sandbox) -> None:
    answer = await use_tool(box, TOOLS["run_python"], {"code": SHOW_PICTURE})
    picture, text = answer
    assert isinstance(picture, Picture)
    assert (picture.kind, text) == ("image/png", "here")
    assert describe_pictures(answer) == "[A picture (image/png) was shown.]\nhere"


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("run_python", {"code": "1/0"}, "ZeroDivisionError"),
        ("run_python", {}, "not what this tool takes: Object missing required field `code`"),
        ("run_python", {"code": "1", "timeout": 3}, "unknown field `timeout`"),
        ("run_bash", "[" * 5000, "not what this tool takes"),
        ("run_bash", "", "missing required field `command`"),
        ("run_bash", {"command": "#" * 5_000_000}, "over the limit"),
        ("read_file", {"path": "none"}, "No such file or directory: '/workspace/none'"),
        ("read_file", {"path": ""}, "length >= 1"),
        ("read_file", {"path": "b.bin"}, "b.bin (2 bytes) is not text"),
        ("write_file", {"path": "/etc/passwd", "content": ""}, "outside the sandbox's folders"),
        ("write_file", {"path": "c", "content": "\ud800"}, "Wrote 1 bytes"),
    ],
)
async def test_what_a_model_does_wrong_is_an_answer(
    box: Sandbox, name: str, arguments: Mapping[str, Any] | str, answer: str
) -> None:
    await box.write("b.bin", b"\0\xff")
    assert answer in await ask(box, name, arguments)


async def test_a_lost_sandbox_is_an_error(box: Sandbox) -> None:
    await box.close()
    with pytest.raises(SandboxUnavailable, match="closed"):
        await ask(box, "run_python", {"code": "1"})
    with pytest.raises(SandboxUnavailable, match="closed"):
        await ask(box, "read_file", {"path": "a"})


async def test_long_output_is_cut_in_the_middle(box: Sandbox) -> None:
    answer = await ask(box, "run_python", {"code": "print('x' * 1_000_000)"})
    assert (len(answer) < 31_000, "characters left out" in answer) == (True, True)


def test_the_page_has_the_limits() -> None:
    page = (Path(__file__).parents[2] / "docs/adapters.md").read_text()
    assert f"more than {SHOWN_CHARACTERS:,} characters" in page
    assert f"`timeout` ({TIMEOUT:g} seconds)" in page


def test_models_are_told_of_them() -> None:
    assert list(choose_tools(None)) == list(TOOLS)
    assert list(choose_tools(["write_file", "run_bash"])) == ["run_bash", "write_file"]
    with pytest.raises(ConfigError, match="no tool run_ruby; there are run_python"):
        choose_tools(["run_ruby"])
    assert read_schema(TOOLS["run_bash"]) == {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "Commands for bash; several lines are fine."}},
        "required": ["command"],
    }
    assert read_description(TOOLS["write_file"]).startswith("Make or replace a text file of the sandbox")
