"""Tools of LangChain over a sandbox."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent

from cloche import Sandbox, SandboxUnavailable
from cloche.adapters.langchain import ClocheToolkit
from tests.adapters.chat_model import TASK, Call, make_model, read_answers
from tests.adapters.page import run_example

SHOW_PICTURE = """
from IPython.display import Image
from base64 import b64decode
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
"""


def make_agent(kit: ClocheToolkit, *turns: list[Call]) -> Any:
    return create_agent(make_model(*turns), kit.get_tools())


TURNS: list[list[Call]] = [
    [("run_python", {"code": "x = 41"})],
    [("write_file", {"path": "a/b.txt", "content": "glass\n"})],
    [("run_bash", {"command": "cat a/b.txt; exit 3"}), ("run_python", {"code": "y"})],
    [("run_python", {"wrong": 1}), ("read_file", {"path": "nowhere"}), ("run_python", {"code": "x + 1"})],
]


def check(found: list[Any]) -> None:
    made, written, shell, failed, unfit, missing, value = found
    assert (made, written, shell) == ("(no output)", "Wrote 6 bytes to a/b.txt.", "glass\n[exit code 3]")
    assert "NameError: name 'y' is not defined" in failed
    assert "not what this tool takes" in unfit
    assert "No such file or directory: '/workspace/nowhere'" in missing
    assert value == "42"


def test_an_agent_gets_to_its_answer_with_and_without_async() -> None:
    with ClocheToolkit() as kit:
        check(read_answers(make_agent(kit, *TURNS).invoke(TASK)))

        async def main() -> None:
            assert read_answers(await make_agent(kit, [("run_python", {"code": "x"})]).ainvoke(TASK)) == ["41"]

        asyncio.run(main())

    async def alone() -> None:
        async with ClocheToolkit() as kit:
            check(read_answers(await make_agent(kit, *TURNS).ainvoke(TASK)))

    asyncio.run(alone())


def test_a_model_that_sees_gets_pictures() -> None:
    with ClocheToolkit(pictures=True, tools=["run_python"]) as kit:
        (tool,) = kit.get_tools()
        shown = tool.invoke({"code": SHOW_PICTURE})
    assert [(block["type"], block.get("mime_type")) for block in shown] == [("image", "image/png")]


def test_cancelling_stops_the_code() -> None:
    async def main() -> None:
        async with ClocheToolkit(tools=["run_python"]) as kit:
            (tool,) = kit.get_tools()
            await tool.ainvoke({"code": "x = 41"})
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await tool.ainvoke({"code": "while True: pass"})
            async with asyncio.timeout(5):
                assert await tool.ainvoke({"code": "x + 1"}) == "42"

    asyncio.run(main())


def test_an_async_sandbox_is_for_async_agents() -> None:
    async def main() -> None:
        async with Sandbox() as box:
            (tool,) = ClocheToolkit(box, tools=["run_python"]).get_tools()
            assert await tool.ainvoke({"code": "6 * 7"}) == "42"
            with pytest.raises(SandboxUnavailable, match=r"give it a cloche\.SyncSandbox, or none"):
                tool.invoke({"code": "6 * 7"})
            assert (await box.run("1")).ok

    asyncio.run(main())


def test_a_closed_toolkit_says_so() -> None:
    with ClocheToolkit() as kit:
        agent = make_agent(kit, [("run_python", {"code": "x"})])
    with pytest.raises(SandboxUnavailable, match="this adapter is closed"):
        agent.invoke(TASK)


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("langchain", make_model([("run_bash", {"command": "seq 20 | grep -c 1"})]))
    assert capsys.readouterr().out == "done\n"
