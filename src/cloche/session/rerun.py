"""Executes the actions of a session again, and tells where the observations differ."""

from collections.abc import AsyncGenerator
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from cloche.errors import StoreError
from cloche.events import Event, EventStream, NullObservation, Observation, is_action, is_observation
from cloche.runtime import Runtime

_VOLATILE = frozenset({"metadata", "diff_cache"})
"""Fields that tell of the machine rather than of what was done."""


class Rerun(Struct, frozen=True):
    """An action, what came of it then, and what comes of it now."""

    action: Event
    then: Observation | None
    """None if it was never answered."""
    now: Observation

    @property
    def same(self) -> bool:
        """Whether it came to the same."""
        if self.then is None:
            return isinstance(self.now, NullObservation)
        return told(self.then) == told(self.now)


async def rerun(stream: EventStream, runtime: Runtime, after_id: int = -1) -> AsyncGenerator[Rerun]:
    """Execute every runnable action of a session in its order, from the one after `after_id` on."""
    answers: dict[int | None, Event] = {}
    actions: list[Event] = []
    async for event in stream.get_events(after_id + 1):
        if is_action(event.body) and event.body.runnable:
            actions.append(event)
        elif is_observation(event.body):
            answers.setdefault(event.cause, event)
    for action in actions:
        assert is_action(action.body)
        then = await _whole(answers.get(action.id), stream)
        yield Rerun(action, then, await runtime.execute(action.body, timeout=action.timeout))


def told(observation: Observation) -> dict[str, object]:
    """What an observation says, without what may differ between two machines."""
    fields: dict[str, object] = {
        name: getattr(observation, name) for name in observation.__struct_fields__ if name not in _VOLATILE
    }
    return {**fields, "kind": observation.kind, "exit_code": getattr(observation, "exit_code", None)}


async def _whole(answer: Event | None, stream: EventStream) -> Observation | None:
    """The observation, with all of a content that was too long for its event, if it is still there."""
    if answer is None or not is_observation(answer.body):
        return None
    with suppress(StoreError, FileNotFoundError):
        return replace(answer.body, content=await stream.read_spilled(answer))
    return answer.body
