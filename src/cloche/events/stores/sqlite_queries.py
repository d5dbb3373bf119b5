"""The queries on the tables of a SQLite store."""

import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Any

from cloche.events.codec import encode_event
from cloche.events.filter import EventFilter, json_contains, list_labels, parse_moment
from cloche.events.spill import SPILLED, move_spilled
from cloche.events.stores.feeds import FeedMark
from cloche.events.stores.sqlite_rows import (
    EventRow,
    decode_details,
    encode_details,
    event_of,
    merge_details,
    number_event,
)
from cloche.events.stores.store import SessionInfo, Span
from cloche.limits import EVENT_PAGE, EVENT_PAGE_BYTES

ROOM = 2**32
"""The most events of a session. One number, the place, combines session and id: one index less to write."""

PURGE = 5000
"""Events that are deleted in one transaction."""

_ITS_EVENTS = f"FROM events WHERE place BETWEEN key * {ROOM} AND key * {ROOM} + {ROOM - 1}"
_LAST = f"(SELECT place % {ROOM} {_ITS_EVENTS} ORDER BY place DESC LIMIT 1)"


def insert_rows(db: sqlite3.Connection, sid: str, rows: Sequence[EventRow], title: str) -> int:
    """Append rows to a session, which is created if necessary; returns the id of the first."""
    key, first, old = _find_session(db, sid)
    if title and not old:
        rename_session(db, sid, title)
    db.executemany(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)",
        [(key * ROOM + number, *row[:-1], number_event(row.data, number)) for number, row in enumerate(rows, first)],
    )
    return first


def _find_session(db: sqlite3.Connection, sid: str) -> tuple[int, int, str]:
    """The key of a session, the id of its next event, its title."""
    # The number of events is looked up, not stored: one page less to write for each event.
    found = db.execute(f"SELECT key, COALESCE(1 + {_LAST}, 0), title FROM sessions WHERE sid = ?", (sid,)).fetchall()
    if found:
        return found[0]
    key = db.execute("INSERT INTO sessions (sid, created) VALUES (?, ?)", (sid, time.time())).lastrowid
    assert key is not None, "a row that was inserted has a number"
    return key, 0, ""


def read_rows(db: sqlite3.Connection, sid: str, span: Span) -> list[bytes]:
    """The first events of a range, as JSON."""
    where, values = _build_conditions(span)
    limit = EVENT_PAGE if span.limit is None else min(span.limit, EVENT_PAGE)
    found: list[bytes] = []
    size = 0
    cursor = db.execute(
        f"SELECT data FROM sessions, events WHERE sid = ? AND {where} "
        f"ORDER BY place {'DESC' if span.reverse else 'ASC'} LIMIT ?",
        (sid, *values, limit),
    )
    for (data,) in cursor:
        found.append(data)
        size += len(data)
        if size > EVENT_PAGE_BYTES:
            break
    cursor.close()
    return found


def last_id(db: sqlite3.Connection, sid: str) -> int:
    """The id of the newest event of a session, or -1."""
    last = read_feed_mark(db, sid).last
    return -1 if last is None else last


def read_feed_mark(db: sqlite3.Connection, sid: str) -> FeedMark:
    """The key of a session and the id of its last event."""
    found = db.execute(f"SELECT key, {_LAST} FROM sessions WHERE sid = ?", (sid,)).fetchone()
    return FeedMark(*(found or (None, None)))


def claim_action(db: sqlite3.Connection, sid: str, id: int) -> bool:
    """Add an event to the claimed ones; False if it was claimed before."""
    put = "INSERT OR IGNORE INTO claims SELECT key, ? FROM sessions WHERE sid = ?"
    return db.execute(put, (id, sid)).rowcount == 1


def create_session(db: sqlite3.Connection, sid: str, details: str) -> bool:
    """Add a session; False if it exists."""
    put = "INSERT OR IGNORE INTO sessions (sid, created, details) VALUES (?, ?, ?)"
    return db.execute(put, (sid, time.time(), details)).rowcount == 1


def copy_session(db: sqlite3.Connection, sid: str, to: str, end: int, details: str) -> bool:
    """Add a session with the events of another one up to `end`; False if it exists."""
    if not create_session(db, to, details):
        return False
    (key, title), (new, _) = (
        db.execute("SELECT key, title FROM sessions WHERE sid = ?", (each,)).fetchone() or (0, "") for each in (sid, to)
    )
    rename_session(db, to, title)
    copied = "SELECT place + ?, label, source, time, hidden, data FROM events WHERE place BETWEEN ? AND ?"
    last = key * ROOM + min(max(end, -1), ROOM - 1)
    db.execute(f"INSERT INTO events {copied}", ((new - key) * ROOM, key * ROOM, last))
    db.execute("INSERT INTO claims SELECT ?, id FROM claims WHERE session = ? AND id <= ?", (new, key, end))
    _move_spilled(db, new, to)
    return True


def _move_spilled(db: sqlite3.Connection, key: int, sid: str) -> None:
    """Have the events of a copy name its own files."""
    long = "place BETWEEN ? AND ? AND instr(data, CAST(? AS BLOB))"
    span = key * ROOM, key * ROOM + ROOM - 1
    found = db.execute(f"SELECT place, data FROM events WHERE {long}", (*span, SPILLED)).fetchall()
    moved = [(encode_event(move_spilled(event_of(data), sid)), place) for place, data in found]
    db.executemany("UPDATE events SET data = ? WHERE place = ?", moved)


