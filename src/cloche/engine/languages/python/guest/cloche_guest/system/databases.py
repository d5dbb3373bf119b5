"""The module dbm, on which shelve is built: keys and values of bytes in a file of SQLite."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any, Literal

_NAME = "dbm.sqlite3"
_MAGIC = b"SQLite format 3\x00"
_TABLE = "CREATE TABLE IF NOT EXISTS Dict (key BLOB UNIQUE NOT NULL, value BLOB NOT NULL)"


class error(OSError):
    """What a database refuses."""


class Database(MutableMapping[bytes, bytes]):
    """An open file."""

    def __init__(self, path: str, *, flag: str, mode: int) -> None:
        if flag == "n":
            Path(path).unlink(missing_ok=True)
        if flag in "rw" and not Path(path).exists():
            raise error(f"db {path!r} does not exist; use flag='c' or 'n' to create a new db")
        self._connection: sqlite3.Connection | None = None
        self._writable = flag != "r"
        made = not Path(path).exists()
        with _as_own_errors():
            self._connection = sqlite3.connect(path, autocommit=True)
            if self._writable:
                self._connection.execute(_TABLE)
        if made:
            os.chmod(path, mode & ~_umask())  # noqa: PTH101 - paths may be of any kind

    def _run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if self._connection is None:
            raise error("DBM object has already been closed")
        with _as_own_errors():
            return self._connection.execute(statement, values)

    def _change(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if not self._writable and self._connection is not None:
            raise error("attempt to write a readonly database")
        return self._run(statement, *values)

    def __len__(self) -> int:
        return int(self._run("SELECT COUNT(*) FROM Dict").fetchone()[0])

    def __getitem__(self, key: Any) -> bytes:
        row = self._run("SELECT value FROM Dict WHERE key = CAST(? AS BLOB)", key).fetchone()
        if row is None:
            raise KeyError(key)
        return bytes(row[0])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._change("REPLACE INTO Dict (key, value) VALUES (CAST(? AS BLOB), CAST(? AS BLOB))", key, value)

    def __delitem__(self, key: Any) -> None:
        if self._change("DELETE FROM Dict WHERE key = CAST(? AS BLOB)", key).rowcount == 0:
            raise KeyError(key)

    def __iter__(self) -> Iterator[bytes]:
        for row in self._run("SELECT key FROM Dict").fetchall():
            yield bytes(row[0])

    def keys(self) -> Any:
        """All keys."""
        return list(self)

    def sync(self) -> None:
        """All is written at once, so there is nothing to do."""

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


@contextlib.contextmanager
def _as_own_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as failure:
        raise error(str(failure)) from failure


def _umask() -> int:
    own = os.umask(0)
    os.umask(own)
    return own


def open(file: Any, flag: Literal["r", "w", "c", "n"] = "r", mode: int = 0o666) -> Database:
    """Open a database: to read or write one, or to create it if it is missing, or in place of an old one."""
    if flag not in ("r", "w", "c", "n"):
        raise ValueError(f"Flag must be one of 'r', 'w', 'c', or 'n', not {flag!r}")
    path = os.fsdecode(file)
    if flag in "rw" and whichdb(path) == "":
        raise error("db type could not be determined")
    return Database(path, flag=flag, mode=mode)


def whichdb(filename: Any) -> str | None:
    """Return the module that opens a file, "" if none does, None if there is no such file."""
    try:
        with Path(os.fsdecode(filename)).open("rb") as file:
            return _NAME if file.read(len(_MAGIC)) == _MAGIC else ""
    except OSError:
        return None


def package_names() -> dict[str, Any]:
    """The names of the package."""
    return {"__path__": [], "open": open, "whichdb": whichdb, "error": (error, OSError)}


def module_names() -> dict[str, Any]:
    """The names of its one module."""
    return {"open": open, "error": error, "whichdb": whichdb}
