"""The guest's reader of HTTP requests: the same whatever pieces the bytes come in."""

import importlib
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloche

sys.path.append(str(Path(cloche.__file__).parent / "engine" / "languages" / "python" / "guest"))
parsing: Any = importlib.import_module("cloche_guest.net.parsing")

PLAIN = b"GET /a?b HTTP/1.1\r\nHost: x\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n"
WITH_BODY = b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
)


def read(*pieces: bytes) -> list[Any]:
    """Heads as they are, bodies in one piece, and True for each end."""
    parser = parsing.Parser()
    found: list[Any] = []
    for piece in pieces:
        for event in parser.feed(memoryview(piece)):
            if isinstance(event, parsing.Head):
                found.append(event)
            elif isinstance(event, parsing.End):
                found.append(True)
            elif isinstance(found[-1], bytes):
                found[-1] += bytes(event)
            else:
                found.append(bytes(event))
    return found


def test_requests_are_read_one_after_another() -> None:
    first, end, second, body, _, third, chunks, _ = read(PLAIN + WITH_BODY + b"\r\n" + CHUNKED)
    assert (first.method, first.target, first.version, end) == ("GET", "/a?b", "1.1", True)
    assert first.header("x-two") == "1, 2"
    assert (second.method, body) == ("POST", b"hello")
    assert (third.method, chunks) == ("PUT", b"abc0123456789")


@given(st.lists(st.integers(0, len(PLAIN + WITH_BODY + CHUNKED)), max_size=12))
def test_any_pieces_give_the_same_requests(cuts: list[int]) -> None:
    data = PLAIN + WITH_BODY + CHUNKED
    edges = [0, *sorted(cuts), len(data)]
    assert read(*(data[a:b] for a, b in pairwise(edges))) == read(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"EHLO me\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * (300 << 10),
    ],
)
def test_what_is_not_http_is_refused(data: bytes) -> None:
    with pytest.raises(OSError, match="this sandbox has no raw network"):
        read(data)
