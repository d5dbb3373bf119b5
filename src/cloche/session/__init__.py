"""Sessions: actions of an agent or a user, executed in a runtime and recorded."""

from cloche.session.dispatcher import Dispatcher
from cloche.session.statuses import StatusRecorder

__all__ = ["Dispatcher", "StatusRecorder"]
