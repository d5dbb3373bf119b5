"""When a request to a model is made again."""

import logging
import random
from collections.abc import Callable

from msgspec import Struct

from cloche.errors import LLMError
from cloche.limits import LLM_FIRST_PAUSE, LLM_LONGEST_PAUSE, LLM_RETRY_TOTAL

log = logging.getLogger(__name__)


class Retry(Struct, frozen=True):
    """A request that failed and will be made again."""

    attempt: int
    """The attempt that failed, from 1."""
    attempts: int
    """How many there may be."""
    pause: float
    """Seconds until the next."""
    error: LLMError
    """Why it failed."""


class RetryPlan:
    """Counts the attempts of one request and chooses the pauses between them."""

    def __init__(self, num_retries: int, on_retry: Callable[[Retry], None] | None) -> None:
        self._left = num_retries
        self._attempts = num_retries + 1
        self._waited = 0.0
        self._on_retry = on_retry

    def next_pause(self, error: LLMError) -> float:
        """Seconds to wait before the next attempt; raises the error if there will be none."""
        attempt = self._attempts - self._left
        pause = _choose_pause(error, attempt)
        if not error.passing or self._left <= 0 or self._waited + pause > LLM_RETRY_TOTAL:
            raise error if attempt == 1 else _with_count(error, attempt)
        self._left -= 1
        self._waited += pause
        log.info("the model is asked again in %.1f s (attempt %d failed): %s", pause, attempt, error)
        if self._on_retry is not None:
            self._on_retry(Retry(attempt, self._attempts, pause, error))
        return pause


def _choose_pause(error: LLMError, attempt: int) -> float:
    if error.retry_after is not None:
        return error.retry_after
    longest = min(LLM_FIRST_PAUSE * 2.0 ** min(attempt - 1, 30), LLM_LONGEST_PAUSE)
    # Not all clients that failed together should come back together.
    return longest * random.uniform(0.5, 1.0)


def _with_count(error: LLMError, attempts: int) -> LLMError:
    error.args = (f"{error} ({attempts} attempts)",)
    return error
