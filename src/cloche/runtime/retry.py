"""Retries what may succeed later: a server that is not up yet, a lost connection."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from cloche.errors import RuntimeUnavailable

T = TypeVar("T")
log = logging.getLogger(__name__)

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


async def retry_within(act: Callable[[], Awaitable[T]], *, within: float, what: str) -> T:
    """The result of `act`; errors of the connection are retried with longer and longer pauses, then raised."""
    begun, pause, tries = time.monotonic(), FIRST_PAUSE, 0
    last: Exception | None = None
    with anyio.move_on_after(within):
        while True:
            tries += 1
            try:
                return await act()
            except (ConnectionError, TimeoutError) as error:
                last = error
                log.info("%s could not be reached (attempt %d): %s", what, tries, error)
            await anyio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
    seconds = time.monotonic() - begun
    why = str(last or "") or "it did not answer"
    raise RuntimeUnavailable(
        f"{what} could not be reached in {seconds:.0f} s, {tries} attempts: {why}. Check that it runs, then try again."
    ) from last
