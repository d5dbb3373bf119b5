"""Sessions: an agent or a user acts, a runtime executes, and everything is recorded."""

from cloche.session.agent_session import AgentSession
from cloche.session.control.states import AgentState
from cloche.session.dispatcher import Dispatcher
from cloche.session.hosting import Client, ForkOrigin, HostedSession, NewSession, SessionManager, SessionView
from cloche.session.status_recorder import StatusRecorder

__all__ = [
    "AgentSession",
    "AgentState",
    "Client",
    "Dispatcher",
    "ForkOrigin",
    "HostedSession",
    "NewSession",
    "SessionManager",
    "SessionView",
    "StatusRecorder",
]
