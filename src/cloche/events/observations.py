"""The union of all observations; each is declared in `kinds`, beside its action."""

from cloche.events.kinds.a2a import A2AObservation
from cloche.events.kinds.browsing import BrowsingObservation
from cloche.events.kinds.code import CodeObservation
from cloche.events.kinds.command import CommandObservation
from cloche.events.kinds.conversation import ConversationObservation
from cloche.events.kinds.copying import CopyingObservation
from cloche.events.kinds.file import FileObservation
from cloche.events.kinds.folder import FolderObservation
from cloche.events.kinds.mcp_tool import ToolObservation
from cloche.events.kinds.memory import MemoryObservation
from cloche.events.kinds.outcome import OutcomeObservation
from cloche.events.kinds.planning import PlanningObservation
from cloche.events.kinds.sandbox_call import SandboxObservation

Observation = (
    CommandObservation
    | CodeObservation
    | FileObservation
    | FolderObservation
    | CopyingObservation
    | SandboxObservation
    | BrowsingObservation
    | ToolObservation
    | A2AObservation
    | ConversationObservation
    | MemoryObservation
    | PlanningObservation
    | OutcomeObservation
)
