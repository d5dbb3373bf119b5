"""Where events are stored: in SQLite, or in memory for tests."""

from cloche.events.stores.memory import MemoryStore
from cloche.events.stores.sqlite import SQLiteStore
from cloche.events.stores.store import SessionInfo, Span, Store

__all__ = ["MemoryStore", "SQLiteStore", "SessionInfo", "Span", "Store"]
