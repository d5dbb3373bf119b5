"""Actions that others do for a dispatcher, beside those that it takes from the stream."""

from collections.abc import Generator
from contextlib import contextmanager

import anyio

from cloche.events import Event

END_WAIT = 8.0
"""Seconds that work which is stopped may take to end."""


class ActionsBeside:
    """Knows which actions of a stream its dispatcher has to leave alone, and can stop them."""

    def __init__(self) -> None:
        self._being_added = 0
        self._left_alone: set[int | None] = set()
        """Actions that the dispatcher has still to come past."""
        self._scopes: set[anyio.CancelScope] = set()
        self._changed = anyio.Event()
        self.is_ended = False
        self.is_abandoned = False
        """Whether the session has ended without waiting for what still runs: it must not append anything."""

    @contextmanager
    def doing(self) -> Generator[anyio.CancelScope]:
        """The time in which an action is done; `end` cancels its scope."""
        with anyio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                yield scope
            finally:
                self._scopes.discard(scope)
                self._tell()

    @contextmanager
    def adding(self) -> Generator[None]:
        """The time in which an action is added: its id is not known yet, so the dispatcher waits."""
        self._being_added += 1
        try:
            yield
        finally:
            self._being_added -= 1
            self._tell()

    def leave_alone(self, event: Event) -> None:
        """Note an action that was added."""
        self._left_alone.add(event.id)

    async def take(self, event: Event) -> bool:
        """Whether the dispatcher has to leave this event alone; asked once for each."""
        while self._being_added:
            await self._changed.wait()
        if event.id not in self._left_alone:
            return False
        self._left_alone.discard(event.id)
        return True

    async def end(self) -> None:
        """Stop everything, and wait for its end."""
        self.is_ended = True
        for scope in self._scopes:
            scope.cancel()
        with anyio.move_on_after(END_WAIT, shield=True):
            while self._scopes:
                await self._changed.wait()
        self.is_abandoned = bool(self._scopes)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
