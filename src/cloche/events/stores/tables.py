"""What is asked of the tables of a SQLite store."""

import sqlite3
from collections.abc import Sequence

from cloche.events.filter import EventFilter, data_holds, labels, moment
from cloche.events.stores.base import SessionInfo, Span
from cloche.events.stores.feeds import Mark
from cloche.events.stores.rows import Row, numbered
from cloche.limits import EVENT_PAGE, EVENT_PAGE_BYTES

MOST = 2**63 - 1
"""The largest number that SQLite knows."""

PURGE = 5000
"""Events that are deleted in one transaction."""


def insert(db: sqlite3.Connection, sid: str, rows: Sequence[Row], title: str) -> int:
    """Append rows to a session, which is made if there is none; gives the id of the first."""
    key, first, old = _session(db, sid)
    if title and not old:
        rename(db, sid, title)
    db.executemany(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(key, number, *row[:-1], numbered(row.data, number)) for number, row in enumerate(rows, first)],
    )
    return first


def _session(db: sqlite3.Connection, sid: str) -> tuple[int, int, str]:
    """The key of a session, the id of its next event, its title."""
    # How many events there are is not kept but looked up: a page less to write for each.
    found = db.execute(
        "SELECT key, 1 + (SELECT max(id) FROM events WHERE session = key), title FROM sessions WHERE sid = ?", (sid,)
    ).fetchall()
    if found:
        return found[0]
    key = db.execute("INSERT INTO sessions (sid) VALUES (?)", (sid,)).lastrowid
    assert key is not None, "a row that was inserted has a number"
    return key, 0, ""


def read(db: sqlite3.Connection, sid: str, span: Span) -> list[bytes]:
    """The first events of a span, as JSON."""
    where, values = _conditions(span)
    limit = EVENT_PAGE if span.limit is None else min(span.limit, EVENT_PAGE)
    found: list[bytes] = []
    size = 0
    cursor = db.execute(
        f"SELECT data FROM events WHERE session = (SELECT key FROM sessions WHERE sid = ?) AND {where} "
        f"ORDER BY id {'DESC' if span.reverse else 'ASC'} LIMIT ?",
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
    found = db.execute("SELECT max(id) FROM events WHERE session = (SELECT key FROM sessions WHERE sid = ?)", (sid,))
    last = found.fetchone()[0]
    return -1 if last is None else last


def mark(db: sqlite3.Connection, sid: str) -> Mark:
    """How a session stands."""
    find = "SELECT key, (SELECT max(id) FROM events WHERE session = key) FROM sessions WHERE sid = ?"
    return Mark(*(db.execute(find, (sid,)).fetchone() or (None, None)))


def claim(db: sqlite3.Connection, sid: str, id: int) -> bool:
    """Put an event on the list of those that were taken; False if it is on it."""
    put = "INSERT OR IGNORE INTO claims SELECT key, ? FROM sessions WHERE sid = ?"
    return db.execute(put, (id, sid)).rowcount == 1


def sessions(db: sqlite3.Connection) -> list[SessionInfo]:
    """All sessions, newest first."""
    rows = db.execute(
        "SELECT sid, title, 1 + (SELECT max(id) FROM events WHERE session = key), "
        "(SELECT time FROM events WHERE session = key ORDER BY id LIMIT 1), "
        "(SELECT time FROM events WHERE session = key ORDER BY id DESC LIMIT 1) AS last_time "
        "FROM sessions WHERE sid IS NOT NULL ORDER BY last_time DESC, key DESC"
    )
    return [SessionInfo(*row) for row in rows]


def rename(db: sqlite3.Connection, sid: str, title: str) -> None:
    """Give a session a title."""
    db.execute("UPDATE sessions SET title = ? WHERE sid = ?", (title, sid))


def forget(db: sqlite3.Connection, sid: str) -> None:
    """Take a session out of sight; its events are removed by `purge`."""
    db.execute("UPDATE sessions SET sid = NULL WHERE sid = ?", (sid,))


def purge(db: sqlite3.Connection) -> bool:
    """Remove some events of sessions that were forgotten; whether there are more."""
    gone = "SELECT key FROM sessions WHERE sid IS NULL"
    chosen = f"SELECT rowid FROM events WHERE session IN ({gone}) LIMIT {PURGE}"
    if db.execute(f"DELETE FROM events WHERE rowid IN ({chosen})").rowcount == PURGE:
        return True
    db.execute(f"DELETE FROM claims WHERE session IN ({gone})")
    db.execute("DELETE FROM sessions WHERE sid IS NULL")
    return False


def add_functions(db: sqlite3.Connection) -> None:
    """Let a connection search in events."""
    db.create_function("holds", 2, data_holds, deterministic=True)


def _conditions(span: Span) -> tuple[str, list[object]]:
    terms: list[str] = ["id >= ?"]
    values: list[object] = [min(max(span.start, 0), MOST)]
    if span.end is not None:
        terms.append("id <= ?")
        values.append(min(max(span.end, -1), MOST))
    if span.filter is not None:
        _filter(span.filter, terms, values)
    return " AND ".join(terms), values


def _filter(wanted: EventFilter, terms: list[str], values: list[object]) -> None:
    for types, word in ((wanted.include_types, "IN"), (wanted.exclude_types, "NOT IN")):
        if types is not None:
            names = sorted(labels(types))
            terms.append(f"label {word} ({', '.join('?' * len(names))})")
            values += names
    if wanted.exclude_hidden:
        terms.append("hidden = 0")
    simple = (
        ("source = ?", wanted.source),
        ("time >= ?", moment(wanted.start_date)),
        ("time <= ?", moment(wanted.end_date)),
        # Last: it costs most.
        ("holds(data, ?)", wanted.query.casefold() if wanted.query else None),
    )
    for term, value in simple:
        if value is not None:
            terms.append(term)
            values.append(value)
