"""Takes actions from a stream, has them executed, and puts exactly one observation each back."""

import logging
from collections.abc import Awaitable, Callable

import anyio

from cloche.events import (
    ErrorObservation,
    Event,
    EventStream,
    NullObservation,
    Observation,
    Unknown,
    is_action,
    is_observation,
    new_event,
)
from cloche.runtime.base import Runtime, describe

log = logging.getLogger(__name__)

Judge = Callable[[Event], Awaitable[Observation | None]]
"""Looks at an action before it runs; an observation that it gives is the answer, and the action does not run."""
FAILED = "AGENT_ERROR$DISPATCHER"
UNKNOWN = "AGENT_ERROR$BAD_ACTION"


class Dispatcher:
    """Serves one stream with one runtime, one action at a time, in the order of the stream."""

    def __init__(self, stream: EventStream, runtime: Runtime, *, judge: Judge | None = None) -> None:
        self._stream = stream
        self._runtime = runtime
        self._judge = judge

    async def run(self, after_id: int = -1) -> None:
        """Serve the actions that come after this event and have no observation yet, until cancelled."""
        answered = {event.cause async for event in self._stream.get_events(after_id + 1) if is_observation(event.body)}
        async for event in self._stream.follow(after_id):
            if event.id in answered:
                continue
            if is_action(event.body) or (isinstance(event.body, Unknown) and "action" in event.body.raw):
                await self.handle(event)

    async def handle(self, event: Event) -> Event | None:
        """Execute the action of an event and append its observation; None if it wants none."""
        observation: Observation = ErrorObservation(
            f"`{event.kind}` did not come to its end: it was cancelled.", FAILED
        )
        answered = None
        try:
            observation = await self._answer(event)
        finally:
            if not isinstance(observation, NullObservation):
                with anyio.CancelScope(shield=True):
                    answered = await self._stream.add_event(
                        new_event(observation, event.source or "agent", answers=event)
                    )
        return answered

    async def _answer(self, event: Event) -> Observation:
        action = event.body
        if not is_action(action):
            return ErrorObservation(f"`{event.kind}` is no action that is known here.", UNKNOWN)
        try:
            judged = await self._judge(event) if self._judge is not None else None
            if judged is not None:
                return judged
            key = f"{self._stream.sid}/{event.id}"
            return await self._runtime.execute(action, timeout=event.timeout, key=key)
        except Exception as error:
            log.exception("session=%s action=%s failed", self._stream.sid, event.id)
            return ErrorObservation(f"`{action.kind}` failed: {describe(error)}", FAILED)
