"""Estimates of tokens and costs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.config import LLMConfig
from cloche.llm import Message, ToolCall, ToolSpec, Usage, estimate_cost, estimate_text, estimate_tokens

MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), st.text()))


@given(MESSAGES, MESSAGES)
def test_more_messages_are_more_tokens(first: list[Message], more: list[Message]) -> None:
    assert estimate_tokens([*first, *more]) == estimate_tokens(first) + estimate_tokens(more)


@given(st.text(), st.text())
def test_a_longer_text_has_no_fewer_tokens(text: str, more: str) -> None:
    assert 0 <= estimate_text(text) <= estimate_text(text + more)


def test_everything_that_is_sent_counts() -> None:
    bare = estimate_tokens([Message("assistant", "hello")])
    assert estimate_tokens([Message("assistant", "hello", tool_calls=(ToolCall("c", "bash", "{}" * 50),))]) > bare + 20
    assert estimate_tokens([Message("user", "hello", image_urls=("data:",))]) > bare + 500
    tool = ToolSpec("bash", "Runs a command. " * 10, {"type": "object"})
    assert estimate_tokens([Message("user", "hello")], [tool]) > bare + 30


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        ({}, None),
        ({"input_cost_per_token": 2.0}, 20.0),
        ({"output_cost_per_token": 3.0}, 15.0),
        ({"input_cost_per_token": 2.0, "output_cost_per_token": 3.0}, 35.0),
        ({"input_cost_per_token": 2.0, "cached_input_cost_per_token": 0.5}, 14.0),
        ({"cached_input_cost_per_token": 0.5}, 2.0),
        ({"input_cost_per_token": 0.0}, 0.0),
    ],
)
def test_a_cost_follows_from_the_prices(prices: dict[str, Any], cost: float | None) -> None:
    assert estimate_cost(Usage(10, 5, 4), LLMConfig(**prices)) == cost


def test_a_server_that_counts_wrongly_does_not_pay() -> None:
    assert estimate_cost(Usage(1, 0, 100), LLMConfig(input_cost_per_token=2.0, cached_input_cost_per_token=0.0)) == 0.0
