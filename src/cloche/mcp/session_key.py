"""The owner of a sandbox."""

from typing import Literal, NamedTuple


class SessionKey(NamedTuple):
    """The owner of a sandbox, and its name among those of the owner."""

    kind: Literal["process", "connection", "named"]
    user: str
    """The user that the token belongs to."""
    name: str
    client_user: str = ""
    """The user that a client says it acts for; not checked, but it only separates sandboxes of the same `user`."""
