"""Sessions: what an agent or a user wants done, done in a runtime and put on record."""

from cloche.session.dispatcher import Dispatcher

__all__ = ["Dispatcher"]
