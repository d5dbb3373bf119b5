"""What an agent recalls and forgets; no runtime executes these."""

from typing import Any, ClassVar

from msgspec import Struct, field

__all__ = [
    "AgentCondensationObservation",
    "CondensationAction",
    "CondensationRequestAction",
    "RecallAction",
    "RecallObservation",
]


class RecallAction(Struct, frozen=True):
    """Ask the memory for what is related to a query."""

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


class RecallObservation(Struct, frozen=True):
    """What the memory found."""

    kind: ClassVar[str] = "recall"

    content: str
    recall_type: str = "workspace_context"
    repo_name: str = ""
    repo_directory: str = ""
    repo_branch: str = ""
    repo_instructions: str = ""
    runtime_hosts: dict[str, int] = field(default_factory=dict[str, int])
    additional_agent_instructions: str = ""
    date: str = ""
    custom_secrets_descriptions: dict[str, str] = field(default_factory=dict[str, str])
    conversation_instructions: str = ""
    working_dir: str = ""
    microagent_knowledge: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def message(self) -> str:
        return "Added workspace context" if self.recall_type == "workspace_context" else "Added microagent knowledge"


class AgentCondensationObservation(Struct, frozen=True):
    """The summary of the forgotten events."""

    kind: ClassVar[str] = "condense"

    content: str

    @property
    def message(self) -> str:
        return self.content


MemoryAction = RecallAction | CondensationAction | CondensationRequestAction
MemoryObservation = RecallObservation | AgentCondensationObservation
