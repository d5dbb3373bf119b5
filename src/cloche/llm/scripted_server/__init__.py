"""A server that answers like a model's, from a script: for tests and examples."""

from cloche.llm.scripted_server.server import ScriptedServer
from cloche.llm.scripted_server.turns import ReceivedRequest, ServerTurn

__all__ = ["ReceivedRequest", "ScriptedServer", "ServerTurn"]
