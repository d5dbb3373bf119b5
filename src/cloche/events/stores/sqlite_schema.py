"""The tables of a SQLite store, and how older files are upgraded."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from msgspec import structs

from cloche.errors import EventError, StoreDamaged, StoreTooNew
from cloche.events.stores.sqlite_queries import ROOM, insert_rows
from cloche.events.stores.sqlite_rows import event_of, row_of, title_of

VERSION = 4
"""The schema of this version, kept in the file as `user_version`."""

APPLICATION = 0x434C4F43
"""Marks a file as ours: CLOC, kept as `application_id`."""

SESSIONS = """CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    sid TEXT UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL DEFAULT 0,
    details TEXT NOT NULL DEFAULT '{}'
)"""
"""A session without a sid is being deleted; one of an older version was created at 0."""

EVENTS = """CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    label TEXT NOT NULL,
    source TEXT,
    time REAL NOT NULL,
    hidden INTEGER NOT NULL,
    data BLOB NOT NULL
)"""
"""`data` is the event in wire format; the columns repeat parts of it. The place combines session and id."""


def prepare_schema(db: sqlite3.Connection, path: Path) -> None:
    """Create the tables, or upgrade those of an older version, in one transaction."""
    # One transaction for all of it: another process may be creating the tables.
    db.execute("BEGIN")
    version = _read_version(db, path)
    db.execute("COMMIT")
    if version == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it meanwhile.
        for step in range(_read_version(db, path), VERSION):
            STEPS[step](db)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except EventError as error:
        raise StoreDamaged(
            f"{path} could not be brought up to date: {error} Move it away to begin a new one."
        ) from error
    finally:
        if db.in_transaction:
            db.rollback()


def _read_version(db: sqlite3.Connection, path: Path) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    owner: int = db.execute("PRAGMA application_id").fetchone()[0]
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if owner != APPLICATION and (owner or version or tables - {"events", "sqlite_sequence"}):
        raise StoreDamaged(f"{path} is a database of another program. Name another file for the events.")
    if version > VERSION:
        raise StoreTooNew(
            f"{path} was written by a newer Cloche (schema {version}, this one knows {VERSION}). "
            "Update Cloche, or name another file for the events."
        )
    return version


def _from_plain(db: sqlite3.Connection) -> None:
    """Version 0 had no version number: one table, `events (sid, id, event)`, or none in a new file."""
    old = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone()
    if old:
        db.execute("ALTER TABLE events RENAME TO old_events")
    db.execute(SESSIONS)
    db.execute(EVENTS)
    if not old:
        return
    for sid, data in db.execute("SELECT sid, event FROM old_events ORDER BY sid, id"):
        event = event_of(data)
        insert_rows(db, sid, [row_of(structs.replace(event, id=None))], title_of([event]))
    db.execute("DROP TABLE old_events")


def _with_claims(db: sqlite3.Connection) -> None:
    """Version 1 did not record which actions were claimed."""
    db.execute("CREATE TABLE claims (session INTEGER, id INTEGER, PRIMARY KEY (session, id)) WITHOUT ROWID")


def _with_places(db: sqlite3.Connection) -> None:
    """Version 2 found events by an index over session and id."""
    columns = {name for (_, name, *_) in db.execute("PRAGMA table_info(events)")}
    if "place" in columns:
        return
    db.execute("ALTER TABLE events RENAME TO old_events")
    db.execute(EVENTS)
    db.execute(
        f"INSERT INTO events SELECT session * {ROOM} + id, label, source, time, hidden, data "
        "FROM old_events ORDER BY session, id"
    )
    db.execute("DROP TABLE old_events")


def _with_details(db: sqlite3.Connection) -> None:
    """Version 3 kept nothing of a session but its title."""
    columns = {name for (_, name, *_) in db.execute("PRAGMA table_info(sessions)")}
    if "details" not in columns:
        db.execute("ALTER TABLE sessions ADD COLUMN created REAL NOT NULL DEFAULT 0")
        db.execute("ALTER TABLE sessions ADD COLUMN details TEXT NOT NULL DEFAULT '{}'")


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_from_plain, _with_claims, _with_places, _with_details)
"""Step N upgrades a file from version N to the next; the first one writes events in today's form."""
