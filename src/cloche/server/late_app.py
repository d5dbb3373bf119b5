"""A part of the server whose libraries are loaded when it is first asked for: few servers need it at once."""

import logging
import mimetypes
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Protocol, Self

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Receive, Scope, Send

from cloche.config import AppConfig
from cloche.session import SessionManager

log = logging.getLogger(__name__)


class Part(Protocol):
    """An application that has something to end before the web server waits for its clients."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def end(self) -> None:
        """Answer what runs, and let streams come to their end."""
        ...


class LateApp:
    """An application for users that the gate has found; use it as an async context manager.

    Its module has `open_part(config, manager)`, whose context is the life of the part.
    """

    def __init__(self, module: str, config: AppConfig, manager: SessionManager) -> None:
        self._module = module
        self._config = config
        self._manager = manager
        self._part: Part | None = None
        self._loading = anyio.Lock()
        self._leaving = anyio.Event()
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        self._leaving.set()
        if tasks is not None:
            # Without the error, which a task group would wrap.
            await tasks.__aexit__(None, None, None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (await self._load())(scope, receive, send)

    async def end(self) -> None:
        """Answer what runs, and let streams come to their end."""
        if self._part is not None:
            await self._part.end()

    async def _load(self) -> Part:
        async with self._loading:
            part = self._part
            if part is None:
                assert self._tasks is not None, "requests come while the server lives"
                part = self._part = await self._tasks.start(self._live)
            return part

    async def _live(self, *, task_status: TaskStatus[Part]) -> None:
        """The life of the part, in one task."""
        module = await to_thread.run_sync(_load_module, self._module)
        opening: AbstractAsyncContextManager[Part] = module.open_part(self._config, self._manager)
        opened = False
        try:
            async with opening as part:
                task_status.started(part)
                opened = True
                await self._leaving.wait()
        except Exception:  # raised, or logged: the rest of the server goes on
            if not opened:
                # Raised to the request that asked for it.
                raise
            # The next request opens it again.
            log.exception("%s has failed", self._module)
            self._part = None


def _load_module(name: str) -> ModuleType:
    # It reads files when it is first asked for the type of one.
    mimetypes.init()
    return import_module(name)
