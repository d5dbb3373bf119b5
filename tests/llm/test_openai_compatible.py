"""Requests and answers of OpenAI's API, also as others understand it."""

from typing import Any

import msgspec
import pytest

from cloche.config import LLMConfig
from cloche.llm import Message, Reply, ToolCall, ToolSpec, Usage
from cloche.llm.answer import Answer
from cloche.llm.event_stream import ServerEvent
from cloche.llm.faults import AnswerCutOff, AnswerFault, ServerFault
from cloche.llm.openai_compatible import OpenAIChat

IMAGE = "data:image/png;base64,AAAA"
LS = ToolCall("c1", "bash", '{"command": "ls"}')


def write(*messages: Message, tools: tuple[ToolSpec, ...] = (), **options: Any) -> dict[str, Any]:
    return OpenAIChat("m", LLMConfig(**options)).write_request(messages, tools)


def read(*chunks: Any, done: bool = True) -> Reply:
    answer, api = Answer(), OpenAIChat("m", LLMConfig())
    for chunk in chunks:
        api.read_event(ServerEvent(msgspec.json.encode(chunk)), answer)
    if done:
        api.read_event(ServerEvent(b"[DONE]"), answer)
    return answer.finish()


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def test_a_conversation_is_written() -> None:
    body = write(
        Message("system", "Be brief."),
        Message("user", "What is this?", image_urls=(IMAGE,)),
        Message("assistant", "", tool_calls=(LS,)),
        Message("tool", "a.txt", tool_call_id="c1"),
    )
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": IMAGE}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
            ],
        },
        {"role": "tool", "content": "a.txt", "tool_call_id": "c1"},
    ]


def test_pictures_of_tools_follow_all_their_answers() -> None:
    body = write(
        Message("tool", "one", image_urls=(IMAGE,), tool_call_id="c1"),
        Message("tool", "two", tool_call_id="c2"),
        Message("user", "go on"),
    )
    assert [each["role"] for each in body["messages"]] == ["tool", "tool", "user", "user"]
    assert body["messages"][2]["content"] == [{"type": "image_url", "image_url": {"url": IMAGE}}]


def test_arguments_that_are_no_json_are_sent_back_as_json() -> None:
    body = write(Message("assistant", "", tool_calls=(ToolCall("c", "bash", '{"com'), ToolCall("d", "ls", ""))))
    calls = body["messages"][0]["tool_calls"]
    assert [call["function"]["arguments"] for call in calls] == ['{"invalid_json":"{\\"com"}', "{}"]


def test_parameters_are_sent_only_if_they_are_set() -> None:
    assert write().keys() == {"model", "messages", "stream", "stream_options"}
    body = write(temperature=0.0, max_output_tokens=9, base_url="http://h/v1")
    assert (body["temperature"], body["max_tokens"]) == (0.0, 9)
    assert write(max_output_tokens=9)["max_completion_tokens"] == 9


EMPTY: list[Any] = [{"choices": None}, delta(content="ab"), {"choices": []}, {"x": 1}]


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param([delta(content="a"), delta(content="b"), delta("stop")], id="usual"),
        pytest.param([delta(content="ab", role="assistant", tool_calls=None, refusal=None)], id="nulls"),
        pytest.param([delta(content=[{"type": "text", "text": "ab"}])], id="parts"),
        pytest.param([{"choices": [{"message": {"content": "ab"}}]}], id="a message in place of a delta"),
        pytest.param(EMPTY, id="empty chunks"),
        pytest.param([delta(content="ab"), {"choices": [{"index": 1, "delta": {"content": "c"}}]}], id="two choices"),
        pytest.param([delta(reasoning_content="hm"), delta(reasoning="hm"), delta(content="ab")], id="thoughts"),
    ],
)
def test_a_text_is_read(chunks: list[Any]) -> None:
    assert (read(*chunks).text, read(*chunks).finish_reason) == ("ab", "stop")


def test_an_answer_may_end_without_saying_done() -> None:
    assert read(delta(content="a"), delta("stop"), done=False).text == "a"
    with pytest.raises(AnswerCutOff, match="broke off"):
        read(delta(content="a"), done=False)
    with pytest.raises(AnswerCutOff, match="is empty"):
        read(done=False)


def test_a_stop_after_tool_calls_means_the_tool_calls() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "bash", "arguments": "{}"}}
    assert read(delta("stop", tool_calls=[call])).finish_reason == "tool_calls"
    assert read(delta("length", tool_calls=[call])).finish_reason == "length"


def test_tokens_are_read() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3.0, "prompt_tokens_details": {"cached_tokens": 4}}
    assert read(delta(content="a"), {"choices": [], "usage": usage}).usage == Usage(9, 3, 4)
    assert read({**delta(content="a"), "usage": None}).usage.estimated
    wrong: dict[str, Any] = {"prompt_tokens": -5, "completion_tokens": 1e300, "prompt_tokens_details": {}}
    assert read({**delta(content="a"), "usage": wrong}).usage.estimated
    assert read({**delta(content="a"), "usage": {"prompt_tokens": 0}}).usage.estimated


@pytest.mark.parametrize("error", [{"message": "no", "code": 429}, "no", {"message": "no", "type": "server_error"}])
def test_an_error_in_the_stream_is_raised(error: Any) -> None:
    with pytest.raises(ServerFault):
        read(delta(content="a"), {"error": error})


@pytest.mark.parametrize("chunk", [3, [], {"choices": 3}, {"choices": [{"delta": {"tool_calls": 3}}]}, {"id": 3}])
def test_other_json_is_no_answer(chunk: Any) -> None:
    with pytest.raises(AnswerFault, match="it is not what this API sends"):
        read(chunk)
