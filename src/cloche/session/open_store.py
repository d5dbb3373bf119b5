"""Opens the session store that the configuration names."""

from cloche.config import AppConfig
from cloche.events import MemoryStore, SQLiteStore, Store

FILE = "events.db"


def open_configured_store(config: AppConfig) -> Store:
    """Where sessions are kept; not yet open."""
    return MemoryStore() if config.core.file_store == "memory" else SQLiteStore(config.core.store_folder / FILE)
