"""Replies as they are recorded."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.llm import Reply, ToolCall, Usage, read_reply, record_reply

WORDS = st.text("abc_-1", min_size=1)
CALLS = st.lists(st.builds(ToolCall, WORDS, WORDS, st.text()), max_size=4, unique_by=lambda call: call.id).map(tuple)
REPLIES = st.builds(
    Reply,
    text=st.text(),
    tool_calls=CALLS,
    usage=st.builds(Usage, *[st.integers(0, 10**9)] * 3),
    finish_reason=WORDS,
    model=st.text(),
    id=st.text(),
)


@given(REPLIES)
def test_what_is_recorded_is_read_back(reply: Reply) -> None:
    recorded = msgspec.json.decode(msgspec.json.encode(record_reply(reply)))
    assert read_reply(recorded) == reply


BY_HAND: list[dict[str, Any]] = [
    {"text": "hi", "tool_calls": [{"id": "c", "name": "ls", "arguments": "{}"}]},
    {
        "role": "assistant",
        "content": "hi",
        "tool_calls": [{"id": "c", "function": {"name": "ls", "arguments": {}}}],
    },
    {"content": [{"type": "text", "text": "hi"}], "tool_calls": [{"id": "c", "name": "ls", "arguments": "{}"}]},
]


@pytest.mark.parametrize("found", BY_HAND)
def test_a_reply_may_be_written_by_hand(found: dict[str, Any]) -> None:
    assert read_reply(found) == Reply(text="hi", tool_calls=(ToolCall("c", "ls", "{}"),), finish_reason="tool_calls")


OTHER: list[dict[str, Any]] = [{}, {"choices": []}, {"choices": [3]}, {"choices": [{}]}, {"tool_calls": [3]}]


@pytest.mark.parametrize("found", OTHER)
def test_other_tables_are_no_replies(found: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"it has|is no table"):
        read_reply(found)
