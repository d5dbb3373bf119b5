"""What executes actions outside the sandbox: the tools of MCP servers, and remote agents."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import anyio


class OutsideTools(Protocol):
    """Connections to servers that are configured; one that cannot be reached is reported, the others work."""

    what: str
    """What its servers are called in messages."""
    calls: int
    """How many calls are running."""

    @property
    def failures(self) -> Mapping[str, str]:
        """Why a server cannot be used, by its name."""
        ...

    async def connect(self) -> None:
        """Connect to all servers, each within its time limit."""
        ...

    async def close(self) -> None:
        """Close all connections, within bounds."""
        ...


async def connect_outside(outside: Iterable[OutsideTools]) -> list[str]:
    """Connect to all at once; returns a sentence for each server that cannot be used."""
    async with anyio.create_task_group() as tasks:
        for each in outside:
            tasks.start_soon(each.connect)
    return [
        f"The {each.what} {server} is not connected: {why}" for each in outside for server, why in each.failures.items()
    ]
