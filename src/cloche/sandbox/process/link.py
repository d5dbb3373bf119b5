"""The host's end of the control channel, based on callbacks: no task of its own, nothing unbounded."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from cloche.limits import HOST_REQUESTS, REQUEST_WINDOW
from cloche.sandbox.process.frames import BadFrame, FrameReader, encode_chunk_frame, encode_frame
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.process.protocol import CallDone, Message

HIGH_WATER = 8 << 20
"""Bytes of unread output at which the host stops reading until its caller has caught up."""

LAST_WATER = 4 * HIGH_WATER
"""The same for interrupted code: `done` comes after all its output, and must not wait for the caller."""

SLICE = 0.001
"""Seconds that the messages of one sandbox may take before other tasks get their turn."""

PIECE = 64 << 10
"""Bytes that are read at once."""

BACKLOG = 2 * HOST_REQUESTS * REQUEST_WINDOW
"""Bytes that may wait to be sent; with an engine that reads, there are never so many."""

SMALL = 16 << 10
"""A larger frame is sent at once; smaller ones are sent together."""


CallMessage = Message | HostRequest
"""A message for one call; a request is a question to the user."""


class Inbox:
    """Messages for one call, in order; when too many are unread, the sender is stopped."""

    def __init__(self, flow: Callable[[bool], None]) -> None:
        self._messages: deque[tuple[CallMessage, int]] = deque()
        self._bytes = 0
        self._most = HIGH_WATER
        self._flow = flow
        self._arrived: asyncio.Event = asyncio.Event()
        self.ended: asyncio.Event = asyncio.Event()
        """Set when the last message has arrived."""
        self.weight = 0
        """Bytes of the message that was taken last."""
        self.asked = False
        """Whether there was a question to the user."""
        self.waits = False
        """Whether the call has not begun, because background work is in its way."""
        self.on_begin: Callable[[], None] = lambda: None
        """Called when that changes, even if no messages are read."""

    def put(self, message: CallMessage, weight: int = 0) -> None:
        if self.ended.is_set():
            return
        self._messages.append((message, weight))
        if isinstance(message, CallDone):
            self.ended.set()
        self._bytes += weight
        if self._bytes > self._most:
            self._flow(False)
        self._arrived.set()

    def take(self) -> CallMessage | None:
        if not self._messages:
            return None
        message, self.weight = self._messages.popleft()
        self._bytes -= self.weight
        if self._bytes <= self._most // 2:
            self._flow(True)
        return message

    def set_waits(self, waits: bool) -> None:
        if waits != self.waits and not self.ended.is_set():
            self.waits = waits
            self.on_begin()

    def widen(self) -> None:
        """Accept more unread messages, so that the end of the call can arrive."""
        self._most = LAST_WATER
        self._flow(True)

    async def wait(self) -> None:
        """Return when a message may have arrived."""
        if not self._messages:
            self._arrived.clear()
            await self._arrived.wait()


class Link(asyncio.BufferedProtocol):
    """The connection to an engine."""

    def __init__(self, receive: Callable[[Message, int], None], lost: Callable[[str], None]) -> None:
        self._receive = receive
        self._lost = lost
        self._frames = FrameReader()
        self._piece = memoryview(bytearray(PIECE))
        self._transport: asyncio.Transport | None = None
        self._reading = True
        self._wanted = True
        self._behind = False
        self._outgoing: list[bytes] = []
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # No isinstance: uvloop's transports do not inherit from asyncio's.
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """The buffer for the next bytes; always the same one, since a new one would cost more than reading."""
        return self._piece

    def buffer_updated(self, nbytes: int) -> None:
        self._frames.feed(self._piece[:nbytes])
        if not self._behind:
            self._read_messages()

    def connection_lost(self, exc: Exception | None) -> None:
        self._read_messages(float("inf"))
        if not self.closed:
            self.closed = True
            self._lost(f"the connection broke: {exc}" if exc else "the engine ended")

    def _read_messages(self, seconds: float = SLICE) -> None:
        """Handle messages for one slice; the rest waits for the next round of the event loop."""
        self._behind = False
        until = time.perf_counter() + seconds
        try:
            while not self.closed and (arrived := self._frames.take()) is not None:
                self._receive(*arrived)
                if time.perf_counter() >= until:
                    self._behind = True
                    asyncio.get_running_loop().call_soon(self._read_messages)
                    break
        except BadFrame as error:
            self._lost(str(error))
            self.close()
        self._settle_flow()

    def send(self, message: dict[str, Any]) -> None:
        self._send(encode_frame(message))

    def send_chunk(self, request: int, data: bytes | memoryview) -> None:
        self._send(encode_chunk_frame(request, data))

    def _send(self, frame: bytes) -> None:
        if self._transport is None or self.closed:
            return
        # Frames made in the same round are sent together: each write wakes the other side.
        self._outgoing.append(frame)
        if len(frame) > SMALL:
            self._flush()
        elif len(self._outgoing) == 1:
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        frames, self._outgoing = self._outgoing, []
        if frames and self._transport is not None and not self.closed:
            self._transport.write(frames[0] if len(frames) == 1 else b"".join(frames))
            if self._transport.get_write_buffer_size() > BACKLOG:
                self._lost("it does not read what it is sent")
                self.close()

    def flow(self, wanted: bool) -> None:
        """Stop or resume reading, because a reader is full or has room again."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._settle_flow()

    def _settle_flow(self) -> None:
        reading = self._wanted and not self._behind
        if self._transport is None or self.closed or reading == self._reading:
            return
        self._reading = reading
        if reading:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def close(self) -> None:
        self.closed = True
        if self._transport is not None:
            self._transport.abort()
