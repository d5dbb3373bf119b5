"""The wire format: what real clients write is read, and written again as it was."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from cloche.errors import EventError
from cloche.events import (
    CmdOutputObservation,
    CmdRunAction,
    Event,
    FileEditAction,
    FileReadAction,
    MCPAction,
    MessageAction,
    RunCodeAction,
    Status,
    Unknown,
    decode_event,
    encode_event,
    event_for_stock,
    event_from_dict,
    event_to_dict,
    is_observation,
    new_event,
)
from cloche.events.event import Body
from cloche.events.registry import ACTIONS, OBSERVATIONS, OURS
from cloche.events.wire_format import KEYS
from tests.events.bodies import bodies, texts, values

GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parent / "golden.json").read_text())


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_a_golden_event_is_written_as_it_was_read(golden: dict[str, Any]) -> None:
    wire = golden["event"]
    event = event_from_dict(wire)
    assert not isinstance(event.body, Unknown)
    assert event_to_dict(event) == wire
    assert list(event_to_dict(event)) == list(wire)
    assert json.loads(encode_event(event)) == wire
    assert decode_event(json.dumps(wire)) == event


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_the_sentence_of_a_golden_event_is_made_from_its_body(golden: dict[str, Any]) -> None:
    wire = {key: value for key, value in golden["event"].items() if key != "message"}
    assert event_from_dict(wire).message == golden["event"]["message"]


def test_every_kind_of_the_wire_format_is_in_the_golden_file_or_is_ours() -> None:
    actions = {golden["event"].get("action") for golden in GOLDEN}
    observations = {golden["event"].get("observation") for golden in GOLDEN}
    assert set(ACTIONS) - actions == OURS
    assert set(OBSERVATIONS) - observations < OURS


@given(bodies(), st.sampled_from(["agent", "user", "environment"]), st.integers(0, 2**53) | st.none())
def test_an_event_is_read_as_it_was_written(body: Body, source: str, cause: int | None) -> None:
    event = structs.replace(new_event(body, source), cause=cause)
    assert decode_event(encode_event(event)) == event
    assert event_from_dict(event_to_dict(event)) == event
    assert json.loads(encode_event(event)) == event_to_dict(event)


@given(bodies(), st.dictionaries(texts.filter(lambda key: key not in KEYS), values, max_size=3))
def test_keys_that_are_not_known_are_kept(body: Body, others: dict[str, Any]) -> None:
    wire = {**event_to_dict(new_event(body)), **others}
    assert event_to_dict(event_from_dict(wire)) == wire
    assert json.loads(encode_event(event_from_dict(wire))) == wire


@given(texts, st.sampled_from(["action", "observation"]), st.dictionaries(texts, values, max_size=3))
def test_a_kind_that_is_not_known_is_kept_whole(name: str, key: str, fields: dict[str, Any]) -> None:
    wire = {"id": 3, key: f"new_{name}", "args": fields, "extras": {"x": 1}, "message": None}
    event = event_from_dict(wire)
    assert isinstance(event.body, Unknown)
    assert event.kind == f"new_{name}"
    assert event_to_dict(event) == wire
    assert json.loads(encode_event(event)) == wire


@pytest.mark.parametrize(
    "odd",
    [{"args": [1]}, {"content": {}}, {"timestamp": 1.5}, {"message": 7}, {"cause": "x"}, {"id": "x"}, {"extras": ""}],
)
def test_a_kind_that_is_not_known_may_have_any_shape(odd: dict[str, Any]) -> None:
    wire = {"id": 3, "source": "agent", "observation": "new", **odd}
    event = event_from_dict(wire)
    assert isinstance(event.body, Unknown)
    assert event.source == "agent"
    assert event.id == (3 if wire["id"] == 3 else None)
    assert event_to_dict(event) == wire
    assert event_for_stock(event) is None


@given(st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()))
def test_whatever_comes_is_an_event_or_one_clear_error(data: bytes) -> None:
    said = _error(lambda: decode_event(data))
    assert said is None or said.startswith("An event")


@given(
    st.sampled_from(sorted(ACTIONS)),
    st.dictionaries(st.sampled_from(["command", "code", "path", "security_risk", "arguments", "cwd"]), values),
)
def test_whatever_the_arguments_are_the_answer_is_an_action_or_one_clear_error(kind: str, args: dict[str, Any]) -> None:
    said = _error(lambda: event_from_dict({"action": kind, "args": args}))
    assert said is None or f"`{kind}`" in said


def test_an_action_is_read_from_the_fewest_fields() -> None:
    event = event_from_dict({"action": "run", "args": {"command": "ls"}})
    assert event.body == CmdRunAction("ls")
    assert event.message == "Running command: ls"
    assert event.id is None


@pytest.mark.parametrize(
    ("wire", "said"),
    [
        ({}, "no key `action`"),
        ({"action": "run"}, "`run` could not be read: missing required field `command`"),
        ({"action": "run", "args": {"command": 1}}, "expected `str`, got `int` - at `args.command`"),
        ({"action": "run"}, "missing required field `command` - at `args`"),
        ({"action": "run", "args": []}, "got `array` - at `args`"),
        ({"action": "run", "args": {"command": "", "hidden": 1}}, "at `args.hidden`"),
        ({"action": 1}, "at `action`"),
        ({"observation": "run", "content": None}, "at `content`"),
        (
            {"observation": "run", "content": "", "extras": {"metadata": {"exit_code": "x"}}},
            "at `extras.metadata.exit_code`",
        ),
        ({"observation": "run", "extras": {"metadata": [1], "exit_code": 1}}, "at `extras.metadata`"),
        ({"status": "S", "extras": {"level": 1}}, "at `extras.level`"),
        ({"action": "call_tool_mcp", "args": {"name": "x", "arguments": "[" * 9999}}, "at `args.arguments`"),
    ],
)
def test_what_is_wrong_with_an_event_is_reported(wire: dict[str, Any], said: str) -> None:
    with pytest.raises(EventError) as caught:
        event_from_dict(wire)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[1]", b"null", b"\xff", "nonsense", '"\ud800"', b"[" * 9999, b'{"a":' * 9999, b"9" * 9999]
)
def test_what_is_no_event_is_reported(data: bytes | str) -> None:
    with pytest.raises(EventError, match="could not be read"):
        decode_event(data)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (
            "print(file_editor(**{'command': 'create', 'path': '/a', 'file_text': 'x\\n'}))",
            FileEditAction("/a", "create", file_text="x\n"),
        ),
        ("print(file_editor(**{'command': 'view', 'path': '/a'}))", FileEditAction("/a", "view")),
        ("print(file_editor(**__import__('os')))", FileEditAction("/b")),
        ("print(file_editor(**[1]))", FileEditAction("/b")),
        ("print(1)", FileEditAction("/b")),
        (None, FileEditAction("/b")),
    ],
)
def test_an_edit_that_old_agents_wrote_as_code_is_understood(code: str | None, body: FileEditAction) -> None:
    args = {"path": "/b", "content": "", "translated_ipython_code": code}
    assert event_from_dict({"action": "edit", "args": args}).body == body


def test_older_names_are_understood() -> None:
    message = event_from_dict({"action": "message", "args": {"content": "a", "images_urls": ["x"]}}).body
    assert message == MessageAction("a", image_urls=["x"])
    run = event_from_dict({"action": "run", "args": {"command": "ls", "is_confirmed": "rejected", "keep_prompt": True}})
    assert run.body == CmdRunAction("ls", confirmation_state="rejected")
    risky = event_from_dict({"action": "read", "args": {"path": "a", "security_risk": "no"}})
    assert risky.body == FileReadAction("a")
    call = event_from_dict({"action": "call_tool_mcp", "args": {"name": "t", "arguments": '{"a": 1}'}})
    assert call.body == MCPAction("t", {"a": 1})
    insert = {"path": "a", "command": "insert", "insert_line": "185", "new_str": "x"}
    edit = event_from_dict({"action": "edit", "args": insert})
    assert edit.body == FileEditAction("a", "insert", insert_line=185, new_str="x")
    done = event_from_dict({"observation": "run", "content": "x", "extras": {"exit_code": 3, "command_id": 7}}).body
    assert isinstance(done, CmdOutputObservation)
    assert (done.exit_code, done.metadata.pid) == (3, 7)


def test_an_observation_answers_its_action() -> None:
    action = event_from_dict(
        {"id": 4, "action": "run", "args": {"command": "ls"}, "tool_call_metadata": {"tool_call_id": "t"}}
    )
    answer = new_event(CmdOutputObservation("a\n", "ls"), "agent", answers=action)
    assert answer.cause == 4
    assert answer.tool_call_metadata == {"tool_call_id": "t"}
    assert is_observation(answer.body)


def test_new_times_have_an_offset_and_old_ones_keep_their_form() -> None:
    assert new_event(CmdRunAction("ls")).timestamp.endswith("+00:00")
    old = event_from_dict({"action": "null", "timestamp": "2024-01-02T03:04:05"})
    assert event_to_dict(old)["timestamp"] == "2024-01-02T03:04:05"


def test_stock_clients_see_their_own_kinds_and_status_messages_only() -> None:
    run = new_event(CmdRunAction("ls"))
    assert event_for_stock(run) == event_to_dict(run)
    assert event_for_stock(new_event(RunCodeAction("ruby", "1"))) is None
    assert event_for_stock(event_from_dict({"action": "new"})) is None
    assert event_for_stock(new_event(Status("STATUS$READY", "ready"))) == {
        "status_update": True,
        "type": "info",
        "id": "STATUS$READY",
        "message": "ready",
    }
    marked = event_from_dict({**event_to_dict(run), "cloche": {"spilled": 1}})
    assert "cloche" not in (event_for_stock(marked) or {})


def _error(read: Callable[[], Event]) -> str | None:
    try:
        read()
    except EventError as error:
        return str(error)
    return None