def change_details(db: sqlite3.Connection, sid: str, changes: Mapping[str, Any]) -> None:
    """Set keys of a session's details, or remove those that are None."""
    found = db.execute("SELECT details FROM sessions WHERE sid = ?", (sid,)).fetchone()
    if found:
        data = encode_details(merge_details(decode_details(found[0]), changes))
        db.execute("UPDATE sessions SET details = ? WHERE sid = ?", (data, sid))


Terms = Sequence[tuple[str, Sequence[object]]]
"""Conditions with their values."""


def list_sessions(db: sqlite3.Connection, terms: Terms, limit: int = -1, offset: int = 0) -> list[SessionInfo]:
    """The sessions that meet these conditions, newest first."""
    # Their other figures are found for those that are wanted, not for all.
    newest = f"COALESCE((SELECT time {_ITS_EVENTS} ORDER BY place DESC LIMIT 1), created) AS last_time"
    which = " AND ".join(["sid IS NOT NULL", *(term for term, _ in terms)])
    rows = db.execute(
        f"SELECT sid, title, COALESCE(1 + {_LAST}, 0), created, details, "
        f"(SELECT time {_ITS_EVENTS} ORDER BY place LIMIT 1), last_time FROM "
        f"(SELECT *, {newest} FROM sessions WHERE {which} ORDER BY last_time DESC, key DESC LIMIT ? OFFSET ?)",
        (*(value for _, values in terms for value in values), limit, offset),
    )
    return [_session_of(*row) for row in rows]


def session_conditions(details: Mapping[str, str | None], search: str) -> Terms:
    """Conditions for sessions with these details, and with a text in their id or title."""
    # Of details that are damaged none is there, as for those who read them.
    sound = "CASE WHEN json_valid(details) THEN details END"
    terms = [(f"json_extract({sound}, ?) IS ?", (f'$."{name}"', value)) for name, value in details.items()]
    return [*terms, ("(holds_text(sid, ?) OR holds_text(title, ?))", (search.casefold(),) * 2)] if search else terms


def _session_of(
    sid: str, title: str, events: int, created: float, details: str, first: float | None, last: float
) -> SessionInfo:
    """A row as a session; one of an older version does not say when it was created."""
    first = created if first is None else first
    return SessionInfo(sid, title, events, first, last, created or first, decode_details(details))


def rename_session(db: sqlite3.Connection, sid: str, title: str) -> None:
    """Give a session a title."""
    db.execute("UPDATE sessions SET title = ? WHERE sid = ?", (title, sid))


def forget_session(db: sqlite3.Connection, sid: str) -> None:
    """Hide a session; `purge_events` deletes its events."""
    db.execute("UPDATE sessions SET sid = NULL WHERE sid = ?", (sid,))


def purge_events(db: sqlite3.Connection) -> bool:
    """Delete some events of forgotten sessions; returns whether there are more."""
    for (key,) in db.execute("SELECT key FROM sessions WHERE sid IS NULL").fetchall():
        chosen = f"SELECT place FROM events WHERE place BETWEEN ? AND ? LIMIT {PURGE}"
        span = key * ROOM, key * ROOM + ROOM - 1
        if db.execute(f"DELETE FROM events WHERE place IN ({chosen})", span).rowcount == PURGE:
            return True
        db.execute("DELETE FROM claims WHERE session = ?", (key,))
    db.execute("DELETE FROM sessions WHERE sid IS NULL")
    return False


def add_functions(db: sqlite3.Connection) -> None:
    """Add the search functions to a connection."""
    db.create_function("holds", 2, json_contains, deterministic=True)
    db.create_function("holds_text", 2, _holds_text, deterministic=True)


def _holds_text(text: str, folded: str) -> bool:
    return folded in text.casefold()


def _build_conditions(span: Span) -> tuple[str, list[object]]:
    last = ROOM - 1
    terms: list[str] = [f"place BETWEEN key * {ROOM} + ? AND key * {ROOM} + ?"]
    values: list[object] = [min(max(span.start, 0), last), last if span.end is None else min(max(span.end, -1), last)]
    if span.filter is not None:
        _add_filter(span.filter, terms, values)
    return " AND ".join(terms), values


def _add_filter(wanted: EventFilter, terms: list[str], values: list[object]) -> None:
    for types, word in ((wanted.include_types, "IN"), (wanted.exclude_types, "NOT IN")):
        if types is not None:
            names = sorted(list_labels(types))
            terms.append(f"label {word} ({', '.join('?' * len(names))})")
            values += names
    if wanted.exclude_hidden:
        terms.append("hidden = 0")
    simple = (
        ("source = ?", wanted.source),
        ("time >= ?", parse_moment(wanted.start_date)),
        ("time <= ?", parse_moment(wanted.end_date)),
        # Last, because it costs most.
        ("holds(data, ?)", wanted.query.casefold() if wanted.query else None),
    )
    for term, value in simple:
        if value is not None:
            terms.append(term)
            values.append(value)
