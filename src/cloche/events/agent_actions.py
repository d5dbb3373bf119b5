"""What an agent thinks, says and decides: actions that no runtime executes."""

from typing import Any, ClassVar

from msgspec import Struct, field

from cloche.events.risk import UNKNOWN_RISK, ActionSecurityRisk


class AgentThinkAction(Struct, frozen=True):
    """Put a thought on record."""

    kind: ClassVar[str] = "think"
    runnable: ClassVar[bool] = False

    thought: str = ""

    @property
    def message(self) -> str:
        return f"I am thinking...: {self.thought}"


class MessageAction(Struct, frozen=True):
    """Say something, as the user or as the agent."""

    kind: ClassVar[str] = "message"
    runnable: ClassVar[bool] = False

    content: str
    file_urls: list[str] | None = None
    image_urls: list[str] | None = None
    wait_for_response: bool = False
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return self.content


class SystemMessageAction(Struct, frozen=True):
    """What the model was told about itself, and the tools it has."""

    kind: ClassVar[str] = "system"
    runnable: ClassVar[bool] = False

    content: str
    tools: list[Any] | None = None
    openhands_version: str | None = None
    agent_class: str | None = None

    @property
    def message(self) -> str:
        return self.content


class AgentFinishAction(Struct, frozen=True):
    """The agent holds its task to be done."""

    kind: ClassVar[str] = "finish"
    runnable: ClassVar[bool] = False

    final_thought: str = ""
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    thought: str = ""

    @property
    def message(self) -> str:
        return self.thought or "All done! What's next on the agenda?"


class AgentRejectAction(Struct, frozen=True):
    """The agent refuses its task."""

    kind: ClassVar[str] = "reject"
    runnable: ClassVar[bool] = False

    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    thought: str = ""

    @property
    def message(self) -> str:
        reason = self.outputs.get("reason")
        return f"Task is rejected by the agent. Reason: {reason}" if reason else "Task is rejected by the agent."


class AgentDelegateAction(Struct, frozen=True):
    """Let another agent do a part."""

    kind: ClassVar[str] = "delegate"
    runnable: ClassVar[bool] = False

    agent: str
    inputs: dict[str, Any] = field(default_factory=dict[str, Any])
    thought: str = ""

    @property
    def message(self) -> str:
        return f"I'm asking {self.agent} for help with this task."


class RecallAction(Struct, frozen=True):
    """Ask the memory for what belongs to a query."""

    kind: ClassVar[str] = "recall"
    runnable: ClassVar[bool] = False

    recall_type: str
    query: str = ""
    thought: str = ""

    @property
    def message(self) -> str:
        return f"Retrieving content for: {self.query[:50]}"


class CondensationAction(Struct, frozen=True):
    """Forget events and keep a summary of them."""

    kind: ClassVar[str] = "condensation"
    runnable: ClassVar[bool] = False

    forgotten_event_ids: list[int] | None = None
    forgotten_events_start_id: int | None = None
    forgotten_events_end_id: int | None = None
    summary: str | None = None
    summary_offset: int | None = None

    @property
    def message(self) -> str:
        if self.summary:
            return f"Summary: {self.summary}"
        ids = self.forgotten_event_ids
        gone = ids if ids is not None else f"{self.forgotten_events_start_id} to {self.forgotten_events_end_id}"
        return f"Condenser is dropping the events: {gone}."


class CondensationRequestAction(Struct, frozen=True):
    """Ask for a condensation."""

    kind: ClassVar[str] = "condensation_request"
    runnable: ClassVar[bool] = False

    @property
    def message(self) -> str:
        return "Requesting a condensation of the conversation history."


class ChangeAgentStateAction(Struct, frozen=True):
    """Tell the agent to run, to wait, to stop."""

    kind: ClassVar[str] = "change_agent_state"
    runnable: ClassVar[bool] = False

    agent_state: str
    thought: str = ""

    @property
    def message(self) -> str:
        return f"Agent state changed to {self.agent_state}"


class TaskTrackingAction(Struct, frozen=True):
    """Look at or change the list of tasks."""

    kind: ClassVar[str] = "task_tracking"
    runnable: ClassVar[bool] = False

    command: str = "view"
    task_list: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    thought: str = ""

    @property
    def message(self) -> str:
        number = len(self.task_list)
        if not number:
            return "Clearing the task list."
        return f"Managing {number} task item{'' if number == 1 else 's'}."


class NullAction(Struct, frozen=True):
    """Nothing to do."""

    kind: ClassVar[str] = "null"
    runnable: ClassVar[bool] = False

    @property
    def message(self) -> str:
        return "No action"


class LoopRecoveryAction(Struct, frozen=True):
    """How to go on after the agent was found to repeat itself."""

    kind: ClassVar[str] = "loop_recovery"
    runnable: ClassVar[bool] = False

    option: int = 1

    @property
    def message(self) -> str:
        return ""
