"""The tokens of users, in a file of the server's folder; only their hashes are kept."""

import contextlib
import hashlib
import os
import re
import secrets
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from cloche.errors import ConfigError
from cloche.server.access.users import User

FILE = "tokens.json"
PREFIX = "clt_"
"""Tokens begin with it, so that tools that look for secrets know them."""
NAME = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
"""The names of users."""


class StoredToken(Struct, frozen=True):
    """What is kept of a token."""

    name: str
    hash: str
    """SHA-256: a token has 256 random bits, so that nothing slower is needed."""
    scopes: tuple[str, ...]
    created: float


class TokenFile:
    """Creates, lists, revokes and finds the tokens of users; several processes may do so at once."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._known: dict[str, StoredToken] = {}
        self._state: object = None

    def create(self, name: str, scopes: Sequence[str] = ("read", "run")) -> str:
        """A new token, which is not kept and cannot be shown again."""
        if not re.fullmatch(NAME, name):
            raise ConfigError(
                f"{name!r} is no name of a user: give up to 64 letters, digits and `. _ @ -`, such as ada"
            )
        token = PREFIX + secrets.token_urlsafe(32)
        with self._change() as known:
            if any(each.name == name for each in known.values()):
                raise ConfigError(f"{name} has a token: revoke it first (`cloche token revoke {name}`)")
            stored = StoredToken(name, hash_token(token), tuple(scopes), time.time())
            known[stored.hash] = stored
        return token

    def revoke(self, name: str) -> bool:
        """Make a user's token invalid; False if the user has none."""
        with self._change() as known:
            found = [key for key, each in known.items() if each.name == name]
            for key in found:
                del known[key]
        return bool(found)

    def list_tokens(self) -> list[StoredToken]:
        """All tokens, by name."""
        return sorted(self._load().values(), key=lambda each: each.name)

    def find(self, token: str) -> User | None:
        """The user of a token, as the file is now."""
        found = self._load().get(hash_token(token))
        return None if found is None else User(found.name, frozenset(found.scopes))

    def _load(self) -> dict[str, StoredToken]:
        """The tokens by hash; read again only if the file has changed."""
        try:
            now = self.path.stat()
        except FileNotFoundError:
            self._known, self._state = {}, None
            return self._known
        state = (now.st_mtime_ns, now.st_size, now.st_ino)
        if state != self._state:
            self._known, self._state = self._read(), state
        return self._known

    def _read(self) -> dict[str, StoredToken]:
        try:
            listed = msgspec.json.decode(self.path.read_bytes(), type=list[StoredToken])
        except (msgspec.DecodeError, OSError) as error:
            raise ConfigError(
                f"{self.path} could not be read: {error}. Mend it or remove it; tokens are lost"
            ) from error
        return {each.hash: each for each in listed}

    @contextlib.contextmanager
    def _change(self) -> Generator[dict[str, StoredToken]]:
        """The tokens by hash, which are written at the end of the block unless it raises."""
        import fcntl  # noqa: PLC0415 - there is none on Windows

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            known = self._read() if self.path.exists() else {}
            yield known
            self._write(list(known.values()))
        finally:
            os.close(lock)

    def _write(self, listed: list[StoredToken]) -> None:
        fresh = self.path.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(listed)))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)


def hash_token(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
