"""Server-sent events, however they arrive."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.llm.event_stream import EventParser, EventTooLarge, ServerEvent

LIMIT = 1 << 16
PARTS = st.sampled_from(
    [b"data:", b"data: ", b"event: x", b": note", b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"{}", b"\xef\xbb\xbf"]
)
BODIES = st.lists(PARTS | st.binary(max_size=4), max_size=30).map(b"".join)


def parse(*pieces: bytes, limit: int = LIMIT) -> list[ServerEvent]:
    parser = EventParser(limit)
    found = [event for piece in pieces for event in parser.feed(piece)]
    return found + list(parser.finish())


def cut(body: bytes, places: Sequence[int]) -> list[bytes]:
    ends = sorted({min(place, len(body)) for place in places} | {0, len(body)})
    return [body[start:end] for start, end in itertools.pairwise(ends)]


@given(BODIES, st.lists(st.integers(0, 80)))
def test_events_do_not_depend_on_how_bytes_are_cut(body: bytes, places: list[int]) -> None:
    assert parse(*cut(body, places)) == parse(body)
    assert parse(*(body[index : index + 1] for index in range(len(body)))) == parse(body)


@given(st.lists(st.tuples(st.text("ab é☃{}:", min_size=1), st.sampled_from(["", "ping"]))), st.sampled_from("\n\r"))
def test_what_is_written_is_read(events: list[tuple[str, str]], end: str) -> None:
    written = "".join(
        f"event: {name}{end}data: {data}{end}{end}" if name else f"data: {data}{end}{end}" for data, name in events
    )
    assert parse(written.encode()) == [ServerEvent(data.encode(), name) for data, name in events]


def test_lines_of_data_are_joined_and_comments_left_out() -> None:
    assert parse(b": hi\ndata: a\r\ndata:b\nid: 7\nretry: 1\n\n: bye\n\n") == [ServerEvent(b"a\nb")]


def test_the_last_event_may_lack_its_empty_line() -> None:
    assert parse(b"data: a\n\ndata: b") == [ServerEvent(b"a"), ServerEvent(b"b")]


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 100, b"data: x\n" * 20, b": x\n" * 40])
def test_an_event_without_end_is_refused(piece: bytes) -> None:
    with pytest.raises(EventTooLarge):
        parse(piece, piece, limit=150)


def test_many_small_events_are_no_large_one() -> None:
    assert len(parse(*[b"data: 12345678\n\n"] * 1000, limit=100)) == 1000
