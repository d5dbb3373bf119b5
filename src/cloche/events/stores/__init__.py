"""Where events are stored: in SQLite, or in memory for tests."""

from cloche.events.stores.base import SessionInfo, Span, Store
from cloche.events.stores.memory import MemoryStore
from cloche.events.stores.sqlite import SQLiteStore

__all__ = ["MemoryStore", "SQLiteStore", "SessionInfo", "Span", "Store"]
