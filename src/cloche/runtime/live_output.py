"""Passes on the output of an action while it runs."""

import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from inspect import isawaitable

import anyio

from cloche.limits import LEFT_OUT, LIVE_GRACE, LIVE_OUTPUT

log = logging.getLogger(__name__)

OnOutput = Callable[[str, str], Awaitable[None] | None]
"""Takes the name of a stream, `stdout` or `stderr`, and a piece of output."""

Hear = Callable[[str, str], None]
"""The same; returns at once."""


class LiveOutput:
    """Buffers output for a receiver; one that is slow or fails loses output, and delays nothing."""

    def __init__(self, receiver: OnOutput) -> None:
        self._receiver: OnOutput | None = receiver
        self._waiting: deque[tuple[str, str]] = deque()
        self._size = 0
        self._left_out = 0
        self._news = anyio.Event()
        self._ended = False

    def put(self, stream: str, text: str) -> None:
        """Pass a piece on, or drop it with a note if too much is waiting."""
        if self._receiver is None or self._ended or not text:
            return
        if self._size + len(text) > LIVE_OUTPUT:
            self._left_out += len(text)
            return
        if self._left_out:
            text, self._left_out = LEFT_OUT.format(self._left_out) + text, 0
        self._waiting.append((stream, text))
        self._size += len(text)
        self._news.set()

    def end(self) -> None:
        """Accept no more; what is buffered is still passed on."""
        if self._left_out:
            self._waiting.append(("stdout", LEFT_OUT.format(self._left_out)))
        self._ended = True
        self._news.set()

    async def pass_on(self) -> None:
        """Pass output to the receiver until the end."""
        while self._receiver is not None:
            if self._waiting:
                await self._give(self._receiver, *self._take())
            elif self._ended:
                return
            else:
                self._news = anyio.Event()
                await self._news.wait()

    def _take(self) -> tuple[str, str]:
        """The next piece, joined with following ones of the same stream: there may be many small ones."""
        stream, first = self._waiting.popleft()
        pieces = [first]
        while self._waiting and self._waiting[0][0] == stream:
            pieces.append(self._waiting.popleft()[1])
        text = "".join(pieces)
        self._size -= len(text)
        return stream, text

    async def _give(self, receiver: OnOutput, stream: str, text: str) -> None:
        try:
            taken = receiver(stream, text)
            if isawaitable(taken):
                await taken
        except Exception:  # the caller's own function: its faults must not stop the action
            log.exception("live output could not be passed on: its receiver gets no more of this action")
            self._receiver = None


@asynccontextmanager
async def pass_on_output(receiver: OnOutput) -> AsyncGenerator[LiveOutput]:
    """Passes on what is put into it while the block runs, and what is buffered then for a moment more."""
    live = LiveOutput(receiver)
    passed = anyio.Event()

    async def pass_on() -> None:
        await live.pass_on()
        passed.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pass_on)
        try:
            yield live
            live.end()
            with anyio.move_on_after(LIVE_GRACE):
                await passed.wait()
        finally:
            tasks.cancel_scope.cancel()
