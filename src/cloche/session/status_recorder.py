"""Writes the statuses of a runtime into the stream of its session."""

import logging
import math
from types import TracebackType
from typing import Self

import anyio

from cloche.errors import ClocheError
from cloche.events import EventStream, Status
from cloche.runtime import RuntimeStatus

log = logging.getLogger(__name__)


class StatusRecorder:
    """A `status_callback` that stores the statuses of a runtime as events; use it with `async with`.

    Statuses are stored in order; leaving waits until they are.
    """

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        # A runtime reports a handful of statuses in its life: nothing here grows.
        self._told, self._waiting = anyio.create_memory_object_stream[Status](math.inf)
        self._tasks = anyio.create_task_group()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._write)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._told.close()
        # Without the error: it would come out as a group of one.
        await self._tasks.__aexit__(None, None, None)

    def __call__(self, level: str, status: RuntimeStatus, text: str) -> None:
        """Record a status."""
        self._told.send_nowait(Status(str(status), text, level))

    async def _write(self) -> None:
        # A runtime that is cancelled reports that, and it is recorded too.
        with anyio.CancelScope(shield=True), self._waiting:
            async for status in self._waiting:
                try:
                    await self._stream.add_event(status)
                except ClocheError:
                    log.exception("the status %r is not on record", status.status)
