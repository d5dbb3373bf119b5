"""Subscribers: each gets every event of a stream, at its own pace."""

import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Any, Self

import anyio
from anyio import BrokenResourceError, CancelScope, ClosedResourceError, WouldBlock
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint_if_cancelled
from anyio.streams.memory import MemoryObjectSendStream
from msgspec import Struct

from cloche.errors import StoreError
from cloche.events.event import Event
from cloche.logs import log_ids

logger = logging.getLogger(__name__)


class Lagged(Struct, frozen=True):
    """The last item for a subscriber that was too slow; `follow(after_id)` has the rest."""

    after_id: int


Callback = Callable[[Event], Awaitable[None] | None]
Subscriber = Callback | MemoryObjectSendStream[Event | Lagged]


class Subscribers:
    """The subscribers of a stream by name, each with a task of its own."""

    def __init__(self) -> None:
        self._tasks: TaskGroup | None = None
        self._scopes: dict[str, CancelScope] = {}

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        self._scopes.clear()
        if tasks is not None:
            tasks.cancel_scope.cancel()
            # An error of the stream's user is re-raised as it is; the task group would wrap it.
            await tasks.__aexit__(None, None, None)

    def add(self, name: str, to: Subscriber, events: AsyncGenerator[Event], last: int) -> None:
        """Start to pass events to a subscriber, unless it cannot be served; `last` is the id before the first."""
        if self._tasks is None:
            raise RuntimeError("subscribe needs an open stream: use it as `async with EventStream(...) as stream`.")
        if name in self._scopes:
            raise ValueError(f"there is already a subscriber {name!r}: unsubscribe it first, or choose another name.")
        if not callable(to) and to.statistics().max_buffer_size < 2:
            raise ValueError(
                f"the memory stream of {name!r} needs room for two: an event, and the notice that it lags."
            )

        scope = self._scopes[name] = CancelScope()
        if callable(to):
            self._tasks.start_soon(self._serve, name, scope, self._call(name, to, events))
        else:
            self._tasks.start_soon(self._serve, name, scope, self._fill(name, to, events, last))

    def remove(self, name: str) -> None:
        """Remove a subscriber; does nothing if there is none with that name."""
        scope = self._scopes.pop(name, None)
        if scope is not None:
            scope.cancel()

    async def _serve(self, name: str, scope: CancelScope, work: Coroutine[Any, Any, None]) -> None:
        try:
            with scope:
                await work
        except StoreError:
            logger.exception("the subscriber %s gets no more events", name)
        finally:
            work.close()
            if self._scopes.get(name) is scope:
                del self._scopes[name]

    async def _call(self, name: str, function: Callback, events: AsyncGenerator[Event]) -> None:
        async with aclosing(events):
            async for event in events:
                # Events that were read while the subscriber was removed are dropped.
                await checkpoint_if_cancelled()
                try:
                    with log_ids(event=event.id):
                        answer = function(event)
                        if inspect.isawaitable(answer):
                            await answer
                except Exception:  # the subscriber's own function: it gets the next event all the same
                    logger.exception("the subscriber %s failed on event %s", name, event.id)

    async def _fill(
        self, name: str, to: MemoryObjectSendStream[Event | Lagged], events: AsyncGenerator[Event], last: int
    ) -> None:
        # The notice would block if others fill the stream as well.
        with to, suppress(BrokenResourceError, ClosedResourceError, WouldBlock):
            async with aclosing(events):
                async for event in events:
                    await checkpoint_if_cancelled()
                    room = to.statistics()
                    if room.current_buffer_used >= room.max_buffer_size - 1:
                        logger.info("the subscriber %s lags: it is dropped after event %s", name, last)
                        to.send_nowait(Lagged(last))
                        return
                    to.send_nowait(event)
                    last += 1
