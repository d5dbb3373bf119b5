"""Executes the actions of a session again, and shows where the observations differ."""

from collections.abc import AsyncGenerator
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from cloche.errors import StoreError
from cloche.events import (
    Action,
    Event,
    EventStream,
    NullObservation,
    Observation,
    RunCodeAction,
    is_action,
    is_observation,
)
from cloche.runtime import Runtime

_VOLATILE = frozenset({"metadata", "diff_cache"})
"""Fields that describe the machine, not what was done."""


class Rerun(Struct, frozen=True):
    """An action with its observation then and now."""

    action: Event
    then: Observation | None
    """None if it was never answered."""
    now: Observation

    @property
    def same(self) -> bool:
        """Whether the result is the same."""
        if self.then is None:
            return isinstance(self.now, NullObservation)
        return describe_difference(self.then) == describe_difference(self.now)


async def rerun_session(stream: EventStream, runtime: Runtime, after_id: int = -1) -> AsyncGenerator[Rerun]:
    """Execute every runnable action of a session in its order, from the one after `after_id` on."""
    # Their ids only: a session may be longer than memory.
    last = await stream.get_latest_event_id()
    answers: dict[int | None, int | None] = {}
    async for event in stream.get_events(after_id + 1, last):
        if is_observation(event.body):
            answers.setdefault(event.cause, event.id)
    async for action in stream.get_events(after_id + 1, last):
        if is_action(action.body) and action.body.runnable:
            then = await _find_observation(answers.get(action.id), stream)
            yield Rerun(action, then, await runtime.execute(_without_caller(action.body), timeout=action.timeout))


def describe_difference(observation: Observation) -> dict[str, object]:
    """The content of an observation, without what may differ between two machines."""
    fields: dict[str, object] = {
        name: getattr(observation, name) for name in observation.__struct_fields__ if name not in _VOLATILE
    }
    return {**fields, "kind": observation.kind, "exit_code": getattr(observation, "exit_code", None)}


def _without_caller(action: Action) -> Action:
    """The action for those who have not the call of the client that it stood for."""
    return replace(action, call="") if isinstance(action, RunCodeAction) else action


async def _find_observation(id: int | None, stream: EventStream) -> Observation | None:
    """The observation of an event, with the whole content if it was too long and still exists."""
    answer = None if id is None else await stream.get_event(id)
    if answer is None or not is_observation(answer.body):
        return None
    with suppress(StoreError, FileNotFoundError):
        return replace(answer.body, content=await stream.read_spilled(answer))
    return answer.body
