"""An agent that does what it was given, step by step."""

from collections.abc import Iterable, Iterator, Sequence

from anyio.lowlevel import checkpoint

from cloche.events import Action, AgentFinishAction, Event
from cloche.session.agents.agent import StepState


class ScriptedAgent:
    """Takes the given steps one after another, an action or several each, and finishes."""

    def __init__(self, steps: Iterable[Action | Sequence[Action | Event]] = ()) -> None:
        self._steps: Iterator[Action | Sequence[Action | Event]] = iter(steps)

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        await checkpoint()
        for step in self._steps:
            return step if isinstance(step, Sequence) else [step]
        return [AgentFinishAction("The script has ended.")]
