"""Answers of recorded sessions and files."""

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from cloche.config import LLMConfig
from cloche.errors import ConfigError, LLMRecordingEnded
from cloche.events import (
    CmdOutputObservation,
    CmdRunAction,
    Event,
    EventSource,
    EventStream,
    MemoryStore,
    MessageAction,
    SQLiteStore,
    event_to_dict,
    new_event,
)
from cloche.llm import LLM, Reply, ToolCall, ask, open_llm, record_reply
from tests.llm.conftest import HELLO, WAIT

FIRST = Reply(text="I look.", tool_calls=(ToolCall("c1", "bash", '{"command": "ls"}'), ToolCall("c2", "bash", "{}")))
SECOND = Reply(tool_calls=(ToolCall("c3", "bash", "{}"),), id="x")


def acted(reply: Reply, number: int) -> Event:
    metadata: dict[str, Any] = {
        "function_name": reply.tool_calls[number].name,
        "tool_call_id": reply.tool_calls[number].id,
        "model_response": record_reply(reply),
        "total_calls_in_response": len(reply.tool_calls),
    }
    event = new_event(CmdRunAction("ls"), EventSource.AGENT)
    return msgspec.structs.replace(event, tool_call_metadata=metadata)


async def recorded(sid: str, store: MemoryStore | SQLiteStore) -> EventStream:
    stream = EventStream(sid, store)
    await stream.add_event(MessageAction("Look around."), EventSource.USER)
    for action in [acted(FIRST, 0), acted(FIRST, 1), acted(SECOND, 0), acted(SECOND, 0)]:
        stored = await stream.add_event(action)
        await stream.add_event(new_event(CmdOutputObservation("a.txt", command="ls"), answers=stored))
    await stream.add_event(MessageAction("Done."), EventSource.AGENT)
    return stream


async def hear(llm: LLM) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []

    async def ask_on() -> None:
        while True:
            reply = await ask(llm, HELLO)
            found.append((reply.text, [call.id for call in reply.tool_calls]))

    with anyio.fail_after(WAIT):
        async with llm:
            with pytest.raises(LLMRecordingEnded) as ended:
                await ask_on()
    assert f"has no more answers: {len(found)} were given" in str(ended.value)
    return found


# A reply that the model gave twice is two replies; one that led to two actions is one.
SAID: list[tuple[str, list[str]]] = [("I look.", ["c1", "c2"]), ("", ["c3"]), ("", ["c3"]), ("Done.", [])]


async def test_a_session_is_replayed() -> None:
    async with MemoryStore() as store:
        await recorded("s1", store)
        assert await hear(open_llm(LLMConfig(model="replay:s1"), store=store)) == SAID


async def test_a_session_is_found_in_the_store_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    async with SQLiteStore() as store:
        await recorded("s1", store)
    assert await hear(open_llm(LLMConfig(model="replay:s1"))) == SAID


async def test_a_trajectory_of_events_is_replayed(tmp_path: Path) -> None:
    async with MemoryStore() as store:
        stream = await recorded("s1", store)
        events = [event_to_dict(event) async for event in stream.get_events()]
    (tmp_path / "list.json").write_bytes(msgspec.json.encode(events))
    (tmp_path / "table.json").write_bytes(msgspec.json.encode({"history": events}))
    (tmp_path / "lines.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, events)) + b"\n")
    for path in tmp_path.iterdir():
        assert await hear(open_llm(LLMConfig(model=f"replay:{path}"))) == SAID


async def test_a_file_of_replies_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"text": "a"}\n\n{"choices": [{"message": {"content": "b"}}]}\n')
    assert await hear(open_llm(LLMConfig(model=f"replay:{path}"))) == [("a", []), ("b", [])]
    path.write_text('{"text": "a"}')
    assert await hear(open_llm(LLMConfig(model=f"replay:{path}"))) == [("a", [])]
    path.write_text('{\n"replies": [{"text": "a"}]}')
    assert await hear(open_llm(LLMConfig(model=f"replay:{path}"))) == [("a", [])]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "has no recorded answers"),
        ("[]", "none of its 0 entries"),
        ("{", "It should be JSON"),
        ('{"text": "a"}\n{', "It should be JSON"),
        ("[" * 100_000, "It should be JSON"),
        ('{"text": "\udcff"}', "It should be JSON"),
        ('[{"text": "a"}, {"x": 1}]', "entry 2: it has neither"),
        ('[{"action": "run", "args": 3}]', "has no recorded answers"),
    ],
)
async def test_a_file_without_answers_is_explained(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "replies.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(ConfigError, match=told):
        await hear(open_llm(LLMConfig(model=f"replay:{path}")))


async def test_a_recording_that_is_not_there_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        await hear(open_llm(LLMConfig(model=f"replay:{tmp_path}/x.json")))
    async with MemoryStore() as store:
        with pytest.raises(ConfigError, match="no session with this id has answers"):
            await hear(open_llm(LLMConfig(model="replay:s1"), store=store))
        with pytest.raises(ConfigError, match="is no session id"):
            await hear(open_llm(LLMConfig(model="replay:no session"), store=store))
    with pytest.raises(ConfigError, match="names no recording"):
        open_llm(LLMConfig(model="replay: "))
