"""Takes actions from a stream, executes them, and appends exactly one observation for each."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress

import anyio

from cloche.errors import EventError, StoreError, StoreFull, StoreLocked
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
from cloche.limits import STORE_RETRY
from cloche.runtime.base import Runtime, describe_error
from cloche.runtime.codes import BAD_ACTION, DISPATCHER

log = logging.getLogger(__name__)

Judge = Callable[[Event], Awaitable[Observation | None]]
"""Checks an action before it runs; if it returns an observation, that is the answer, and the action does not run."""
_Append = Callable[[Observation, Event], Awaitable[Event]]
LOST = (
    "the process that executed it was ended. How far it came is not known, so it is not executed again: "
    "look at what it has left behind before you send another."
)


class Dispatcher:
    """Serves one stream with one runtime, one action at a time, in the order of the stream."""

    def __init__(self, stream: EventStream, runtime: Runtime, *, judge: Judge | None = None) -> None:
        self._stream = stream
        self._runtime = runtime
        self._judge = judge
        self._serving: set[int | None] = set()
        """The actions that are being executed."""
        self._waiting: list[tuple[Observation, Event]] = []
        self._appending = anyio.Lock()

    async def run(self, after_id: int = -1) -> None:
        """Serve the actions after this event that have no observation yet, until cancelled.

        If a process was killed while it ran an action, the action is answered with an error and not run again.
        """
        # Observations of an earlier run that was cancelled: their actions must not count as lost.
        await self._store_waiting()
        last = await self._stream.get_latest_event_id()
        before = self._stream.get_events(after_id + 1, last)
        answered = {event.cause async for event in before if is_observation(event.body)}
        async with aclosing(self._stream.follow(after_id)) as events:
            async for event in events:
                if event.id not in answered and _needs_answer(event):
                    await self._serve(event, self._append_patiently, old=event.id is not None and event.id <= last)

    async def handle(self, event: Event) -> Event | None:
        """Execute the action of an event and append its observation; None if it needs none or was begun before.

        An observation that cannot be stored, for example on a full disk, is still returned, without an id, and waits:
        `keep_trying` stores it as soon as there is room.
        """
        return await self._serve(event, self._append_or_wait, old=False)

    @property
    def waiting(self) -> list[int]:
        """The executed actions whose observations are not stored yet."""
        return [event.id for _, event in self._waiting if event.id is not None]

    async def append_waiting(self) -> None:
        """Append the waiting observations, oldest first; raises StoreError while that fails."""
        async with self._appending:
            while self._waiting:
                await self._append(*self._waiting[0])
                del self._waiting[0]

    async def keep_trying(self) -> None:
        """Append the waiting observations whenever there is room for them, until cancelled."""
        while True:
            await self._retry(StoreError)

    async def _serve(self, event: Event, append: _Append, *, old: bool) -> Event | None:
        if event.id in self._serving or event.id in self.waiting:
            return None
        observation: Observation | None = _make_error(event, "it was cancelled.")
        answered = None
        self._serving.add(event.id)
        try:
            observation = await self._answer(event)
            if observation is None and old:
                observation = _make_error(event, LOST)
        finally:
            try:
                if observation is not None and not isinstance(observation, NullObservation):
                    answered = await append(observation, event)
            finally:
                self._serving.discard(event.id)
        return answered

    async def _append(self, observation: Observation, to: Event) -> Event:
        source = to.source or "agent"
        answer = new_event(observation, source, answers=to)
        with anyio.CancelScope(shield=True):
            try:
                answer = await self._stream.add_event(answer)
            except EventError as error:
                # It is too large, or not JSON: the action still gets an answer.
                why = f"`{to.kind}` was executed, but its observation cannot be kept: {error}"
                answer = await self._stream.add_event(new_event(ErrorObservation(why, DISPATCHER), source, answers=to))
        return answer

    async def _append_or_wait(self, observation: Observation, to: Event) -> Event:
        try:
            return await self._append(observation, to)
        except StoreError as error:
            where = f"session={self._stream.sid} action={to.id}"
            log.warning("%s was executed, and its observation is not kept yet: %s", where, error)
            self._waiting.append((observation, to))
            return self._stream.mask(new_event(observation, to.source or "agent", answers=to))

    async def _append_patiently(self, observation: Observation, to: Event) -> Event:
        """Append an observation; if there is no room, as soon as there is."""
        answer = await self._append_or_wait(observation, to)
        await self._store_waiting()
        return answer

    async def _store_waiting(self) -> None:
        while self._waiting:
            await self._retry(StoreFull, StoreLocked)

    async def _retry(self, *expected: type[StoreError]) -> None:
        await anyio.sleep(STORE_RETRY)
        with suppress(*expected):
            await self.append_waiting()

    async def _answer(self, event: Event) -> Observation | None:
        """The observation of an action; None if it was claimed before."""
        action = event.body
        if not is_action(action):
            return ErrorObservation(f"`{event.kind}` is not a known action.", BAD_ACTION)
        claimed = True

        async def claim() -> bool:
            nonlocal claimed
            assert event.id is not None, "what is stored has an id"
            claimed = await self._stream.claim(event.id)
            return claimed

        try:
            judged = await self._judge(event) if self._judge is not None else None
            key = f"{self._stream.sid}/{event.id}"
            observation = judged or await self._runtime.execute(action, timeout=event.timeout, key=key, claim=claim)
        except Exception as error:  # a judge is the caller's own function, and every action has an answer
            log.exception("session=%s action=%s failed", self._stream.sid, event.id)
            return ErrorObservation(f"`{action.kind}` failed: {describe_error(error)}", DISPATCHER)
        return observation if claimed else None


def _needs_answer(event: Event) -> bool:
    """Whether an event needs an answer."""
    return is_action(event.body) or (isinstance(event.body, Unknown) and "action" in event.body.raw)


def _make_error(event: Event, why: str) -> ErrorObservation:
    return ErrorObservation(f"`{event.kind}` did not come to its end: {why}", DISPATCHER)
