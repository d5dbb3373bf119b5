"""A runtime that follows a script."""

from collections.abc import Awaitable, Callable

from cloche.events import Action, Observation, SuccessObservation
from cloche.runtime import Runtime, RuntimeStatus


class Scripted(Runtime):
    """Refuses a number of connections, and does what `act` does."""

    refusals = 0
    attached = 0
    detached = 0
    act: Callable[[Action], Awaitable[Observation]] | None = None
    reach: Callable[[], Awaitable[None]] | None = None

    async def attach(self) -> None:
        if self.refusals:
            self.refusals -= 1
            raise ConnectionRefusedError("nobody listens")
        if self.reach is not None:
            await self.reach()
        self.attached += 1

    async def perform(self, action: Action, *, timeout: float, key: str) -> Observation:
        return await self.act(action) if self.act else SuccessObservation(action.kind)

    async def detach(self) -> None:
        self.detached += 1


def told() -> tuple[list[tuple[str, str]], Callable[[str, RuntimeStatus, str], None]]:
    """What was heard, and a callback that hears it."""
    heard: list[tuple[str, str]] = []
    return heard, lambda level, status, _: heard.append((level, str(status)))
