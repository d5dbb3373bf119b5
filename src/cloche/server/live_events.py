"""Server-sent events: the events of a session that are stored, then each new one."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial

import anyio
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from cloche.events import Event, EventFilter, EventStream, encode_event
from cloche.limits import SERVER_PAGE

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = 15.0
"""Seconds after which a comment is sent, so that proxies keep the connection open."""


class LiveEvents(Response):
    """An answer without an end: it ends when the client leaves, the session is deleted or the server is stopped."""

    media_type = MEDIA_TYPE

    def __init__(
        self, stream: EventStream, stopping: anyio.Event, *, after: int = -1, wanted: EventFilter | None = None
    ) -> None:
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._stream = stream
        self._stopping = stopping
        self._last = after
        self._wanted = wanted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with anyio.create_task_group() as tasks:

            async def end_after(wait: Callable[[], Awaitable[object]]) -> None:
                await wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(end_after, self._stopping.wait)
            tasks.start_soon(end_after, partial(_wait_for_leave, receive))
            tasks.start_soon(_send_heartbeats, send)
            await self._send_stored(send)
            await self._send_new(send)
            tasks.cancel_scope.cancel()
        await send({"type": "http.response.body"})

    async def _send_stored(self, send: Send) -> None:
        """What is stored, in large pieces."""
        page: list[bytes] = []
        async for event in self._stream.get_events(self._last + 1):
            page += self._take(event)
            if len(page) >= SERVER_PAGE:
                await send(_make_piece(page))
                page = []
        # Something at once, so that the client knows that it is connected.
        await send(_make_piece(page or [b": \n\n"]))

    async def _send_new(self, send: Send) -> None:
        async with aclosing(self._stream.follow(self._last)) as events:
            async for event in events:
                if frames := self._take(event):
                    await send(_make_piece(frames))

    def _take(self, event: Event) -> list[bytes]:
        """The frame of an event, if it is wanted."""
        self._last = self._last if event.id is None else event.id
        if self._wanted is not None and not self._wanted.matches(event):
            return []
        return [b"id: %d\ndata: %b\n\n" % (self._last, encode_event(event))]


def _make_piece(frames: list[bytes]) -> Message:
    return {"type": "http.response.body", "body": b"".join(frames), "more_body": True}


async def _wait_for_leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_heartbeats(send: Send) -> None:
    while True:
        await anyio.sleep(HEARTBEAT)
        await send(_make_piece([b": \n\n"]))
