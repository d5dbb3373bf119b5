"""Executes the actions of a session again, and tells where the observations differ."""

from collections.abc import AsyncGenerator, AsyncIterable

from msgspec import Struct

from cloche.events import Event, Observation, is_action, is_observation
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
        return self.then is not None and told(self.then) == told(self.now)


async def rerun(events: AsyncIterable[Event], runtime: Runtime) -> AsyncGenerator[Rerun]:
    """Execute every runnable action of a session in its order."""
    waiting: dict[int | None, Event] = {}
    order: list[Event] = []
    answers: dict[int | None, Observation] = {}
    async for event in events:
        if is_action(event.body) and event.body.runnable:
            waiting[event.id] = event
            order.append(event)
        elif is_observation(event.body) and event.cause in waiting:
            answers.setdefault(event.cause, event.body)
    for action in order:
        assert is_action(action.body)
        yield Rerun(action, answers.get(action.id), await runtime.execute(action.body, timeout=action.timeout))


def told(observation: Observation) -> dict[str, object]:
    """What an observation says, without what may differ between two machines."""
    fields: dict[str, object] = {
        name: getattr(observation, name) for name in observation.__struct_fields__ if name not in _VOLATILE
    }
    return {**fields, "kind": observation.kind, "exit_code": getattr(observation, "exit_code", None)}
