"""The union of all actions; each is declared in `kinds`, in the file of its family."""

from cloche.events.kinds.a2a import A2AAction
from cloche.events.kinds.browsing import BrowsingAction
from cloche.events.kinds.code import CodeAction
from cloche.events.kinds.command import CommandAction
from cloche.events.kinds.conversation import ConversationAction
from cloche.events.kinds.copying import CopyingAction, UploadingAction
from cloche.events.kinds.environment import EnvironmentAction
from cloche.events.kinds.file import FileAction
from cloche.events.kinds.folder import FolderAction
from cloche.events.kinds.mcp_tool import ToolAction
from cloche.events.kinds.memory import MemoryAction
from cloche.events.kinds.outcome import OutcomeAction
from cloche.events.kinds.planning import PlanningAction
from cloche.events.kinds.sandbox_call import SandboxAction

RunnableAction = (
    CommandAction
    | CodeAction
    | FileAction
    | FolderAction
    | CopyingAction
    | EnvironmentAction
    | SandboxAction
    | BrowsingAction
    | ToolAction
    | A2AAction
)
"""Executed by a runtime: each is a case of `cloche.runtime.mapper`."""

AgentAction = ConversationAction | MemoryAction | PlanningAction | OutcomeAction | UploadingAction
"""Executed by no runtime: each is a case of `cloche.runtime.unexecuted`."""

Action = RunnableAction | AgentAction
