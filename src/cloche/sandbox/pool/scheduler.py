"""The sandboxes of a pool, and which start next: for waiting callers, the oldest first, then as spares."""

import time
from collections import Counter
from collections.abc import Hashable, Iterable

from cloche.sandbox.pool.template import Template
from cloche.sandbox.pool.template_queue import Member, Shelf

TEMPLATES = 8
"""Templates whose spares are kept; of more, the one that was not used longest is dropped."""

AGE_LIMIT = 3600.0
"""Seconds after which a spare is replaced."""

IDLE_LIMIT = 300.0
"""Seconds without a hand-out after which a template beside the pool's own keeps no spares."""


class Roster:
    """All synchronous, like its shelves."""

    def __init__(self, template: Template, *, size: int, most: int, starts: int) -> None:
        self._size = size
        self._most = most
        self._starts = starts
        self.members: set[Member] = set()
        self.dropped: list[Shelf] = []
        """Shelves whose files are to be removed."""
        self.own = self._add(template)
        self.own.target = self.own.most
        self._shelves: dict[Hashable, Shelf] = {template.key: self.own}

    @property
    def shelves(self) -> Iterable[Shelf]:
        return self._shelves.values()

    @property
    def states(self) -> Counter[str]:
        return Counter(member.state for member in self.members)

    def shelf(self, template: Template) -> Shelf:
        """The shelf of a template, now the most recently used one."""
        shelf = self._shelves.pop(template.key, None) or self._add(template)
        self._shelves[template.key] = shelf
        if len(self._shelves) > TEMPLATES:
            self._drop_oldest()
        return shelf

    def _add(self, template: Template) -> Shelf:
        # An option that is wrong is named to whoever gave it.
        template.make()
        return Shelf(template, self._size)

    def _drop_oldest(self) -> None:
        for key, shelf in self._shelves.items():
            if shelf is not self.own and not shelf.waiters:
                shelf.dropped = True
                self.dropped.append(shelf)
                shelf.discard(lambda _: True)
                del self._shelves[key]
                return

    def next_start(self) -> Member | None:
        """A member to be started now, if there is a need, a processor and a place."""
        # One more fills the gaps that a start leaves, at the cost of what runs meanwhile.
        hurry = any(shelf.short for shelf in self.shelves)
        if self.states["starting"] >= self._starts + hurry:
            return None
        wanting = [shelf for shelf in self.shelves if shelf.lacks_for_waiters]
        full = len(self.members) >= self._most
        if wanting:
            shelf = min(wanting, key=lambda shelf: shelf.waiters[0].since)
            if full:
                self._make_room(shelf)
        else:
            lacking = [shelf for shelf in self.shelves if shelf.lacks_spares]
            shelf = lacking[-1] if lacking else None
        if shelf is None or full:
            return None
        member = Member(shelf)
        self.members.add(member)
        shelf.coming += 1
        return member

    def _make_room(self, wanting: Shelf) -> None:
        """Give up a spare of the template that was used longest ago; its place is free when it is closed."""
        if self.states["closing"]:
            return
        for shelf in self.shelves:
            if shelf is not wanting and shelf.spares:
                shelf.spares.pop(0).end()
                return

    def look(self) -> int:
        """Throw away spares that died or grew old, and those that nobody asks for; says how many were unfit."""
        now = time.monotonic()
        for shelf in self.shelves:
            if shelf is not self.own and not shelf.waiters and now - shelf.used > IDLE_LIMIT:
                shelf.target = 0
                shelf.discard(lambda _: True)
        return sum(
            shelf.discard(lambda member: not member.box.alive or now - member.born > AGE_LIMIT)
            for shelf in self.shelves
        )

    def next_to_tend(self, rehearsals: int, seconds: float) -> Member | None:
        """Takes the spare that needs it most off its shelf, unless there is something more important to do."""
        if self.states["starting"] or any(shelf.waiters for shelf in self.shelves):
            return None
        now = time.monotonic()
        spares = [member for shelf in self.shelves for member in shelf.spares]
        due = [member for member in spares if member.rehearsals < rehearsals or now - member.looked > seconds]
        if not due:
            return None
        member = min(due, key=lambda member: member.rehearsals)
        member.shelf.spares.remove(member)
        member.shelf.coming += 1
        member.state = "tended"
        return member
