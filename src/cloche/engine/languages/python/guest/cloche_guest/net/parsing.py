"""Parses HTTP/1 requests from the bytes that a client sends, in pieces of any size."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from cloche_guest.net.refusal import not_http

_HEAD_LIMIT = 256 << 10
_LINE_LIMIT = 4096
_END = re.compile(rb"\r?\n\r?\n")
_FIRST = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}) (\S+) HTTP/(1\.[01])")
_START = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{0,40}(?: .*)?", re.DOTALL)
_SIZE = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?\r?\n", re.DOTALL)


class Head(NamedTuple):
    """The head of a request."""

    method: str
    target: str
    version: str
    headers: list[tuple[str, str]]

    def header(self, name: str) -> str | None:
        """The values of a header, joined."""
        values = [value for key, value in self.headers if key.lower() == name]
        return ", ".join(values) if values else None

    def has(self, name: str, word: str) -> bool:
        """Whether a header contains a word."""
        return word in [part.strip().lower() for part in (self.header(name) or "").split(",")]


class End:
    """A request is complete."""


Event = Head | memoryview | End


class Parser:
    """Turns bytes into heads, pieces of bodies and ends."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._left = 0
        self._events: list[Event] = []
        self._step: Callable[[memoryview], memoryview] = self._read_head
        self._after: Callable[[], None] = self._end

    @property
    def between(self) -> bool:
        """Whether no request is half read."""
        return self._step == self._read_head and not self._kept

    def feed(self, data: memoryview) -> list[Event]:
        """Parse these bytes; raise OSError if they are not HTTP."""
        while data.nbytes:
            data = self._step(data)
        events, self._events = self._events, []
        return events

    def _read_head(self, data: memoryview) -> memoryview:
        seen = max(len(self._kept) - 3, 0)
        self._kept += data
        if self._kept[:2].strip(b"\r\n") == b"":
            # Empty lines between requests are allowed.
            self._kept = self._kept.lstrip(b"\r\n")
            seen = 0
        found = _END.search(self._kept, seen)
        if found is None:
            self._check_start()
            return data[:0]
        head, rest = bytes(self._kept[: found.start()]), memoryview(bytes(self._kept[found.end() :]))
        self._kept = bytearray()
        self._begin(read_head(head))
        return rest

    def _check_start(self) -> None:
        if len(self._kept) > _HEAD_LIMIT:
            raise not_http(f"a request's head has more than {_HEAD_LIMIT} bytes")
        if not _START.fullmatch(bytes(self._kept[:64])):
            raise not_http("what was sent is not an HTTP request")

    def _begin(self, head: Head) -> None:
        self._events.append(head)
        self._left = body_length(head) or 0
        if head.has("transfer-encoding", "chunked"):
            self._step = self._read_size
        elif self._left:
            self._step, self._after = self._read_body, self._end
        else:
            self._end()

    def _read_body(self, data: memoryview) -> memoryview:
        part = data[: self._left]
        self._events.append(part)
        self._left -= len(part)
        if not self._left:
            self._after()
        return data[len(part) :]

    def _read_size(self, data: memoryview) -> memoryview:
        line, rest = self._read_line(data)
        if line is None:
            return rest
        match = _SIZE.fullmatch(line)
        if match is None:
            raise not_http(f"{line[:40]!r} is not the size of a chunk")
        self._left = int(match[1], 16)
        self._step, self._after = (self._read_body, self._end_chunk) if self._left else (self._read_trailer, self._end)
        return rest

    def _read_chunk_end(self, data: memoryview) -> memoryview:
        line, rest = self._read_line(data)
        if line is not None:
            self._step = self._read_size
        return rest

    def _read_trailer(self, data: memoryview) -> memoryview:
        line, rest = self._read_line(data)
        if line is not None and not line.strip():
            self._end()
        return rest

    def _read_line(self, data: memoryview) -> tuple[bytes | None, memoryview]:
        piece = bytes(data[:_LINE_LIMIT])
        at = piece.find(b"\n")
        self._kept += piece if at < 0 else piece[: at + 1]
        if len(self._kept) > _LINE_LIMIT:
            raise not_http("a line in a body in chunks is too long")
        if at < 0:
            return None, data[len(piece) :]
        line, self._kept = bytes(self._kept), bytearray()
        return line, data[at + 1 :]

    def _end_chunk(self) -> None:
        self._step = self._read_chunk_end

    def _end(self) -> None:
        self._events.append(End())
        self._step = self._read_head


def read_head(data: bytes) -> Head:
    """The head of a request from its lines."""
    first, *lines = data.replace(b"\r\n", b"\n").split(b"\n")
    match = _FIRST.fullmatch(first)
    if match is None:
        raise not_http(f"{first[:60]!r} is not the first line of an HTTP/1.1 request")
    method, target, version = (part.decode("latin-1") for part in match.groups())
    headers: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon:
            raise not_http(f"{line[:60]!r} is not a header")
        headers.append((name, value.strip(" \t")))
    return Head(method, target, version, headers)


def body_length(head: Head) -> int | None:
    """The length of the body, as the request states it."""
    value = head.header("content-length")
    if value is None:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > 15:
        raise not_http(f"{value[:40]!r} is not the length of a body")
    return int(value)
