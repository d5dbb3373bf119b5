"""Agents for the tests, which need no model."""

from collections.abc import Sequence

from anyio.lowlevel import checkpoint

from cloche.events import Action, AgentRejectAction, CmdRunAction, Event
from cloche.session.agents import StepState


class Refusing:
    """Refuses whatever it is told."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        await checkpoint()
        return [AgentRejectAction({"reason": "not my job"})]


class Tireless:
    """Does one thing after the other, without an end."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        await checkpoint()
        return [CmdRunAction(f"echo {state.iteration}; sleep 0.2")]
