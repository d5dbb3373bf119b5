"""What an agent and its user say, and how the agent's work starts and ends; no runtime executes these."""

from typing import Any, ClassVar

from msgspec import Struct, field

from cloche.events.risk import UNKNOWN_RISK, ActionSecurityRisk

__all__ = [
    "AgentDelegateAction",
    "AgentDelegateObservation",
    "AgentFinishAction",
    "AgentRejectAction",
    "AgentStateChangedObservation",
    "AgentThinkAction",
    "AgentThinkObservation",
    "ChangeAgentStateAction",
    "MessageAction",
    "SystemMessageAction",
]


class AgentThinkAction(Struct, frozen=True):
    """Record a thought."""

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
    """The system prompt of the model, and its tools."""

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
    """The agent considers its task done."""

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
    """Let another agent do part of the work."""

    kind: ClassVar[str] = "delegate"
    runnable: ClassVar[bool] = False

    agent: str
    inputs: dict[str, Any] = field(default_factory=dict[str, Any])
    thought: str = ""

    @property
    def message(self) -> str:
        return f"I'm asking {self.agent} for help with this task."


class ChangeAgentStateAction(Struct, frozen=True):
    """Tell the agent to run, wait or stop."""

    kind: ClassVar[str] = "change_agent_state"
    runnable: ClassVar[bool] = False

    agent_state: str
    thought: str = ""

    @property
    def message(self) -> str:
        return f"Agent state changed to {self.agent_state}"


class AgentThinkObservation(Struct, frozen=True):
    """A thought was recorded."""

    kind: ClassVar[str] = "think"

    content: str

    @property
    def message(self) -> str:
        return self.content


class AgentDelegateObservation(Struct, frozen=True):
    """The result of the other agent."""

    kind: ClassVar[str] = "delegate"

    content: str
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def message(self) -> str:
        return ""


class AgentStateChangedObservation(Struct, frozen=True):
    """The agent runs, waits or has stopped."""

    kind: ClassVar[str] = "agent_state_changed"

    content: str
    agent_state: str = ""
    reason: str = ""

    @property
    def message(self) -> str:
        return ""


ConversationAction = (
    AgentThinkAction
    | MessageAction
    | SystemMessageAction
    | AgentFinishAction
    | AgentRejectAction
    | AgentDelegateAction
    | ChangeAgentStateAction
)
ConversationObservation = AgentThinkObservation | AgentDelegateObservation | AgentStateChangedObservation
