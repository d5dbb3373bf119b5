"""Makes the calls of a sandbox take turns."""

from types import TracebackType

import anyio

from cloche.sandbox.owner_check import OwnerCheck


class CallTurn:
    """Held while a call runs, so that calls take turns; checks first that the caller owns the sandbox."""

    def __init__(self, owner: OwnerCheck) -> None:
        self._owner = owner
        self._free = anyio.Semaphore(1, fast_acquire=True)

    async def __aenter__(self) -> None:
        self._owner.check()
        await self._free.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._free.release()
