"""The default store: one SQLite file for all sessions."""

import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from anyio import CancelScope, to_thread
from msgspec import structs

from cloche.errors import StoreClosed, StoreError
from cloche.events.event import Event
from cloche.events.file_store import FileStore
from cloche.events.stores import sqlite_queries
from cloche.events.stores.feeds import Feed
from cloche.events.stores.sqlite_errors import translate_errors
from cloche.events.stores.sqlite_readers import ReaderPool, open_connection
from cloche.events.stores.sqlite_rows import decode_details, encode_details, event_of, row_of, title_of
from cloche.events.stores.sqlite_schema import prepare_schema
from cloche.events.stores.sqlite_writer import WriterThread
from cloche.events.stores.store import SessionInfo, Span, Store
from cloche.limits import STORE_LOCK_WAIT, STORE_POLL
from cloche.paths.user_dirs import data_dir

CHECKPOINT_PAGES = 4000
"""Pages of the log before it is written into the file: rarely, because that waits for the disk."""

Result = TypeVar("Result")


class SQLiteStore(Store):
    """Events in a SQLite file, by default `events.db` in the user's data folder; large contents are files next to it.

    What was appended survives the end of the process, also by SIGKILL; the last moments before a power cut may be lost.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = data_dir() / "events.db" if path is None else Path(path)
        super().__init__(FileStore(self.path.parent / "files"))
        self._writer: WriterThread | None = None
        self._readers: ReaderPool | None = None

    async def open(self) -> None:
        """Open the file; creates or upgrades it if necessary."""
        await super().open()
        if self._writer is None:
            db = await to_thread.run_sync(_open_database, self.path)
            if self._writer is not None:
                # Another task has opened it meanwhile.
                await to_thread.run_sync(db.close)
                return
            self._readers = ReaderPool(self.path)
            self._writer = WriterThread(db, self.path, self._hub)
            self._writer.start()

    async def close(self) -> None:
        """End all followers, finish pending writes, close the file."""
        await super().close()
        writer, readers = self._writer, self._readers
        self._writer = self._readers = None
        # Also when cancelled: both threads end when their current work is done.
        with CancelScope(shield=True):
            if readers is not None:
                await to_thread.run_sync(readers.close)
            if writer is not None:
                await writer.close()

    async def append(self, sid: str, events: Sequence[Event]) -> list[Event]:
        if not events:
            return []
        rows = [row_of(event) for event in events]
        title = title_of(events)
        added: list[Event] = []

        def publish(first: int) -> None:
            added.extend(structs.replace(event, id=number) for number, event in enumerate(events, first))
            self._hub.publish(sid, added)

        await self._write(partial(sqlite_queries.insert_rows, sid=sid, rows=rows, title=title), publish)
        return added

    async def read(self, sid: str, span: Span) -> list[Event]:
        return await self._read(lambda db: [event_of(data) for data in sqlite_queries.read_rows(db, sid, span)])

    async def last_id(self, sid: str) -> int:
        return await self._read(partial(sqlite_queries.last_id, sid=sid))

    async def claim(self, sid: str, id: int) -> bool:
        return await self._write(partial(sqlite_queries.claim_action, sid=sid, id=id))

    async def create(self, sid: str, details: Mapping[str, Any]) -> bool:
        return await self._write(partial(sqlite_queries.create_session, sid=sid, details=encode_details(details)))

    async def copy(self, sid: str, to: str, *, end: int, details: Mapping[str, Any]) -> bool:
        text = encode_details(details)
        return await self._write(partial(sqlite_queries.copy_session, sid=sid, to=to, end=end, details=text))

    async def update_details(self, sid: str, changes: Mapping[str, Any]) -> None:
        # Encoded here, so that what is no JSON is refused before it reaches the writer.
        known = decode_details(encode_details(changes))
        await self._write(partial(sqlite_queries.change_details, sid=sid, changes=known))

    async def session(self, sid: str) -> SessionInfo | None:
        found = await self._read(lambda db: sqlite_queries.list_sessions(db, [("sid = ?", (sid,))], 1))
        return found[0] if found else None

    async def sessions(
        self, details: Mapping[str, str | None] | None = None, *, search: str = "", limit: int = -1, offset: int = 0
    ) -> list[SessionInfo]:
        terms = sqlite_queries.session_conditions(details or {}, search)
        return await self._read(lambda db: sqlite_queries.list_sessions(db, terms, limit, offset))

    async def rename(self, sid: str, title: str) -> None:
        await self._write(partial(sqlite_queries.rename_session, sid=sid, title=title))

    async def delete(self, sid: str) -> None:
        await self._write(partial(sqlite_queries.forget_session, sid=sid), lambda _: self._hub.end(sid))
        while await self._write(sqlite_queries.purge_events):
            pass

    def feed(self, sid: str) -> Feed:
        feed = super().feed(sid)
        if self._writer is not None:
            self._writer.wake()
        return feed

    async def _write(
        self, work: Callable[[sqlite3.Connection], Result], then: Callable[[Result], None] | None = None
    ) -> Result:
        if self._writer is None:
            raise self._not_open()
        return await self._writer.write(work, then)

    async def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        if self._readers is None:
            raise self._not_open()
        return await self._readers.run(work)

    def _not_open(self) -> StoreClosed:
        return StoreClosed(f"The store {self.path} is not open. Use it as `async with SQLiteStore(...) as store`.")


def _open_database(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = not path.exists()
    except OSError as error:
        raise StoreError(f"The folder of {path} could not be made: {error}. Name another file.") from error
    with translate_errors(path):
        db = open_connection(path)
        try:
            # The tables first: a file that is not ours stays unchanged.
            prepare_schema(db, path)
            if new:
                # For its user only, like the files that SQLite puts beside it. By name: closing a handle of our own
                # would release the locks of SQLite.
                path.chmod(0o600)
            if _use_log(db) != "wal":
                raise StoreError(
                    f"{path} lies on a file system without a write-ahead log. Name a file on a local disk."
                )
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        except BaseException:
            db.close()
            raise
    return db


def _use_log(db: sqlite3.Connection) -> str:
    """Turn the write-ahead log on; SQLite does not wait if another process is doing the same."""
    deadline = time.monotonic() + STORE_LOCK_WAIT
    while True:
        try:
            return db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(STORE_POLL)
