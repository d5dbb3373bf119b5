"""The spares of one template and the callers waiting for them, first come, first served."""

import time
from collections import deque
from collections.abc import Callable
from typing import Literal

import anyio

from cloche.errors import SandboxError
from cloche.sandbox.pool.pooled_sandbox import PooledSandbox
from cloche.sandbox.pool.template import Template
from cloche.sandbox.pool.template_image import TemplateImage

BACKOFF = 0.5
"""Seconds until a template that failed is tried again; doubled with each failure."""

LONGEST_BACKOFF = 30.0

State = Literal["starting", "spare", "tended", "busy", "closing"]


class PoolMember:
    """One sandbox of a pool, from its start to its end."""

    def __init__(self, queue: "TemplateQueue") -> None:
        self.queue = queue
        self.restored = queue.image.saved
        self.box: PooledSandbox = queue.image.make()
        self.state: State = "starting"
        self.rehearsals = 0
        self.born = self.looked = time.monotonic()
        self.handed_out = False
        self.over = anyio.Event()
        """Set when it is not needed any more."""

    def end(self) -> None:
        self.state = "closing"
        self.over.set()


class PoolWaiter:
    """A caller that wants a sandbox."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self.settled = anyio.Event()
        self.member: PoolMember | None = None
        self.error: Exception | None = None

    def refuse(self, error: Exception) -> None:
        self.error = error
        self.settled.set()


class TemplateQueue:
    """All methods are synchronous, so its state is consistent between two awaits."""

    def __init__(self, template: Template, most: int) -> None:
        self.template = template
        self.image = TemplateImage(template)
        self.spares: list[PoolMember] = []
        self.waiters: deque[PoolWaiter] = deque()
        self.coming = 0
        """Sandboxes that will be spares soon: they are starting, or being checked."""
        self.dropped = False
        self.target = 0
        """How many spares it should have."""
        self.most = most if template.shareable else 0
        self.used = time.monotonic()
        self.failure: Exception | None = None
        """Why the last start failed, until one succeeds."""
        self._failures = 0
        self._again = 0.0

    def ask(self) -> PoolWaiter:
        """Queue up; raises at once if the template has just failed for a reason of its own."""
        self.used = time.monotonic()
        if self.failure is not None and self.resting and not isinstance(self.failure, SandboxError):
            raise self.failure
        waiter = PoolWaiter()
        self.waiters.append(waiter)
        self.target = min(self.most, self.target + 1)
        return waiter

    def put(self, member: PoolMember) -> None:
        """Add a sandbox that was never used."""
        member.state = "spare"
        self.spares.append(member)

    def take(self) -> PoolMember | None:
        """The warmest spare that is alive; among equals the oldest."""
        living = [member for member in self.spares if member.box.alive]
        if not living:
            return None
        best = max(living, key=lambda member: member.rehearsals)
        self.spares.remove(best)
        return best

    def discard(self, unfit: Callable[[PoolMember], bool]) -> int:
        """Drop spares; returns how many."""
        found = [member for member in self.spares if unfit(member)]
        for member in found:
            self.spares.remove(member)
            member.end()
        return len(found)

    def give(self) -> None:
        """Hand spares to waiting callers, in their order."""
        while self.waiters and (member := self.take()) is not None:
            waiter = self.waiters.popleft()
            member.state = "busy"
            waiter.member = member
            waiter.settled.set()

    def withdraw(self, waiter: PoolWaiter) -> None:
        """Leave the queue; a sandbox that was assigned meanwhile is still unused, and goes to the next caller."""
        if waiter.member is not None:
            self.put(waiter.member)
        elif waiter in self.waiters:
            self.waiters.remove(waiter)

    def succeeded(self) -> None:
        self.failure, self._failures = None, 0

    def failed(self, error: Exception) -> None:
        """Report the failure to waiting callers, and pause for a while."""
        self.failure = error
        self._again = time.monotonic() + min(BACKOFF * 2**self._failures, LONGEST_BACKOFF)
        self._failures = min(self._failures + 1, 16)
        self.refuse(error)

    def refuse(self, error: Exception) -> None:
        while self.waiters:
            self.waiters.popleft().refuse(error)

    @property
    def resting(self) -> bool:
        """Whether it is too early to try again after a failure."""
        return self.failure is not None and time.monotonic() < self._again

    @property
    def short(self) -> bool:
        """Whether sandboxes are needed faster than they start."""
        return bool(self.waiters) or 2 * len(self.spares) < self.target - 1

    @property
    def lacks_for_waiters(self) -> bool:
        return len(self.waiters) > self.coming and not self.resting

    @property
    def lacks_spares(self) -> bool:
        return len(self.spares) + self.coming < self.target and not self.resting
