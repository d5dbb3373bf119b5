"""Options that several commands share, and how they become a sandbox."""

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from cloche.limits import MEMORY_MB, TIMEOUT

if TYPE_CHECKING:
    from cloche.sandbox.mounts import Mount
    from cloche.sandbox.probe import Confinement

F = TypeVar("F", bound=Callable[..., Any])


class Pair(click.ParamType):
    """NAME=VALUE, or NAME alone for the value it has here."""

    name = "NAME[=VALUE]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        import os

        name, equals, text = str(value).partition("=")
        if not name.isidentifier():
            self.fail(f"'{value}' is not NAME=VALUE", param, ctx)
        if not equals and name not in os.environ:
            self.fail(f"{name} is not set here: give {name}=VALUE", param, ctx)
        return name, text if equals else os.environ[name]


class Folder(click.ParamType):
    """A mount as `parse_mount` reads it."""

    name = "DIR[:/mnt/NAME][:ro]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Mount":
        from cloche.errors import ConfigError
        from cloche.sandbox.mounts import parse_mount

        try:
            return parse_mount(str(value))
        except ConfigError as error:
            self.fail(str(error), param, ctx)


class Seconds(click.ParamType):
    """A time to wait; 0 is no limit."""

    name = "SECONDS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"'{value}' is not a number of seconds", param, ctx)
        if not seconds >= 0:
            self.fail(f"{value} is below 0: give seconds, or 0 for no limit", param, ctx)
        return 0.0 if seconds == float("inf") else seconds


class Settings(NamedTuple):
    """The shared options as given."""

    timeout: float
    mount: "tuple[Mount, ...]"
    env: tuple[tuple[str, str], ...]
    memory: int
    workspace: str | None
    confinement: "Confinement"
    as_json: bool


_OPTIONS = [
    click.option(
        "-t", "--timeout", type=Seconds(), default=TIMEOUT, show_default=True, help="Stop the code after this; 0: never."
    ),
    click.option("-m", "--mount", multiple=True, type=Folder(), help="Show a folder of this machine below /mnt."),
    click.option("-e", "--env", multiple=True, type=Pair(), help="Set an environment variable."),
    click.option(
        "--memory",
        type=click.IntRange(64, 4096),
        default=MEMORY_MB,
        show_default=True,
        metavar="MB",
        help="What Python may allocate.",
    ),
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
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the output."),
]


def sandbox_options(command: F) -> F:
    """Add the shared options to a command."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(_OPTIONS), command)
