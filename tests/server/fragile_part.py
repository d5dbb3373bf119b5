"""A part of a server that fails when it is told to."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from cloche.config import AppConfig
from cloche.session import SessionManager


class Fragile:
    """Answers how often it was opened; breaks at `/break`."""

    opened = 0

    def __init__(self) -> None:
        self.broken = anyio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/break":
            self.broken.set()
        await PlainTextResponse(str(Fragile.opened))(scope, receive, send)

    async def end(self) -> None:
        """Nothing runs."""

    async def run(self) -> None:
        """Until it breaks."""
        await self.broken.wait()
        raise RuntimeError("broken")


@asynccontextmanager
async def open_part(_: AppConfig, __: SessionManager) -> AsyncGenerator[Fragile]:
    """The first time fails."""
    Fragile.opened += 1
    if Fragile.opened == 1:
        raise RuntimeError("not today")
    part = Fragile()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(part.run)
        yield part
        tasks.cancel_scope.cancel()
