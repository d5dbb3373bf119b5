"""Bodies of answers: passed on as they are, up to their limits."""

import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import anyio
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import RemoteAgentError
from cloche.limits import A2A_MESSAGE_LIMIT, A2A_MESSAGE_VALUES
from cloche.runtime.a2a.limited_body import ByteBudget, LimitedBody


class Pieces(httpx.AsyncByteStream):
    """A body in these pieces; it goes on for ever after the last one, or ends."""

    def __init__(self, pieces: Sequence[bytes], *, endless: bool = False) -> None:
        self.pieces = pieces
        self.endless = endless

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece
        if self.endless:
            await anyio.sleep_forever()


def read(pieces: Sequence[bytes], *, is_events: bool) -> list[bytes]:
    async def collect() -> list[bytes]:
        return [each async for each in LimitedBody(Pieces(pieces), ByteBudget(), is_events=is_events)]

    return anyio.run(collect)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]


texts = st.text(st.sampled_from('a,[{"\\\n\r:é\u2028\u2029\x85 '), max_size=40)


@given(texts, st.lists(st.integers(0, 200)))
def test_an_answer_is_the_same_however_it_is_cut(text: str, places: list[int]) -> None:
    data = text.encode()
    assert b"".join(read(cut(data, places), is_events=False)) == data


@given(st.lists(texts, max_size=5), st.lists(st.integers(0, 400)))
def test_the_events_of_a_stream_are_the_same_however_it_is_cut(values: list[str], places: list[int]) -> None:
    data = "".join(f"data: {json.dumps({'text': value}, ensure_ascii=False)}\n\n" for value in values).encode()
    got = b"".join(read(cut(data, places), is_events=True)).decode()
    lines = [line.removeprefix("data: ") for line in got.splitlines() if line]
    assert [json.loads(line)["text"] for line in lines] == values


@pytest.mark.parametrize("is_events", [False, True])
def test_a_message_that_is_too_large_is_refused(is_events: bool) -> None:
    with pytest.raises(RemoteAgentError, match="bytes"):
        read([b"x" * 1000] * (A2A_MESSAGE_LIMIT // 1000 + 1), is_events=is_events)
    with pytest.raises(RemoteAgentError, match="values"):
        read([b"0," * (A2A_MESSAGE_VALUES + 1), b"\n"], is_events=is_events)
    with pytest.raises(RemoteAgentError, match="values"):
        read([b'"a\\\\", "b\\"",\n'] * (A2A_MESSAGE_VALUES // 2 + 1), is_events=is_events)


def test_each_event_of_a_stream_is_measured_alone() -> None:
    event = b"data: " + b"0," * (A2A_MESSAGE_VALUES - 1) + b"\r\n\r\n"
    assert b"".join(read([event] * 20, is_events=True)) == event * 20


async def test_a_body_that_is_stopped_ends_soon() -> None:
    body = LimitedBody(Pieces([b"data: 1\n\n"], endless=True), ByteBudget(), is_events=True)
    got: list[bytes] = []
    with anyio.fail_after(5):
        async for each in body:
            got.append(each)
            body.stop()
    assert got == [b"data: 1\n\n", b""]
