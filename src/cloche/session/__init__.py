"""Sessions: actions of an agent or a user, executed in a runtime and recorded."""

from cloche.session.dispatcher import Dispatcher
from cloche.session.status_recorder import StatusRecorder

__all__ = ["Dispatcher", "StatusRecorder"]
