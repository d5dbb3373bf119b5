"""Where a server is, and with which token."""

from typing import Self
from urllib.parse import parse_qs, urlsplit, urlunsplit

from msgspec import Struct

from cloche.config.secret import Secret, mask_address
from cloche.errors import ConfigError

FORM = "give the address that `cloche serve` prints, such as http://127.0.0.1:8484"
LOCAL = ("localhost", "127.0.0.1", "::1")


class ServerAddress(Struct, frozen=True):
    """The address of a server, without a slash at its end, and what logs in there."""

    url: str
    token: Secret | None
    is_local: bool
    """Whether it is on this machine, which no proxy can reach."""

    @classmethod
    def read(cls, url: str, token: str | Secret | None = None) -> Self:
        """The address from what a user gives; a token may be in it, as in the address for browsers."""
        try:
            parts = urlsplit(url.strip())
            host, _ = parts.hostname, parts.port
        except (ValueError, AttributeError) as error:
            raise ConfigError(f"{mask_address(str(url))!r} is no address of a server: {FORM}") from error
        if parts.scheme not in ("http", "https") or not host:
            raise ConfigError(f"{mask_address(url)!r} is no address of a server: {FORM}")
        if parts.username is not None or parts.password is not None:
            raise ConfigError(f"{mask_address(url)!r} has a user in it: {FORM}, and the token as token=")
        found = parse_qs(parts.query).get("token", [])
        known = _read_token(token if token is not None else found[0] if found else None)
        plain = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        return cls(plain, known, host in LOCAL)


def _read_token(token: str | Secret | None) -> Secret | None:
    if token is None:
        return None
    text = (token.reveal() if isinstance(token, Secret) else token).strip()
    if not text or not text.isascii() or not text.isprintable():
        raise ConfigError("the token is empty, or has characters that no token has: give the one that was printed")
    return Secret(text)
