"""Options that several commands share, and how they become a sandbox."""

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeVar

import click
import msgspec

from cloche.limits import MEMORY_MB, TIMEOUT

F = TypeVar("F", bound=Callable[..., Any])

EX_UNAVAILABLE = 69
EX_TIMEOUT = 124
EX_INTERRUPTED = 130
EX_MEMORY = 137


class Pair(click.ParamType):
    """NAME=VALUE, or NAME alone for the value it has here."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        import os

        name, equals, text = str(value).partition("=")
        if not name.isidentifier():
            self.fail(f"'{value}' is not NAME=VALUE", param, ctx)
        if not equals and name not in os.environ:
            self.fail(f"{name} is not set here: give {name}=VALUE", param, ctx)
        return name, text if equals else os.environ[name]


class Settings(msgspec.Struct, frozen=True):
    """The shared options as given."""

    timeout: float
    mount: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    memory: int
    workspace: str | None
    confinement: str
    json: bool


_OPTIONS = [
    click.option(
        "--timeout", type=float, default=TIMEOUT, show_default=True, metavar="SECONDS", help="Stop the code after this."
    ),
    click.option(
        "-m", "--mount", multiple=True, metavar="DIR[:/mnt/NAME][:ro]", help="Show a folder of this machine in /mnt."
    ),
    click.option("--env", "-e", multiple=True, type=Pair(), help="Set an environment variable."),
    click.option("--memory", type=click.IntRange(64), default=MEMORY_MB, show_default=True, metavar="MB"),
    click.option(
        "-w", "--workspace", type=click.Path(exists=True, file_okay=False), help="Use this folder as /workspace."
    ),
    click.option(
        "--confinement",
        type=click.Choice(["auto", "require", "none"]),
        default="auto",
        show_default=True,
        help="Whether the operating system's layer must hold.",
    ),
    click.option("--json", is_flag=True, help="Print one JSON object instead of the output."),
]


def sandbox_options(command: F) -> F:
    """Add the shared options to a command."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(_OPTIONS), command)
