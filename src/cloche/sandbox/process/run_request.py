"""Checks code and stdin, and builds the request to run it."""

import base64
from collections.abc import Sequence
from typing import Any

from cloche.errors import ConfigError
from cloche.limits import CODE_LIMIT, STDIN_LIMIT


def build_run_request(
    code: str,
    *,
    stdin: str | bytes | None,
    interactive: bool,
    profile: bool,
    args: Sequence[str] = (),
    file: str | None = None,
    cwd: str | None = None,
    setup: bool = False,
) -> dict[str, Any]:
    if not isinstance(code, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise ConfigError(f"code must be text, not {type(code).__name__}")
    text = code.encode("utf-8", "replace")
    if len(text) > CODE_LIMIT:
        raise ConfigError(
            f"code of {len(text)} bytes is over the limit of {CODE_LIMIT}: write it to a file of the sandbox "
            "and run it there"
        )
    data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    if data is not None and len(data) > STDIN_LIMIT:
        raise ConfigError(
            f"stdin of {len(data)} bytes is over the limit of {STDIN_LIMIT}: write it to a file of the sandbox "
            "and read it there"
        )
    return {
        "code": text.decode("utf-8"),
        "stdin": None if data is None else base64.b64encode(data).decode("ascii"),
        "interactive": interactive,
        "profile": profile,
        **({"args": [_as_utf8(each) for each in args]} if args else {}),
        **({"file": _as_utf8(file)} if file is not None else {}),
        **({"cwd": _as_utf8(cwd)} if cwd is not None else {}),
        **({"mode": "setup"} if setup else {}),
    }


def _as_utf8(value: str) -> str:
    """The text as valid UTF-8: command lines may contain other bytes."""
    return value.encode("utf-8", "replace").decode("utf-8")
