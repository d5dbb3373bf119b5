"""The lines of a call, kept for a client that was cut off, within a limit."""

from array import array
from collections import deque
from collections.abc import AsyncGenerator

import anyio

from cloche.limits import CALL_HEARTBEAT, CALL_LOG, SERVER_STALL
from cloche.remote.calls import END, HEARTBEAT, Line, Skipped, encode_line
from cloche.sandbox.results.result import Text


class CallLog:
    """Lines in order. While somebody reads, none is left out; without a reader, the oldest make room for new ones."""

    def __init__(self, limit: int = CALL_LOG, *, start: int = 0) -> None:
        """`start` is how many lines the client has from an earlier process of the server."""
        self._limit = limit
        self._lines: deque[bytes] = deque()
        self._start = self._first = start
        """The number of the first line, and of the first one that is kept."""
        self._sizes = array("Q", [0])
        """How many bytes come before each line."""
        self._texts = array("Q", [0])
        """How many characters of output do."""
        self._readers: dict[object, int] = {}
        """How many lines each reader has taken."""
        self._news = anyio.Event()
        self._taken = anyio.Event()
        self.ended = False
        """Whether the last line is there."""
        self.left: float | None = None
        """When the last reader went; None while there is one."""

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return self._measure(self._first)

    @property
    def is_read(self) -> bool:
        """Whether somebody reads it now."""
        return bool(self._readers)

    def put(self, line: Line) -> None:
        """Add a line; after the last one nothing more is added."""
        if self.ended:
            return
        data = encode_line(line)
        self._lines.append(data)
        self._sizes.append(self._sizes[-1] + len(data))
        self._texts.append(self._texts[-1] + (len(line.text) if isinstance(line, Text) else 0))
        self.ended = isinstance(line, END)
        while len(self._lines) > 1 and self.size > self._limit:
            self._lines.popleft()
            self._first += 1
        self._wake()

    async def make_room(self) -> None:
        """Wait for readers, so that no line has to be left out before they took it; one that stalls is left behind."""
        while (slow := self._find_slow()) is not None:
            self._taken = anyio.Event()
            with anyio.move_on_after(SERVER_STALL) as stall:
                await self._taken.wait()
            if stall.cancelled_caught:
                self._readers.pop(slow, None)

    async def read(self, after: int) -> AsyncGenerator[bytes]:
        """The lines after so many, as they come, with heartbeats while there are none; ends with the last line."""
        reader = object()
        self._readers[reader] = after
        self.left = None
        try:
            while not (self.ended and after >= self._first + len(self._lines)):
                if after < self._first:
                    missing = self._texts[self._first - self._start] - self._texts[max(0, after - self._start)]
                    yield encode_line(Skipped(self._first, missing))
                    after = self._first
                elif after < self._first + len(self._lines):
                    yield self._lines[after - self._first]
                    after += 1
                    self._note_taken(reader, after)
                elif await self._is_silent():
                    yield HEARTBEAT
        finally:
            self._readers.pop(reader, None)
            self._taken.set()
            if not self._readers:
                self.left = anyio.current_time()

    def _note_taken(self, reader: object, count: int) -> None:
        if reader in self._readers:
            self._readers[reader] = count
            self._taken.set()

    def _find_slow(self) -> object | None:
        """A reader that has not taken half of what may be kept."""
        return next((each for each, count in self._readers.items() if self._measure(count) > self._limit // 2), None)

    def _measure(self, first: int) -> int:
        """The bytes from a line on."""
        return self._sizes[-1] - self._sizes[min(max(0, first - self._start), len(self._sizes) - 1)]

    async def _is_silent(self) -> bool:
        """Wait for a line; whether none came for the time of a heartbeat."""
        with anyio.move_on_after(CALL_HEARTBEAT) as silence:
            await self._news.wait()
        return silence.cancelled_caught

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()
