"""Sessions: what an agent or a user wants done, done in a runtime and put on record."""

from cloche.session.dispatcher import Dispatcher
from cloche.session.statuses import StatusRecorder

__all__ = ["Dispatcher", "StatusRecorder"]
