"""What the events of a session mean for its agent: its conversation, what is still open, whether it is in a loop."""

from cloche.events import (
    Action,
    AgentDelegateAction,
    ChangeAgentStateAction,
    CmdOutputObservation,
    Event,
    LoopDetectionObservation,
    LoopRecoveryAction,
    MessageAction,
    is_action,
    is_observation,
)
from cloche.session.control.history import History, gets_answer
from cloche.session.control.loops import Loop, LoopWatch


class Remembered:
    """Takes events in order."""

    def __init__(self, window: int) -> None:
        self.history = History(window)
        self.pending: set[int | None] = set()
        """Actions of the agent that have no observation yet."""
        self.delegations: dict[int | None, Event] = {}
        """Those of them that are delegations."""
        self.folder = "/workspace"
        """The folder of the session's shell."""
        self._loops = LoopWatch()
        self._loop_start: int | None = None
        """Where the loop began because of which the agent has paused."""

    @property
    def is_in_loop(self) -> bool:
        """Whether the agent has paused because of a loop."""
        return self._loop_start is not None

    def find_loop(self) -> Loop | None:
        """The loop that the agent is in, if it is in one."""
        return self._loops.find_loop()

    def add(self, event: Event) -> None:
        """Take in the next event."""
        body = event.body
        if event.source == "user" and is_action(body):
            self._leave_loop(body)
        self.history.add(event)
        self._loops.add(event)
        if is_observation(body):
            self.pending.discard(event.cause)
            self.delegations.pop(event.cause, None)
            if isinstance(body, CmdOutputObservation) and body.metadata.working_dir:
                self.folder = body.metadata.working_dir
            elif isinstance(body, LoopDetectionObservation):
                loop = self._loops.find_loop()
                self._loop_start = self.history.task_id + 1 if loop is None else loop.start
        elif event.source == "agent" and gets_answer(body):
            self.pending.add(event.id)
            if isinstance(body, AgentDelegateAction):
                self.delegations[event.id] = event

    def _leave_loop(self, said: Action) -> None:
        """Whatever the user says ends a loop; some words take the conversation back to before it."""
        if isinstance(said, LoopRecoveryAction) and said.option == 1 and self._loop_start is not None:
            self.history.forget(self._loop_start)
        if isinstance(said, LoopRecoveryAction | MessageAction | ChangeAgentStateAction):
            self._loop_start = None
