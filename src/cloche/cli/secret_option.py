"""Reads --secret. Its values are never on the command line itself, which every user of the machine can read."""

import os
import re
from pathlib import Path

import click

from cloche.config.secret import read_headers

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")


def read_secret(text: str) -> tuple[str, dict[str, str]]:
    """The host and the headers of `HOST=Name: value with $VARIABLE` or `HOST=@FILE`."""
    host, equals, header = text.partition("=")
    if not equals or not host:
        raise click.BadParameter("give 'HOST=Name: value with $VARIABLE' in single quotes, or HOST=@FILE")
    if header.startswith("@"):
        lines = _read_file(Path(header[1:]))
    elif _VARIABLE.search(header):
        lines = [_VARIABLE.sub(_read_variable, header)]
    else:
        raise click.BadParameter(
            f"the secret of {host} does not belong on the command line, where others can see it: put it into a "
            f"variable or a file, as in '{host}=Authorization: Bearer $TOKEN' (in single quotes) or {host}=@FILE"
        )
    try:
        return host, read_headers(lines)
    except ValueError as error:
        raise click.BadParameter(f"the secret of {host} {error}") from None


def _read_file(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path} cannot be read: {error}") from None


def _read_variable(match: re.Match[str]) -> str:
    name = match[1] or match[2]
    if not os.environ.get(name):
        raise click.BadParameter(f"the variable {name} is not set here")
    return os.environ[name]
