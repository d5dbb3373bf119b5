"""Requests and answers of the Messages API."""

from typing import Any

import msgspec
import pytest

from cloche.config import LLMConfig
from cloche.limits import LLM_OUTPUT_TOKENS
from cloche.llm import Message, Reply, ToolCall, ToolSpec, Usage
from cloche.llm.answer import Answer
from cloche.llm.anthropic import AnthropicMessages
from cloche.llm.event_stream import ServerEvent
from cloche.llm.faults import AnswerFault, ServerFault

LS = ToolCall("c1", "bash", '{"command": "ls"}')
MARK = {"cache_control": {"type": "ephemeral"}}


def write(*messages: Message, tools: tuple[ToolSpec, ...] = (), **options: Any) -> dict[str, Any]:
    return AnthropicMessages("m", LLMConfig(**options)).write_request(messages, tools)


def read(*events: dict[str, Any]) -> Reply:
    answer, api = Answer(), AnthropicMessages("m", LLMConfig())
    for event in events:
        api.read_event(ServerEvent(msgspec.json.encode(event), event["type"]), answer)
    return answer.finish()


def test_a_conversation_is_written() -> None:
    body = write(
        Message("system", "Be brief."),
        Message("user", "What is this?", image_urls=("data:image/jpeg;base64,AAAA", "https://h/x.png")),
        Message("assistant", "I look. ", tool_calls=(LS, ToolCall("c2", "bash", "{"))),
        Message("tool", "a.txt", tool_call_id="c1"),
        Message("tool", "", image_urls=("data:image/png;base64,BBBB",), tool_call_id="c2"),
        Message("user", "Go on."),
    )
    assert body["system"] == [{"type": "text", "text": "Be brief.", **MARK}]
    assert body["max_tokens"] == LLM_OUTPUT_TOKENS
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "AAAA"}},
                {"type": "image", "source": {"type": "url", "url": "https://h/x.png"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "c2", "name": "bash", "input": {"invalid_json": "{"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a.txt"}]},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": [
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "BBBB"}}
                    ],
                },
                {"type": "text", "text": "Go on.", **MARK},
            ],
        },
    ]


def test_messages_without_text_are_not_sent_empty() -> None:
    body = write(Message("user", " "), Message("assistant", "\n"), Message("user", "hm"))
    assert [turn["content"][0]["text"] for turn in body["messages"]] == ["(empty)", "(empty)", "hm"]
    assert "system" not in body


def test_parameters_are_written() -> None:
    tool = ToolSpec("bash", "Runs.", {"type": "object"})
    body = write(tools=(tool,), temperature=2.0, max_output_tokens=9)
    assert (body["temperature"], body["max_tokens"]) == (1.0, 9)
    assert body["tools"] == [{"name": "bash", "description": "Runs.", "input_schema": {"type": "object"}}]


HEAD = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "model": "m-1",
        "usage": {
            "input_tokens": 4,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 6,
            "output_tokens": 1,
        },
    },
}
END: tuple[dict[str, Any], ...] = (
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)


def block(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def piece(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def test_an_answer_is_read() -> None:
    reply = read(
        HEAD,
        {"type": "ping"},
        block(0, "thinking", thinking=""),
        piece(0, "thinking_delta", thinking="hm"),
        piece(0, "signature_delta", signature="x"),
        block(1, "text", text=""),
        piece(1, "text_delta", text="a"),
        piece(1, "text_delta", text="b"),
        block(2, "tool_use", id="c1", name="bash", input={}),
        piece(2, "input_json_delta", partial_json=""),
        piece(2, "input_json_delta", partial_json='{"command"'),
        piece(2, "input_json_delta", partial_json=': "ls"}'),
        block(3, "tool_use", id="c2", name="bash", input={"command": "ls"}),
        block(4, "tool_use", id="c3", name="now", input={}),
        {"type": "something_new", "index": 1},
        *END,
    )
    assert (reply.text, reply.id, reply.model) == ("ab", "msg_1", "m-1")
    assert reply.tool_calls == (LS, ToolCall("c2", "bash", '{"command":"ls"}'), ToolCall("c3", "now", ""))
    assert reply.usage == Usage(15, 7, 5)
    assert reply.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("reason", "word"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "content_filter"), ("pause_turn", "pause_turn")],
)
def test_reasons_have_one_word(reason: str, word: str) -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": reason}}
    assert read(HEAD, block(0, "text", text="a"), end).finish_reason == word


def test_errors_are_raised() -> None:
    with pytest.raises(ServerFault):
        read(HEAD, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    with pytest.raises(AnswerFault):
        read(HEAD, {"type": "content_block_delta", "index": "x"})
