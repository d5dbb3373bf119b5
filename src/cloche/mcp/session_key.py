"""The owner of a sandbox."""

from typing import Literal, NamedTuple


class SessionKey(NamedTuple):
    """Whom a sandbox belongs to, and its name among theirs."""

    kind: Literal["process", "connection", "named"]
    user: str
    """The user whose token it is."""
    name: str
    client_user: str = ""
    """Whom a client says it acts for; it may say what it likes, but only below its own user."""
