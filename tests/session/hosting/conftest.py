"""Managers over real stores and real sandboxes, and clients that listen."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.events import CmdRunAction, Event, IPythonRunCellAction, new_event
from cloche.session import HostedSession, SessionManager
from tests.session.conftest import _quick_start, prepared  # pyright: ignore[reportPrivateUsage] - a fixture by name

__all__ = ["_quick_start", "prepared"]

LIMIT = 30
"""Seconds for what takes a moment."""


class Listener:
    """A client that keeps what it hears."""

    def __init__(self) -> None:
        self.output: list[tuple[int, str, str]] = []
        self.statuses: list[str] = []
        self.messages: list[dict[str, Any]] = []
        self._news = anyio.Event()

    def hear_output(self, action: int, stream: str, text: str) -> None:
        self.output.append((action, stream, text))
        self._wake()

    def hear_status(self, level: str, status: str, text: str) -> None:
        self.statuses.append(text)
        self._wake()

    def hear_message(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until what it has heard makes it true."""
        with anyio.fail_after(LIMIT):
            while not true():
                await self._news.wait()


def make_config(root: Path, **changes: Any) -> AppConfig:
    """A quick configuration: no plugins, no pool; `server` and `sandbox` change these sections."""
    config = AppConfig()
    core = {"file_store_path": str(root), "default_agent": "ScriptedAgent", **changes.pop("core", {})}
    return replace(
        config,
        core=replace(config.core, **core),
        sandbox=replace(config.sandbox, plugins=(), **changes.pop("sandbox", {})),
        server=replace(config.server, **{"pool_size": 0, **changes.pop("server", {})}),
        **changes,
    )


@asynccontextmanager
async def managing(root: Path, **changes: Any) -> AsyncGenerator[SessionManager]:
    """A manager with such a configuration."""
    model = changes.pop("model", None)
    async with SessionManager(make_config(root, **changes), model=model) as manager:
        with anyio.fail_after(60):
            yield manager


@pytest.fixture
async def manager(tmp_path: Path) -> AsyncGenerator[SessionManager]:
    """A manager with a folder of its own."""
    async with managing(tmp_path / "data") as opened:
        yield opened


def run(command: str, key: str | None = None, timeout: float | None = None) -> Event:
    """A command as a client sends it."""
    return replace(new_event(CmdRunAction(command), timeout=timeout), cloche=None if key is None else {"key": key})


def cell(code: str) -> Event:
    """A cell as a client sends it."""
    return new_event(IPythonRunCellAction(code, include_extra=False))


async def say(session: HostedSession, event: Event) -> str:
    """What a session answers to an action."""
    return getattr((await session.act(event)).body, "content", "").strip()


async def list_events(session: HostedSession) -> list[Event]:
    """All its events."""
    return [event async for event in session.stream.get_events()]


async def until(true: Callable[[], bool | Awaitable[bool]], seconds: float = LIMIT) -> None:
    """Wait for something of which no event tells."""
    with anyio.fail_after(seconds):
        while True:
            found = true()
            if found if isinstance(found, bool) else await found:
                return
            await anyio.sleep(0.01)
