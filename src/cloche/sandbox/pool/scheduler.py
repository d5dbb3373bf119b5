"""The sandboxes of a pool, and which start next: for waiting callers, the oldest first, then as spares."""

import time
from collections import Counter
from collections.abc import Hashable, Iterable

from cloche.limits import POOL_AGE, POOL_IDLE, POOL_TEMPLATES
from cloche.sandbox.pool.template import Template
from cloche.sandbox.pool.template_queue import PoolMember, TemplateQueue


class PoolScheduler:
    """Decides without waiting, as its queues do."""

    def __init__(self, template: Template, *, size: int, most: int, starts: int) -> None:
        self._size = size
        self._most = most
        self._starts = starts
        self.members: set[PoolMember] = set()
        self.dropped: list[TemplateQueue] = []
        """Queues whose files must be removed."""
        self.own_queue = self._add(template)
        self.own_queue.target = self.own_queue.most
        self._queues: dict[Hashable, TemplateQueue] = {template.key: self.own_queue}

    @property
    def queues(self) -> Iterable[TemplateQueue]:
        return self._queues.values()

    @property
    def states(self) -> Counter[str]:
        return Counter(member.state for member in self.members)

    def queue(self, template: Template) -> TemplateQueue:
        """The queue of a template, now the most recently used one."""
        queue = self._queues.pop(template.key, None) or self._add(template)
        self._queues[template.key] = queue
        if len(self._queues) > POOL_TEMPLATES:
            self._drop_oldest()
        return queue

    def _add(self, template: Template) -> TemplateQueue:
        # A wrong option is reported to the caller who passed it.
        template.make()
        return TemplateQueue(template, self._size)

    def _drop_oldest(self) -> None:
        for key, queue in self._queues.items():
            if queue is not self.own_queue and not queue.waiters:
                queue.dropped = True
                self.dropped.append(queue)
                queue.discard(lambda _: True)
                del self._queues[key]
                return

    def next_start(self) -> PoolMember | None:
        """A member to start now, if one is needed and there is a processor and a place for it."""
        # One more fills the gaps that a start leaves, at the cost of what runs meanwhile.
        hurry = any(queue.short for queue in self.queues)
        if self.states["starting"] >= self._starts + hurry:
            return None
        wanting = [queue for queue in self.queues if queue.lacks_for_waiters]
        full = len(self.members) >= self._most
        if wanting:
            queue = min(wanting, key=lambda queue: queue.waiters[0].since)
            if full:
                self._make_room(queue)
        else:
            lacking = [queue for queue in self.queues if queue.lacks_spares]
            queue = lacking[-1] if lacking else None
        if queue is None or full:
            return None
        member = PoolMember(queue)
        self.members.add(member)
        queue.coming += 1
        return member

    def _make_room(self, wanting: TemplateQueue) -> None:
        """Drop a spare of the least recently used template; its place is free when it is closed."""
        if self.states["closing"]:
            return
        for queue in self.queues:
            if queue is not wanting and queue.spares:
                queue.spares.pop(0).end()
                return

    def look(self) -> int:
        """Drop spares that died, became old or are not asked for; returns how many were unfit."""
        now = time.monotonic()
        for queue in self.queues:
            if queue is not self.own_queue and not queue.waiters and now - queue.used > POOL_IDLE:
                queue.target = 0
                queue.discard(lambda _: True)
        return sum(
            queue.discard(lambda member: not member.box.alive or now - member.born > POOL_AGE) for queue in self.queues
        )

    def next_to_rehearse(self, rehearsals: int, seconds: float) -> PoolMember | None:
        """Take the spare that most needs maintenance out of its queue, unless something more important is to do."""
        if self.states["starting"] or any(queue.waiters for queue in self.queues):
            return None
        now = time.monotonic()
        spares = [member for queue in self.queues for member in queue.spares]
        due = [member for member in spares if member.rehearsals < rehearsals or now - member.looked > seconds]
        if not due:
            return None
        member = min(due, key=lambda member: member.rehearsals)
        member.queue.spares.remove(member)
        member.queue.coming += 1
        member.state = "tended"
        return member
