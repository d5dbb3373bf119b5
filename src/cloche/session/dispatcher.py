"""Takes actions from a stream, executes them, and appends exactly one observation for each."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

import anyio
from msgspec import structs

from cloche.errors import EventError, SessionError, StoreError, StoreFull, StoreLocked
from cloche.events import (
    Action,
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
from cloche.logs import log_ids
from cloche.runtime.base import Runtime
from cloche.runtime.codes import BAD_ACTION, DISPATCHER
from cloche.runtime.failures import describe_failure
from cloche.runtime.verbs import Claim, Work
from cloche.session.actions_beside import ActionsBeside
from cloche.session.changes.action_diffs import KEY, ActionWatch
from cloche.session.live_output import MaskedOutput, OnLiveOutput

log = logging.getLogger(__name__)

Judge = Callable[[Event], Awaitable[Observation | None]]
"""Checks an action before it runs; if it returns an observation, that is the answer, and the action does not run."""
_Append = Callable[[Observation, Event], Awaitable[Event]]
CLOSED = "the session was closed."
LOST = (
    "the process that executed it was ended. How far it came is not known, so it is not executed again: "
    "look at what it has left behind before you send another."
)


class Dispatcher:
    """Serves one stream with one runtime, one action at a time, in the order of the stream."""

    def __init__(
        self,
        stream: EventStream,
        runtime: Runtime,
        *,
        judge: Judge | None = None,
        on_output: OnLiveOutput | None = None,
        examine: Callable[[Observation], None] | None = None,
        watch: ActionWatch | None = None,
    ) -> None:
        """`on_output` receives what actions print while they run; `examine` sees each observation first.

        `watch` records what actions change.
        """
        self._stream = stream
        self._runtime = runtime
        self._judge = judge
        self._on_output = on_output
        self._examine = examine
        self._watch = watch
        self._changes: dict[int | None, dict[str, Any]] = {}
        """What actions have changed whose observations are not appended yet."""
        self._serving: set[int | None] = set()
        """The actions that are being executed."""
        self._waiting: list[tuple[Observation, Event]] = []
        self._stuck = anyio.Event()
        """Set while there are waiting observations."""
        self._appending = anyio.Lock()
        self._beside = ActionsBeside()

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
                if await self._beside.take(event):
                    continue
                if event.id not in answered and _needs_answer(event):
                    await self._serve(event, self._append_patiently, old=event.id is not None and event.id <= last)

    async def handle(self, event: Event) -> Event | None:
        """Execute the action of an event and append its observation; None if it needs none or was begun before.

        An observation that cannot be stored, for example on a full disk, is still returned, without an id, and waits:
        `keep_trying` stores it as soon as there is room.
        """
        return await self._serve(event, self._append_or_wait, old=False)

    async def perform(self, action: Event, work: Work) -> Event:
        """Append an action, have `work` do it, and append its observation.

        It does not wait for the actions before it. What `work` raises becomes the observation, and is not raised here.
        """
        answer = None
        if not self._beside.is_ended:
            with self._beside.doing():
                event = await self._add_beside(action)
                answer = await self._serve(event, self._append_or_wait, old=False, work=work)
        if answer is None:
            raise SessionError(f"the session {self._stream.sid} was closed: send it again")
        return answer

    async def _add_beside(self, action: Event) -> Event:
        # Shielded: an action that is stored, and not known to be done here, would be executed by `run`.
        with self._beside.adding(), anyio.CancelScope(shield=True):
            event = await self._stream.add_event(action)
            self._beside.leave_alone(event)
            return event
        raise AssertionError("the scope is never cancelled itself")

    async def end(self) -> None:
        """Stop what `perform` does, and wait until it has its observations."""
        await self._beside.end()

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
            await self._stuck.wait()
            await self._retry(StoreError)
            if not self._waiting:
                self._stuck = anyio.Event()

    async def _serve(self, event: Event, append: _Append, *, old: bool, work: Work | None = None) -> Event | None:
        if event.id in self._serving or event.id in self.waiting:
            return None
        observation: Observation | None = None
        answered = None
        self._serving.add(event.id)
        with log_ids(session=self._stream.sid, action=event.id, event=event.id):
            try:
                observation = await self._answer(event, work)
                if observation is None and old:
                    log.warning(
                        "the action %s was begun by a process that is gone: it is not executed again", event.kind
                    )
                    observation = _make_error(event, LOST)
            except anyio.get_cancelled_exc_class():
                observation = _make_error(event, CLOSED if self._beside.is_ended else "it was cancelled.")
                raise
            finally:
                try:
                    if work is not None and self._beside.is_abandoned:
                        log.warning("the action %s came to its end after its session", event.kind)
                    elif observation is not None and not isinstance(observation, NullObservation):
                        answered = await append(observation, event)
                finally:
                    self._serving.discard(event.id)
        return answered

    async def _append(self, observation: Observation, to: Event) -> Event:
        if self._examine is not None:
            self._examine(observation)
        source = to.source or "agent"
        answer = new_event(observation, source, answers=to)
        if (changes := self._changes.pop(to.id, None)) is not None:
            answer = structs.replace(answer, cloche={KEY: changes})
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
            log.warning("the action %s was executed, and its observation is not kept yet: %s", to.kind, error)
            self._waiting.append((observation, to))
            self._stuck.set()
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

    async def _answer(self, event: Event, work: Work | None) -> Observation | None:
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
            observation = judged or await self._watched(event, action, claim, work)
        except Exception as error:  # a judge is the caller's own function, and every action has an answer
            log.exception("the action %s failed %s it was executed", action.kind, "while" if work else "before")
            why = describe_failure(error, debug=self._runtime.config.core.debug)
            return ErrorObservation(f"`{action.kind}` failed: {why}", DISPATCHER)
        return observation if claimed else None

    async def _watched(self, event: Event, action: Action, claim: Claim, work: Work | None) -> Observation:
        """Execute an action, and record what it changes."""
        before = None if self._watch is None else await self._watch.begin(action)
        observation = await self._execute(event, action, claim, work)
        if self._watch is None or before is None or event.id is None or isinstance(observation, NullObservation):
            return observation
        if (changes := await self._watch.end(event.id, before)) is not None:
            self._changes[event.id] = changes
        return observation

    async def _execute(self, event: Event, action: Action, claim: Claim, work: Work | None) -> Observation:
        assert event.id is not None, "what is stored has an id"
        output = None if self._on_output is None else MaskedOutput(self._stream, event.id, self._on_output)
        try:
            if work is not None:
                return await work(output or _ignore) if await claim() else NullObservation()
            key = f"{self._stream.sid}/{event.id}"
            return await self._runtime.execute(action, timeout=event.timeout, key=key, claim=claim, on_output=output)
        finally:
            if output is not None:
                output.flush()


def _ignore(_: str, __: str) -> None:
    """Nobody listens."""


def _needs_answer(event: Event) -> bool:
    """Whether an event needs an answer."""
    return is_action(event.body) or (isinstance(event.body, Unknown) and "action" in event.body.raw)


def _make_error(event: Event, why: str) -> ErrorObservation:
    return ErrorObservation(f"`{event.kind}` did not come to its end: {why}", DISPATCHER)
