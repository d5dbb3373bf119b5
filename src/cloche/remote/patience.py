"""How long a server that was lost is waited for."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from cloche.errors import ServerUnavailable
from cloche.limits import CALL_RECONNECT
from cloche.remote.connection import ConnectionCut

T = TypeVar("T")
log = logging.getLogger(__name__)

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0


class Patience:
    """Pauses between attempts, longer and longer, until it is over."""

    def __init__(self, place: str, seconds: float = CALL_RECONNECT) -> None:
        self._place = place
        self._seconds = seconds
        self._since: float | None = None
        self._pause = FIRST_PAUSE

    def renew(self) -> None:
        """The server has said something."""
        self._since, self._pause = None, FIRST_PAUSE

    async def wait(self, error: ConnectionCut, doubt: str = "") -> None:
        """Wait before the next attempt; raises ServerUnavailable when it is over. `doubt` is what is not known then."""
        now = anyio.current_time()
        since = self._since = self._since if self._since is not None else now
        pause = max(self._pause, error.retry_after or 0)
        if now + pause - since > self._seconds:
            raise ServerUnavailable(
                f"{self._place} could not be reached for {now - since:.0f} s: {str(error).rstrip('.')}. Check the "
                f"address, and that `cloche serve` runs there.{doubt}"
            ) from error
        log.info("%s was lost, trying again: %s", self._place, error)
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
        await anyio.sleep(pause)


async def insist(
    act: Callable[[], Awaitable[T]], place: str, seconds: float = CALL_RECONNECT, *, repeats: bool = True
) -> T:
    """The result of a request; without `repeats`, it is not sent again if the server may have received it."""
    patience = Patience(place, seconds)
    while True:
        try:
            return await act()
        except ConnectionCut as error:
            if error.arrived and not repeats:
                raise ServerUnavailable(f"{place} was lost before it answered: {error}. Try again") from error
            await patience.wait(error)
