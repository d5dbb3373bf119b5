"""How many requests a user may send: a bucket of requests that fills steadily."""

import time
from collections import OrderedDict

BURST_SECONDS = 2.0
"""How many seconds of requests may come at once."""
KEPT = 10_000
"""Users or addresses whose requests are counted; the one that was longest silent is forgotten."""


class RateLimit:
    """Counts the requests of many, each by a name."""

    def __init__(self, per_second: float) -> None:
        self._rate = per_second
        self._size = max(per_second * BURST_SECONDS, 1.0)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """Count a request: the seconds after which it may be served, 0 at once."""
        now = time.monotonic()
        left, since = self._buckets.pop(name, (self._size, now))
        left = min(self._size, left + (now - since) * self._rate) - 1
        self._buckets[name] = (left, now)
        while len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
        return 0.0 if left >= 0 else -left / self._rate

    def give_back(self, name: str) -> None:
        """Take back a request that was refused."""
        left, since = self._buckets.get(name, (self._size, time.monotonic()))
        self._buckets[name] = (left + 1, since)
