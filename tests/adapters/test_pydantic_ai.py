"""A toolset of Pydantic AI over a sandbox."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cloche import ConfigError, Sandbox, SandboxUnavailable, SyncSandbox
from cloche.adapters.pydantic_ai import ClocheToolset
from tests.adapters.page import run_example

COUNT = ("run_python", {"code": "count = globals().get('count', 0) + 1\ncount"})
SHOW_PICTURE = """
from IPython.display import Image
from base64 import b64decode
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
"""

Call = tuple[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def _closed_loop() -> Iterator[None]:
    """Closes the event loop that `run_sync` leaves to the program."""
    yield
    with suppress(RuntimeError):
        asyncio.get_event_loop().close()
    asyncio.set_event_loop(None)


def make_model(*turns: list[Call]) -> FunctionModel:
    """A model that makes these calls, and is done."""

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(turns):
            return ModelResponse(parts=[ToolCallPart(*call) for call in turns[turn]])
        return ModelResponse(parts=[TextPart("done")])

    return FunctionModel(answer)


def make_agent(toolset: ClocheToolset, *turns: list[Call]) -> Agent[None, str]:
    return Agent(make_model(*turns), toolsets=[toolset])


def answers(run: AgentRunResult[str]) -> list[Any]:
    """What the tools have answered."""
    parts = [part for message in run.all_messages() if isinstance(message, ModelRequest) for part in message.parts]
    return [part.content for part in parts if isinstance(part, ToolReturnPart)]


def test_an_agent_gets_to_its_answer() -> None:
    agent = make_agent(
        ClocheToolset(),
        [("run_python", {"code": "x = 41"})],
        [("write_file", {"path": "a/b.txt", "content": "glass\n"}), ("run_bash", {"command": "cat a/b.txt; exit 3"})],
        [("run_python", {"code": "y"}), ("run_python", {"wrong": 1}), ("read_file", {"path": "nowhere"})],
        [("read_file", {"path": "a/b.txt"}), ("run_python", {"code": "print('a')\nx + 1"})],
    )
    run = agent.run_sync("Go.")
    assert run.output == "done"
    made, written, shell, failed, unfit, missing, text, value = answers(run)
    assert (made, written, shell) == ("(no output)", "Wrote 6 bytes to a/b.txt.", "glass\n[exit code 3]")
    assert "NameError: name 'y' is not defined" in failed
    assert "not what this tool takes" in unfit
    assert "No such file or directory: '/workspace/nowhere'" in missing
    assert (text, value) == ("glass\n", "a\n42")


def test_each_run_has_a_sandbox_of_its_own_unless_the_agent_is_entered() -> None:
    async def main() -> None:
        agent = make_agent(ClocheToolset(), [COUNT])
        first, second = await asyncio.gather(agent.run("1"), agent.run("2"))  # noqa: TID251 - as users do
        assert (answers(first), answers(second)) == (["1"], ["1"])
        async with agent:
            assert answers(await agent.run("3")) == ["1"]
            assert answers(await agent.run("4")) == ["2"]
        assert answers(await agent.run("5")) == ["1"]

    asyncio.run(main())
    # The next loop.
    assert answers(make_agent(ClocheToolset(), [COUNT]).run_sync("6")) == ["1"]


def test_a_given_sandbox_is_shared_and_stays_open() -> None:
    async def main() -> None:
        async with Sandbox() as box:
            agent = make_agent(ClocheToolset(box), [COUNT])
            assert answers(await agent.run("1")) == ["1"]
            assert answers(await agent.run("2")) == ["2"]
            assert (await box.run("count")).value == "2"
        with pytest.raises(SandboxUnavailable, match="this sandbox is closed"):
            await agent.run("3")

    asyncio.run(main())
    with SyncSandbox() as box:
        assert answers(make_agent(ClocheToolset(box), [COUNT]).run_sync("4")) == ["1"]


def test_a_model_that_sees_gets_pictures() -> None:
    call: Call = ("run_python", {"code": SHOW_PICTURE})
    (seen,) = answers(make_agent(ClocheToolset(pictures=True), [call]).run_sync("Look."))
    assert [each.media_type for each in seen if isinstance(each, BinaryContent)] == ["image/png"]
    assert answers(make_agent(ClocheToolset(), [call]).run_sync("Look.")) == ["[A picture (image/png) was shown.]"]


def test_cancelling_a_run_stops_the_code() -> None:
    async def main() -> None:
        async with Sandbox() as box:
            await box.run("x = 41")
            agent = make_agent(ClocheToolset(box), [("run_python", {"code": "while True: pass"})])
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await agent.run("Go.")
            assert (await box.run("x + 1", timeout=5)).value == "42"

    asyncio.run(main())


def test_options_and_tools_are_checked_at_once() -> None:
    assert list(ClocheToolset(tools=["run_bash"]).tools) == ["run_bash"]
    with pytest.raises(ConfigError, match="no tool run_ruby; there are run_python, run_bash"):
        ClocheToolset(tools=["run_ruby"])
    with pytest.raises(ConfigError, match="memory_mb"):
        ClocheToolset(memory_mb=1)


def test_a_time_limit_is_told() -> None:
    agent = make_agent(ClocheToolset(timeout=0.5), [("run_python", {"code": "while True: pass"})])
    assert "The code was stopped at its time limit" in answers(agent.run_sync("Go."))[0]


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    code = "sum(all(n % d for d in range(2, n)) for n in range(2, 100))"
    run_example("pydantic_ai", make_model([("run_python", {"code": code})]))
    assert capsys.readouterr().out == "done\n"
