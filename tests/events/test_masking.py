"""No string of an event shows a secret, whole or in chunks."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from cloche.errors import EventError
from cloche.events import (
    CmdOutputObservation,
    CmdRunAction,
    EventStream,
    MCPAction,
    MemoryStore,
    MessageAction,
    TaskTrackingAction,
    encode_event,
    event_from_dict,
    event_to_dict,
    new_event,
)
from cloche.events.event import Body
from cloche.events.masking import MASK, SecretValues
from cloche.limits import LEFT_OUT
from cloche.sandbox.results.result import Text
from cloche.sandbox.results.transcript import Transcript
from tests.events.bodies import bodies

pytestmark = pytest.mark.anyio

few = st.text("abc<", min_size=0, max_size=60)
secrets = st.lists(st.text("abc<", min_size=4, max_size=7), max_size=4)


@given(few, secrets, st.lists(st.integers(0, 60), max_size=8))
def test_chunks_are_masked_as_the_whole_is(text: str, values: list[str], cuts: list[int]) -> None:
    hidden = SecretValues({str(number): value for number, value in enumerate(values)})
    masker = hidden.masker()
    places = [0, *sorted(cuts), len(text)]
    chunks = [text[start:end] for start, end in pairwise(places)]
    assert "".join([*map(masker.feed, chunks), masker.flush()]) == hidden.mask(text)


@given(few, secrets)
def test_nothing_of_a_secret_is_left(text: str, values: list[str]) -> None:
    masked = SecretValues({str(number): value for number, value in enumerate(values)}).mask(text)
    assert all(value not in piece for piece in masked.split(MASK) for value in values)
    if not any(value in text for value in values):
        assert masked == text


@given(bodies(), st.text(st.characters(codec="utf-8", categories=["L", "P", "Cc"]), min_size=4, max_size=8))
def test_every_string_of_every_kind_is_masked(body: Body, secret: str) -> None:
    secret = f"§{secret}§"

    def plant(value: Any) -> Any:
        match value:
            case str():
                return f"{value}{secret}{value}"
            case list():
                return [plant(each) for each in value]  # pyright: ignore[reportUnknownVariableType]: JSON
            case dict():
                return {plant(key): plant(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]: JSON
            case _:
                return value

    wire = event_to_dict(new_event(body))
    if wire.get("args"):
        wire["args"] = {key: plant(value) if key != "metadata" else value for key, value in wire["args"].items()}
    else:
        wire["content"] = plant(wire.get("content", ""))
    wire["message"] = plant("said")
    wire["cloche"] = {secret: [secret]}
    wire["newer"] = {"a": [{secret: secret}]}
    masked = SecretValues({"S": secret}).mask_event(event_from_dict(wire))
    assert json.dumps(secret, ensure_ascii=False)[1:-1] not in encode_event(masked).decode()
    assert MASK in (masked.message or "")


def test_secrets_that_overlap_are_masked_as_one_and_those_that_touch_as_two() -> None:
    hidden = SecretValues({"A": "abcd", "B": "cdef", "LONG": "abcdefgh"})
    assert hidden.mask("xabcdefx") == f"x{MASK}x"
    assert hidden.mask("abcdefghi") == f"{MASK}i"
    assert hidden.mask("abcdabcd") == MASK * 2
    assert SecretValues({"A": "aaaa"}).mask("aaaaaaa") == MASK


@given(st.text("abc<", max_size=20), st.text("abc<", min_size=8, max_size=20), st.text("abc<", max_size=20), st.data())
def test_nothing_of_a_secret_is_left_where_a_long_output_was_cut(
    before: str, value: str, after: str, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(4, len(value) - 4))
    note = LEFT_OUT.format(99) * data.draw(st.integers(1, 2))
    masked = SecretValues({"KEY": value}).mask(before + value[:cut] + note + value[cut:] + after)
    head, tail = masked.split(note)
    assert head.endswith(MASK)
    assert tail.startswith(MASK)


async def test_what_a_sandbox_leaves_of_a_secret_is_masked() -> None:
    transcript = Transcript(limit=1000)
    transcript.add(Text("stdout", f"{'x' * 490}s3cr3t-key-value{'y' * 2000}s3cr3t-key-value{'z' * 490}"))
    event = await EventStream("one", MemoryStore(), secrets={"KEY": "s3cr3t-key-value"}).add_event(
        CmdOutputObservation(transcript.output()[0][1], "cat")
    )
    assert isinstance(event.body, CmdOutputObservation)
    assert event.body.content == f"{'x' * 490}{MASK}{LEFT_OUT.format(2012)}{MASK}{'z' * 490}"


def test_few_letters_beside_a_cut_and_notes_without_end_stay() -> None:
    hidden = SecretValues({"KEY": "s3cr3t-key"})
    text = f"{LEFT_OUT.format(7)}s3c" * 20_000
    assert hidden.mask(text) == text
    assert SecretValues().mask(text) == text


def test_a_secret_without_end_is_masked_in_little_memory() -> None:
    masker = SecretValues({"A": "aaaa"}).masker()
    shown = "".join(masker.feed("aaaaa") for _ in range(1000)) + masker.flush()
    assert shown == MASK


def test_text_that_is_no_secret_is_not_held_back() -> None:
    masker = SecretValues({"KEY": "s3cr3t-key"}).masker()
    assert masker.feed("hello\n") == "hello\n"
    assert masker.feed("my key: s3c") == "my key: "
    assert masker.feed("urity") == "s3curity"
    assert masker.feed(" s3cr3t-") == " "
    assert masker.feed("key!") == f"{MASK}!"
    assert masker.feed("s3cr") == ""
    assert masker.flush() == "s3cr"


async def test_message_lists_keys_and_unknown_kinds_are_masked() -> None:
    stream = EventStream("one", MemoryStore(), secrets={"KEY": "s3cr3t"})
    await stream.add_event(CmdRunAction("curl -H s3cr3t"))
    await stream.add_event(MessageAction("x", image_urls=["http://s3cr3t@host"]))
    await stream.add_event(TaskTrackingAction("plan", [{"title": "use s3cr3t", "s3cr3t": [["s3cr3t"]]}]))
    await stream.add_event(event_from_dict({"action": "fly", "s3cr3t": 1, "args": {"to": ["s3cr3t"]}}))
    await stream.add_event(CmdOutputObservation("fine"))
    texts = [encode_event(event).decode() async for event in stream.get_events()]
    assert all("s3cr3t" not in text for text in texts)
    assert [text.count(MASK) for text in texts] == [2, 1, 3, 2, 0]


async def test_a_secret_is_found_as_json_and_python_write_it() -> None:
    secret = "a\"b\\c\nd'é"
    stream = EventStream("one", MemoryStore(), secrets={"KEY": secret})
    event = await stream.add_event(MCPAction("tool", {"key": secret}))
    assert event.message is not None
    assert f"'key': '{MASK}'" in event.message.replace('"', "'")
    event = await stream.add_event(CmdOutputObservation(json.dumps({"key": secret})))
    assert event_to_dict(event)["content"] == f'{{"key": "{MASK}"}}'


async def test_words_of_the_wire_format_stay_whatever_the_secrets_are() -> None:
    words = ("action", "message", "agent", "content", "args", "source", "fly_away", "2024")
    stream = EventStream("one", MemoryStore(), secrets={word: word for word in words})
    await stream.add_event(MessageAction("the content"), "agent")
    await stream.add_event(
        event_from_dict({"action": "fly_away", "args": {}, "timestamp": "2024-01-01", "source": "agent"})
    )
    first, second = [event_to_dict(event) async for event in stream.get_events()]
    assert (first["action"], first["source"]) == ("message", "agent")
    assert first["args"]["content"] == f"the {MASK}"
    assert (second["action"], second["source"], second["timestamp"]) == ("fly_away", "agent", "2024-01-01")


async def test_secrets_can_be_added_and_replaced(caplog: pytest.LogCaptureFixture) -> None:
    stream = EventStream("one", MemoryStore())
    stream.set_secrets({"A": "aaaa", "SHORT": "xyz"})
    stream.update_secrets({"B": "bbbb"})
    assert "the secret SHORT is not masked" in caplog.text
    assert "xyz" not in caplog.text
    masker = stream.masker()
    assert masker.feed("aaaabbbbxyz.") == f"{MASK * 2}xyz."
    stream.set_secrets({"C": "cccc"})
    assert (await stream.add_event(MessageAction("aaaa cccc"))).message == f"aaaa {MASK}"


async def test_two_keys_that_become_one_stay_two() -> None:
    stream = EventStream("one", MemoryStore(), secrets={"A": "aaaa", "B": "bbbb"})
    event = await stream.add_event(MCPAction("tool", {"aaaa": 1, "bbbb": 2}))
    assert list(event_to_dict(event)["args"]["arguments"].values()) == [1, 2]


async def test_whatever_is_written_as_a_string_is_masked() -> None:
    stream = EventStream("one", MemoryStore(), secrets={"A": "s3cr3t"})

    class Own(Struct):
        said: str

    values: dict[Any, Any] = {1: "s3cr3t", "t": ("s3cr3t", {"s3cr3t"}), "own": [Own("s3cr3t")], "path": Path("/s3cr3t")}
    with pytest.raises(EventError, match="could not be written as JSON"):
        await stream.add_event(MCPAction("tool", values))
    del values["path"]
    event = await stream.add_event(MCPAction("tool", values))
    assert "s3cr3t" not in encode_event(event).decode()
    assert event_to_dict(event)["args"]["arguments"]["t"] == [MASK, [MASK]]
