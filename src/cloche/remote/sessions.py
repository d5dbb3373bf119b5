"""Sessions of a server, as far as a client begins them for a sandbox."""

from typing import Annotated

from msgspec import Meta, Struct

from cloche.limits import MEMORY_LEAST_MB, MEMORY_MOST_MB

Names = Annotated[list[Annotated[str, Meta(max_length=300)]], Meta(max_length=1000)]


class SandboxWish(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Options of a session's sandbox that a client may choose, within what the server allows; None: the server's."""

    languages: Names | None = None
    memory_mb: Annotated[int, Meta(ge=MEMORY_LEAST_MB, le=MEMORY_MOST_MB)] | None = None
    output_limit: Annotated[int, Meta(ge=1)] | None = None
    allow_net: Names | None = None
    auto_install: bool | None = None


class SessionRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session that is begun for its sandbox: a part of what a client may ask for."""

    title: str = ""
    env: dict[str, str] = {}
    sandbox: SandboxWish | None = None


class SessionAnswer(Struct, frozen=True):
    """What a client reads of a session."""

    id: Annotated[str, Meta(pattern="^[A-Za-z0-9_.:-]{1,200}$")]
    runtime: str


class Interrupted(Struct, frozen=True):
    """Whether there was anything to stop."""

    interrupted: bool
