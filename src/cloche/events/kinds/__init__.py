"""The kinds of actions and observations: a file for each family, each action beside its observation."""

from cloche.events.kinds import (
    a2a,
    browsing,
    code,
    command,
    conversation,
    copying,
    environment,
    file,
    folder,
    mcp_tool,
    memory,
    outcome,
    planning,
    sandbox_call,
)
from cloche.events.kinds.a2a import *
from cloche.events.kinds.browsing import *
from cloche.events.kinds.code import *
from cloche.events.kinds.command import *
from cloche.events.kinds.conversation import *
from cloche.events.kinds.copying import *
from cloche.events.kinds.environment import *
from cloche.events.kinds.file import *
from cloche.events.kinds.folder import *
from cloche.events.kinds.mcp_tool import *
from cloche.events.kinds.memory import *
from cloche.events.kinds.outcome import *
from cloche.events.kinds.planning import *
from cloche.events.kinds.sandbox_call import *

__all__: list[str] = []
__all__ += a2a.__all__
__all__ += browsing.__all__
__all__ += code.__all__
__all__ += command.__all__
__all__ += conversation.__all__
__all__ += copying.__all__
__all__ += environment.__all__
__all__ += file.__all__
__all__ += folder.__all__
__all__ += mcp_tool.__all__
__all__ += memory.__all__
__all__ += outcome.__all__
__all__ += planning.__all__
__all__ += sandbox_call.__all__
