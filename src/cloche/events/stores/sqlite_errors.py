"""Turns errors of SQLite into helpful ones."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from cloche.errors import EventError, StoreClosed, StoreDamaged, StoreError, StoreFull, StoreLocked
from cloche.limits import STORE_LOCK_WAIT

_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_TRUNCATE")


@contextmanager
def translate_errors(path: Path) -> Generator[None]:
    """Raise errors of SQLite as errors of the store in `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain_error(error, path) from error
    except EventError as error:
        raise StoreDamaged(f"{path} is damaged: {error}") from error


def explain_error(error: sqlite3.Error, path: Path) -> StoreError:
    """The error of a store for an error of SQLite."""
    # Errors that the module itself raises, about closed connections, have no code.
    name: str = getattr(error, "sqlite_errorname", "")
    if isinstance(error, sqlite3.ProgrammingError) and not name:
        return StoreClosed(f"The events in {path} cannot be used: the store is closed.")
    if name in _FULL:
        return StoreFull(f"Events could not be written to {path}: {error}. Make room on the disk and try again.")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreLocked(
            f"Events could not be written to {path}: another process has kept it locked for {STORE_LOCK_WAIT:g} s. "
            "End that process, or name another file for the events."
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")):
        return StoreDamaged(
            f"{path} is damaged, or no database: {error}. Move it away to begin a new one; "
            "`sqlite3 FILE .recover` may save what it holds."
        )
    return StoreError(f"The events in {path} could not be used: {error}. Check the folder, its rights and the disk.")
