"""Frames and messages between host and engine."""

import struct
import tracemalloc
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.limits import FRAME_LIMIT
from cloche.sandbox.process.frames import BadFrame, FrameReader, encode_chunk_frame, encode_frame
from cloche.sandbox.process.protocol import (
    CallDone,
    DisplayMessage,
    EngineFailed,
    EngineReady,
    Message,
    OutputBlock,
    QueryReply,
    RequestChunk,
)
from cloche.sandbox.results.outcome import Display, Outcome

TEXT = st.text(max_size=50)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT, lambda inner: st.lists(inner, max_size=3)
)


def frame(kind: int, body: bytes) -> bytes:
    return struct.pack("<IB", len(body) + 1, kind) + body


def fed(data: bytes) -> FrameReader:
    frames = FrameReader()
    frames.feed(data)
    return frames


def take_all(frames: FrameReader) -> list[Message]:
    return [message for message, _ in iter(frames.take, None)]


def sent(message: Message) -> bytes:
    """A message as the engine sends it."""
    if isinstance(message, OutputBlock):
        return frame({"stdout": 1, "stderr": 2}[message.stream], struct.pack("<I", message.id) + message.data)
    if isinstance(message, RequestChunk):
        return frame(3, struct.pack("<I", message.request) + message.data)
    return frame(0, msgspec.json.encode(message))


MESSAGES = st.one_of(
    st.builds(OutputBlock, st.integers(0, 2**32 - 1), st.sampled_from(("stdout", "stderr")), st.binary(max_size=200)),
    st.builds(RequestChunk, st.integers(0, 2**32 - 1), st.binary(max_size=200)),
    st.builds(QueryReply, st.integers(0, 2**31), JSON),
    st.builds(EngineReady, st.lists(TEXT, max_size=3)),
    st.builds(EngineFailed, TEXT),
    st.builds(
        DisplayMessage,
        st.integers(0, 2**31),
        st.builds(Display, st.sampled_from(("display", "update", "result")), st.dictionaries(TEXT, JSON, max_size=3)),
    ),
)


@given(messages=st.lists(MESSAGES, max_size=8), cuts=st.lists(st.integers(0, 4000), max_size=12))
def test_messages_come_whole_however_the_bytes_are_cut(messages: list[Message], cuts: list[int]) -> None:
    data = b"".join(map(sent, messages))
    frames, got, start = FrameReader(), list[Message](), 0
    for cut in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        frames.feed(data[start:cut])
        got += take_all(frames)
        start = cut
    assert got == messages


@given(st.binary(max_size=300))
def test_noise_is_refused_or_waited_for_but_never_breaks_the_reader(noise: bytes) -> None:
    with suppress(BadFrame):
        take_all(fed(noise))


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<IB", FRAME_LIMIT + 1000, 0),
        struct.pack("<IB", 0, 0),
        frame(0, b"{"),
        frame(0, b"\xff\xfe"),
        frame(0, b'{"op":"unheard"}'),
        frame(0, b'{"op":"done","id":"x"}'),
        frame(1, b"abc"),
        frame(7, b""),
        frame(0, b'{"op":"reply","id":1,"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    ],
)
def test_what_the_engine_must_not_send_is_refused(data: bytes) -> None:
    with pytest.raises(BadFrame):
        take_all(fed(data))


def test_an_announced_frame_of_the_largest_size_is_waited_for() -> None:
    assert take_all(fed(struct.pack("<IB", FRAME_LIMIT, 1))) == []


def test_fields_of_a_newer_engine_are_ignored() -> None:
    newer = b'{"op":"done","id":3,"outcome":{"exitCode":2,"new":1},"state":"kept","more":[]}'
    assert take_all(fed(frame(0, newer))) == [CallDone(3, msgspec.convert({"exitCode": 2}, Outcome), "kept")]


@pytest.mark.slow
def test_a_message_weighs_as_much_as_it_takes_in_memory() -> None:
    text, lists, objects = (
        b'"' + b"x" * 1_000_000 + b'"',
        b"[" + b"[]," * 300_000 + b"[]]",
        b"[" + b"{}," * 300_000 + b"{}]",
    )
    numbers, names = msgspec.json.encode([0.5] * 200_000), msgspec.json.encode({str(i): i for i in range(80_000)})
    for data in (text, lists, objects, numbers, names):
        body = b'{"op":"reply","id":1,"data":' + data + b"}"
        tracemalloc.start()
        arrived = fed(frame(0, body)).take()
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert arrived is not None
        assert taken / 2 < arrived[1] < taken * 3


@given(st.dictionaries(TEXT, JSON, max_size=5))
def test_a_frame_to_the_engine_has_its_length_in_front(message: dict[str, object]) -> None:
    data = encode_frame(message)
    (length,) = struct.unpack_from("<I", data)
    assert length == len(data) - 4
    assert data[4] == 0
    assert msgspec.json.decode(data[5:]) == message


@given(st.integers(0, 2**32 - 1), st.binary(max_size=200))
def test_bytes_of_an_answer_travel_with_its_number(ask: int, data: bytes) -> None:
    assert encode_chunk_frame(ask, data) == frame(3, struct.pack("<I", ask) + data)


def test_a_message_over_the_limit_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ValueError, match="pass it as a file"):
        encode_frame({"code": "x" * FRAME_LIMIT})
