"""Tool calls, in the forms in which servers send them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.limits import LLM_TOOL_CALLS
from cloche.llm.faults import AnswerTooLarge
from cloche.llm.tool_calls import Fragment, ToolCallCollector, read_arguments


def collect(*pieces: Fragment) -> list[tuple[str, str]]:
    collector = ToolCallCollector()
    for piece in pieces:
        collector.add(piece)
    calls = collector.finish()
    assert len({call.id for call in calls}) == len(calls)
    assert all(call.id for call in calls)
    return [(call.name, call.arguments) for call in calls]


TWO = [("ls", '{"a":1}'), ("cat", '{"b":2}')]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([Fragment(0, "x", "ls", '{"a":1}'), Fragment(1, "y", "cat", '{"b":2}')], id="whole"),
        pytest.param(
            [
                *(Fragment(0, "x", "ls", ""), Fragment(1, "y", "cat", "")),
                *(Fragment(0, None, None, '{"a"'), Fragment(1, None, None, '{"b"')),
                *(Fragment(0, None, None, ":1}"), Fragment(1, None, None, ":2}")),
            ],
            id="in turns",
        ),
        pytest.param([Fragment(None, "x", "ls", '{"a":1}'), Fragment(None, "y", "cat", '{"b":2}')], id="no index"),
        pytest.param([Fragment(0, None, "ls", '{"a":1}'), Fragment(1, None, "cat", '{"b":2}')], id="no id"),
        pytest.param([Fragment(None, None, "ls", '{"a":1}'), Fragment(None, None, "cat", '{"b":2}')], id="neither"),
        pytest.param(
            [
                *(Fragment(None, None, "ls", '{"a"'), Fragment(None, None, None, ":1}")),
                *(Fragment(None, None, "cat", '{"b"'), Fragment(None, None, None, ":2}")),
            ],
            id="neither, in pieces",
        ),
        pytest.param([Fragment(0, "x", "ls", '{"a":1}'), Fragment(0, "y", "cat", '{"b":2}')], id="index 0 for all"),
        pytest.param([Fragment(0, "x", "ls", '{"a":1}'), Fragment(1, "x", "cat", '{"b":2}')], id="one id for all"),
        pytest.param(
            [Fragment(0, "x", "ls", '{"a"'), Fragment(0, "z", None, ":1}"), Fragment(1, "y", "cat", '{"b":2}')],
            id="a new id for each piece",
        ),
        pytest.param(
            [Fragment(0, "x", "ls", '{"a"'), Fragment(0, "x", "ls", ":1}"), Fragment(1, "y", "cat", '{"b":2}')],
            id="id and name in each piece",
        ),
        pytest.param(
            [Fragment(0, "x", "ls", {"a": 1}), Fragment(1, "y", "cat", {"b": 2})], id="arguments as an object"
        ),
    ],
)
def test_calls_are_put_together(pieces: list[Fragment]) -> None:
    assert collect(*pieces) == TWO


def test_an_id_of_the_server_is_kept_if_both_apis_accept_it() -> None:
    collector = ToolCallCollector()
    for index, id in enumerate(["call_1", "bad id!", ""]):
        collector.add(Fragment(index, id, "ls", ""))
    first, *others = [call.id for call in collector.finish()]
    assert first == "call_1"
    assert all(each.startswith("call_") for each in others)


def test_too_many_calls_are_refused() -> None:
    with pytest.raises(AnswerTooLarge, match=f"more than {LLM_TOOL_CALLS} tool calls"):
        collect(*(Fragment(index, f"c{index}", "ls", "{}") for index in range(LLM_TOOL_CALLS + 1)))


@given(st.text() | st.recursive(st.none() | st.integers(), st.lists).map(json.dumps))
def test_arguments_that_are_no_object_can_still_be_sent_back(text: str) -> None:
    found = read_arguments(text)
    assert json.loads(json.dumps(found)) == found
    if text.strip() in ("", "{}"):
        assert found == {} or text != ""


def test_arguments_are_read() -> None:
    assert read_arguments('{"a": [1]}') == {"a": [1]}
    assert read_arguments("") == {}
    assert read_arguments('{"a": [1') == {"invalid_json": '{"a": [1'}
    assert read_arguments("[1]") == {"invalid_json": "[1]"}
    assert read_arguments("[" * 100_000)["invalid_json"].startswith("[[")
