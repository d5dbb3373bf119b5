"""How code ended, and what it showed, as the engine reports it."""

from typing import Any, Literal

import msgspec


class CodeFailure(msgspec.Struct, frozen=True):
    """Why the code failed, in the user's own lines."""

    type: str
    message: str
    line: int | None = None
    column: int | None = None
    traceback: str = ""


class Outcome(msgspec.Struct, frozen=True, rename="camel"):
    """How a run ended."""

    value: str | None = None
    error: CodeFailure | None = None
    exit_code: int = 0
    profile: dict[str, Any] | None = None
    cwd: str | None = None
    data: str | None = None
    """The value as JSON, if it is plain data."""


class Display(msgspec.Struct, frozen=True, rename="camel"):
    """A rich output: `data` maps MIME types to content, as in Jupyter."""

    kind: Literal["display", "update", "result"]
    data: dict[str, Any]
    metadata: dict[str, Any] = {}
    display_id: str | None = None
