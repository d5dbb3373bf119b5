"""Parses server-sent events, in which models stream their answers."""

from collections.abc import Iterator

from msgspec import Struct

BOM = b"\xef\xbb\xbf"


class ServerEvent(Struct, frozen=True):
    """One event, as bytes: what is in it is decoded by whoever knows its type."""

    data: bytes
    name: str = ""


class EventTooLarge(Exception):
    """One event has more bytes than it may."""


class EventParser:
    """Takes bytes as they come, and gives each event when it is whole; comments are left out."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        """A line that is not whole yet."""
        self._after_return = False
        """Whether the last byte was a carriage return: a line feed after it belongs to it."""
        self._first = True
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """The events that this piece completes; raises EventTooLarge."""
        self._size += len(piece)
        if self._after_return and piece:
            piece = piece.removeprefix(b"\n")
            self._after_return = False
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1
        if not end:
            self._pieces.append(piece)
        else:
            self._after_return = piece.endswith(b"\r")
            lines = b"".join([*self._pieces, piece[:end]])
            self._pieces = [piece[end:]]
            yield from self._read_lines(lines)
        if self._size > self._limit:
            raise EventTooLarge

    def finish(self) -> Iterator[ServerEvent]:
        """The event that the end of the stream completes: some servers leave out the last empty line."""
        yield from self._read_lines(b"".join([*self._pieces, b"\n\n"]))
        self._pieces = []

    def _read_lines(self, lines: bytes) -> Iterator[ServerEvent]:
        if self._first:
            self._first = False
            lines = lines.removeprefix(BOM)
        # Of bytes, this splits at \n, \r\n and \r, and nowhere else.
        for line in lines.splitlines():
            if line:
                self._read_field(line)
                continue
            if self._data:
                yield ServerEvent(b"\n".join(self._data), self._name)
            self._name, self._data, self._size = "", [], sum(map(len, self._pieces))

    def _read_field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode(errors="replace")
