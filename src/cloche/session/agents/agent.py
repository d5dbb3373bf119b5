"""The interface of agents."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from cloche.errors import ConfigError
from cloche.events import Action, Event
from cloche.llm import LLM, Message
from cloche.session.agents.toolset import Toolset


def _ignore(_: str) -> None: ...


class StepState(Struct, kw_only=True):
    """What an agent sees when it is asked for its next step."""

    task: str
    """What the user said last."""
    find_messages: Callable[[], tuple[Message, ...]]
    tools: Toolset
    """What the session can do."""
    model: LLM | None = None
    """The model, which counts what it takes."""
    iteration: int = 0
    """Steps before this one."""
    instructions: str = ""
    """What the repository and the caller want every agent to know."""
    on_text: Callable[[str], None] = _ignore
    """Shows the model's text while it is written."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far, as a model takes it, shortened to its window."""
        return self.find_messages()

    @property
    def llm(self) -> LLM:
        """The model; raises ConfigError if none is configured."""
        if self.model is None:
            raise ConfigError(
                'this agent needs a model, and none is configured: add `[llm] model = "..."` to config.toml'
            )
        return self.model


@runtime_checkable
class Agent(Protocol):
    """Chooses the next actions. A package adds its own under the entry point `cloche.agents`."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        """The next actions, in order; events around them where more is to be said, such as the model's reply.

        It may be cancelled at any time; then nothing of the step counts. An observation instead of an action answers
        at once what cannot be executed.
        """
        ...
