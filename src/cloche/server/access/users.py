"""The users of a server."""

from typing import Literal

from msgspec import Struct

Scope = Literal["read", "run"]
OWNER = ""
"""The name of the owner, whose token the server prints."""


class User(Struct, frozen=True):
    """Who sends a request. The attributes that frameworks ask for are those of Starlette's users."""

    name: str
    scopes: frozenset[str]

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner of the server, who sees the sessions of all users."""
        return self.name == OWNER

    @property
    def may_run(self) -> bool:
        """Whether it may change anything."""
        return "run" in self.scopes

    @property
    def display_name(self) -> str:
        return self.name

    @property
    def is_authenticated(self) -> bool:
        return True


def make_owner() -> User:
    """The owner, who may do everything."""
    return User(OWNER, frozenset(("read", "run")))
