"""Follows a session for one client: its events, and what is printed meanwhile."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from msgspec import Struct

from cloche.errors import ClocheError
from cloche.events import Event
from cloche.limits import A2A_QUEUE
from cloche.session import HostedSession
from cloche.session.hosting.clients import OutputListener

log = logging.getLogger(__name__)


class Printed(Struct, frozen=True):
    """What an action prints while it runs."""

    action: int
    text: str


News = Event | Printed


class Followers:
    """Those who follow sessions now; they run in the task group of the server."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._scopes: set[anyio.CancelScope] = set()

    @asynccontextmanager
    async def follow(
        self, hosted: HostedSession, after: int, *, hears: bool = False
    ) -> AsyncGenerator[MemoryObjectReceiveStream[News]]:
        """The events after this one, and with `hears` what is printed; ends when the session or the server does.

        Not a task group of the caller's, who may be a generator that is left at any time.
        """
        send, receive = anyio.create_memory_object_stream[News](A2A_QUEUE)
        scope = anyio.CancelScope()
        listener = _Listener(send)
        self._scopes.add(scope)
        if hears:
            hosted.attach(listener)
        self._tasks.start_soon(_pass_on, hosted, after, send, scope)
        try:
            with receive:
                yield receive
        finally:
            scope.cancel()
            hosted.detach(listener)
            self._scopes.discard(scope)

    def end(self) -> None:
        """End all of them."""
        for scope in self._scopes:
            scope.cancel()


async def _pass_on(
    hosted: HostedSession, after: int, send: MemoryObjectSendStream[News], scope: anyio.CancelScope
) -> None:
    with scope, send:
        try:
            async with aclosing(hosted.stream.follow(after)) as events:
                async for event in events:
                    await send.send(event)
        except ClocheError as error:
            # The client comes back, or looks at its task.
            log.warning("the events of %s could not be read for a client: %s", hosted.sid, error)
        except Exception:  # the border of a connection: it must not end the others
            log.exception("a client of %s could not be served", hosted.sid)


class _Listener(OutputListener):
    """Passes on what is printed; a client that is slow gets it with the observation."""

    def __init__(self, send: MemoryObjectSendStream[News]) -> None:
        self._send = send

    def hear_output(self, action: int, stream: str, text: str) -> None:
        with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._send.send_nowait(Printed(action, text))
