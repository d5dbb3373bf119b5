"""A model that says what it is told to."""

from contextlib import aclosing

import pytest

from cloche.errors import LLMRateLimited, LLMRecordingEnded
from cloche.llm import Message, Reply, ScriptedLLM, ToolCall, ToolSpec, Usage, ask
from tests.llm.conftest import HELLO

LS = ToolCall("c1", "bash", "{}")


async def test_a_script_is_said_in_its_order() -> None:
    script = ["Hello  there.\n", LS, [LS, LS], Reply(text="x", usage=Usage(1, 2), model="m")]
    async with ScriptedLLM(script) as llm:
        heard: list[str] = []
        first = await ask(llm, HELLO, on_text=heard.append)
        assert heard == ["Hello  ", "there.\n"]
        assert (first.text, first.model, first.usage.estimated) == ("Hello  there.\n", "scripted", True)
        assert (await ask(llm, HELLO)).tool_calls == (LS,)
        assert (await ask(llm, HELLO)).finish_reason == "tool_calls"
        assert await ask(llm, HELLO) == Reply(text="x", usage=Usage(1, 2), model="m")
        with pytest.raises(LLMRecordingEnded, match=r"scripted has no more answers: 4 were given. Add answers"):
            await ask(llm, HELLO)


async def test_a_function_sees_what_is_asked() -> None:
    tool = ToolSpec("bash", "Runs.", {})
    async with ScriptedLLM(lambda messages, tools: f"{messages[-1].content} {tools[0].name}") as llm:
        assert (await ask(llm, [Message("user", "hi")], [tool])).text == "hi bash"
    assert llm.asked[0].messages == (Message("user", "hi"),)
    assert llm.asked[0].tools == (tool,)


async def test_an_error_of_the_script_is_raised() -> None:
    async with ScriptedLLM([LLMRateLimited("wait", retry_after=3.0), "ok"]) as llm:
        with pytest.raises(LLMRateLimited, match="wait"):
            await ask(llm, HELLO)
        assert (await ask(llm, HELLO)).text == "ok"


async def test_an_answer_can_be_left_in_the_middle() -> None:
    async with ScriptedLLM(["one two three", "next"]) as llm:
        async with aclosing(llm.stream(HELLO)) as stream:
            assert (await anext(stream)).text == "one "
        assert (await ask(llm, HELLO)).text == "next"
