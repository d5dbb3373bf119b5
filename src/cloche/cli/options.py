"""Options shared by several commands, and how they become a sandbox."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from cloche.limits import MEMORY_MB, TIMEOUT

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cloche.sandbox.confinement.probe import Confinement
    from cloche.sandbox.files.mounts import Mount

F = TypeVar("F", bound=Callable[..., Any])


def complete_language(_: click.Context, __: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """The languages whose names begin so."""
    from click.shell_completion import CompletionItem

    from cloche.sandbox.languages import languages

    return [CompletionItem(name) for name in languages() if name.startswith(incomplete)]


def read_env(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """NAME=VALUE, or NAME alone for the value it has here."""
    import os

    pairs: list[tuple[str, str]] = []
    for each in value:
        name, equals, text = each.partition("=")
        if not name.isidentifier():
            raise click.BadParameter(f"'{each}' is not NAME=VALUE")
        if not equals and name not in os.environ:
            raise click.BadParameter(f"{name} is not set here: give {name}=VALUE")
        pairs.append((name, text if equals else os.environ[name]))
    return tuple(pairs)


def _read_mounts(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> "tuple[Mount, ...]":
    from cloche.errors import ConfigError
    from cloche.sandbox.files.mounts import parse_mount

    try:
        return tuple(parse_mount(each) for each in value)
    except ConfigError as error:
        raise click.BadParameter(str(error)) from None


def _read_timeout(_: click.Context, __: click.Parameter, value: float) -> float:
    # Written so that it holds for NaN too.
    if not value >= 0:
        raise click.BadParameter(f"{value:g} is below 0: give seconds, or 0 for no limit")
    return 0.0 if value == float("inf") else value


def read_hosts(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """HOST[:PORT], checked."""
    if value:
        from cloche.errors import ConfigError
        from cloche.sandbox.network.policy import Policy

        try:
            Policy(value)
        except ConfigError as error:
            raise click.BadParameter(str(error).replace("allow_net=", "", 1)) from None
    return value


def read_secrets(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> tuple[tuple[str, dict[str, str]], ...]:
    """HOST='NAME: $VAR' or HOST=@FILE, with the values that the variables and files hold."""
    if not value:
        return ()
    from cloche.cli.secret_option import read_secret

    return tuple(read_secret(each) for each in value)


class RunSettings(NamedTuple):
    """The shared options as given."""

    timeout: float
    mount: "tuple[Mount, ...]"
    env: tuple[tuple[str, str], ...]
    memory: int
    workspace: str | None
    confinement: "Confinement"
    as_json: bool
    packages: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    auto_install: bool | None = None
    allow_net: tuple[str, ...] = ()
    secret: tuple[tuple[str, dict[str, str]], ...] = ()
    diff: "IO[str] | None" = None


_OPTIONS = [
    click.option(
        "-m",
        "--mount",
        multiple=True,
        metavar="DIR[:/mnt/NAME][:ro]",
        callback=_read_mounts,
        help="Show a folder of this machine in the sandbox, below /mnt.",
    ),
    click.option(
        "-e",
        "--env",
        multiple=True,
        metavar="NAME[=VALUE]",
        callback=read_env,
        help="Set an environment variable.",
    ),
    click.option(
        "--memory",
        type=click.IntRange(64, 4096),
        default=MEMORY_MB,
        show_default=True,
        metavar="MB",
        help="How much memory Python may allocate.",
    ),
    click.option(
        "-w", "--workspace", type=click.Path(exists=True, file_okay=False), help="Use this folder as /workspace."
    ),
    click.option(
        "--allow-net",
        multiple=True,
        metavar="HOST[:PORT]",
        callback=read_hosts,
        help="Let the code reach this host by HTTP; by default it reaches none.",
    ),
    click.option(
        "--secret",
        multiple=True,
        metavar="HOST='NAME: $VAR'",
        callback=read_secrets,
        help="Add a header to requests to HOST; the code never sees it. From a variable, or from a file: HOST=@FILE.",
    ),
    click.option(
        "--confinement",
        type=click.Choice(["auto", "require", "none"]),
        default="auto",
        show_default=True,
        help="Whether the operating system must confine the sandbox too; auto: where it can.",
    ),
    click.option(
        "--with",
        "packages",
        multiple=True,
        metavar="PKG",
        help="Install a package of the language first: its name; for Python also an address or a wheel file.",
    ),
    click.option(
        "-r",
        "--requirements",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        help="Install the packages that a requirements file lists.",
    ),
]


def _timeout(shown: str, default: float) -> Callable[[F], F]:
    return click.option(
        "-t",
        "--timeout",
        type=float,
        default=default,
        show_default=shown,
        metavar="SECONDS",
        callback=_read_timeout,
        help="Stop the code after this many seconds; 0 for no limit.",
    )


def _auto_install(shown: str) -> Callable[[F], F]:
    return click.option(
        "--auto-install/--no-auto-install",
        default=None,
        show_default=shown,
        help="Install missing imports.",
    )


_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the output.")
_DIFF = click.option(
    "--diff",
    # Opened before the code runs: it could put a link in the file's place.
    type=click.File("w", encoding="utf-8", lazy=False),
    metavar="FILE",
    help="Write what the code changed in its workspace and mounts to FILE (- for stdout), as a patch.",
)


def sandbox_options(command: F) -> F:
    """Add the shared options to a command that runs something once."""
    return _add([_timeout(f"{TIMEOUT:g}", TIMEOUT), *_OPTIONS, _auto_install("no"), _JSON, _DIFF], command)


def shell_options(command: F) -> F:
    """Add them to a command that runs something once, or talks with a person, who takes the time they need."""
    shown = f"{TIMEOUT:g}; none in a shell"
    return _add([_timeout(shown, TIMEOUT), *_OPTIONS, _auto_install("no"), _JSON, _DIFF], command)


def prompt_options(command: F) -> F:
    """Add them to a command that talks with a person."""
    return _add([_timeout("none", 0.0), *_OPTIONS, _auto_install("yes")], command)


def _add(options: Iterable[Callable[[F], F]], command: F) -> F:
    return reduce(lambda wrapped, option: option(wrapped), reversed([*options]), command)
