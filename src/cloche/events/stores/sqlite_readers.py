"""Connections that read a SQLite store, each used by one thread at a time."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from cloche.events.stores.sqlite_errors import translate_errors
from cloche.events.stores.sqlite_queries import add_functions
from cloche.limits import STORE_LOCK_WAIT, STORE_READERS

Result = TypeVar("Result")


def open_connection(path: Path) -> sqlite3.Connection:
    """A connection with explicit transactions that any thread may use."""
    return sqlite3.connect(path, timeout=STORE_LOCK_WAIT, isolation_level=None, check_same_thread=False)


class ReaderPool:
    """A few connections, kept for the next read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._limiter = CapacityLimiter(STORE_READERS)
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._lock = threading.Lock()

    async def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run a read in a thread."""
        return await to_thread.run_sync(self._run, work, limiter=self._limiter)

    def close(self) -> None:
        """Close the connections that are not in use; the others close after their read."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        with translate_errors(self._path):
            with self._lock:
                db = self._idle.pop() if self._idle else self._open()
            try:
                return work(db)
            finally:
                self._give_back(db)

    def _give_back(self, db: sqlite3.Connection) -> None:
        with self._lock:
            if self._closed:
                db.close()
            else:
                self._idle.append(db)

    def _open(self) -> sqlite3.Connection:
        db = open_connection(self._path)
        try:
            db.execute("PRAGMA query_only = 1")
            add_functions(db)
        except BaseException:
            db.close()
            raise
        return db
