"""Options shared by several commands, and how they become a sandbox."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack, cast

import click

from cloche.limits import TIMEOUT
from cloche.options import OPTIONS, Option, SandboxOptions, read_sentences

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cloche.sandbox.files.mounts import Mount

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


def complete_language(_: click.Context, __: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """The languages whose names begin with this text."""
    from click.shell_completion import CompletionItem

    from cloche.sandbox.languages import languages

    return [CompletionItem(name) for name in languages() if name.startswith(incomplete)]


def _read_env(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE, or NAME alone for the value it has here."""
    import os

    found: dict[str, str] = {}
    for each in value:
        name, equals, text = each.partition("=")
        if not name.isidentifier():
            raise click.BadParameter(f"'{each}' is not NAME=VALUE")
        if not equals and name not in os.environ:
            raise click.BadParameter(f"{name} is not set here: give {name}=VALUE")
        found[name] = text if equals else os.environ[name]
    return found


def _read_mounts(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> "tuple[Mount, ...]":
    from cloche.errors import ConfigError
    from cloche.sandbox.files.mounts import parse_mount

    try:
        return tuple(parse_mount(each) for each in value)
    except ConfigError as error:
        raise click.BadParameter(str(error)) from None


def _read_timeout(_: click.Context, __: click.Parameter, value: float) -> float | None:
    # Written so that it holds for NaN too.
    if not value >= 0:
        raise click.BadParameter(f"{value:g} is below 0: give seconds, or 0 for no limit")
    return None if value in (0, float("inf")) else value


def _read_hosts(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """HOST[:PORT], checked."""
    if value:
        from cloche.errors import ConfigError
        from cloche.sandbox.network.policy import Policy

        try:
            Policy(value)
        except ConfigError as error:
            raise click.BadParameter(str(error).replace("allow_net=", "", 1)) from None
    return value


def _read_secrets(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """HOST='NAME: $VAR' or HOST=@FILE, with the values that the variables and files hold."""
    if not value:
        return {}
    from cloche.cli.secret_option import read_secret

    return dict(read_secret(each) for each in value)


class RunSettings(NamedTuple):
    """The options of a command that runs code."""

    options: SandboxOptions
    """Options of the sandbox."""
    as_json: bool = False
    requirements: tuple[str, ...] = ()
    diff: "IO[str] | None" = None
    runtime: str | None = None
    """`pyodide` for a sandbox of this machine, `remote` for one at a server; None for what is configured."""

    @property
    def timeout(self) -> float:
        """Seconds; 0 for no limit."""
        return self.options.get("timeout") or 0.0

    def alter(self, **changes: Unpack[SandboxOptions]) -> "RunSettings":
        """The same with other options of the sandbox."""
        options = self.options.copy()
        options.update(changes)
        return self._replace(options=options)


def read_settings(given: Mapping[str, Any]) -> RunSettings:
    """The settings from the parameters of a command that has these options."""
    options = cast("SandboxOptions", {name: value for name, value in given.items() if name in OPTIONS})
    return RunSettings(options, **{name: value for name, value in given.items() if name not in OPTIONS})


class OptionReader(NamedTuple):
    """How the command line reads an option that is no plain text, number, word or switch."""

    read: Callable[..., Any] | None = None
    kind: Any = None
    note: str = ""
    """Added to its sentence in the help."""


_READERS = {
    "workspace": OptionReader(kind=click.Path(exists=True, file_okay=False)),
    "mounts": OptionReader(_read_mounts),
    "env": OptionReader(_read_env, note="; NAME alone takes the value it has here"),
    "timeout": OptionReader(_read_timeout, float, "; 0 for no limit"),
    "allow_net": OptionReader(_read_hosts),
    "packages": OptionReader(note="; for another language, names of its own packages"),
    "secrets": OptionReader(_read_secrets, note=", from a variable; or HOST=@FILE"),
}
_CONFIG_READERS = {name: reader for name, reader in _READERS.items() if name not in ("mounts", "packages", "timeout")}
"""For a command whose options go on top of the configuration, which has these in another form."""

_REQUIREMENTS = click.option(
    "-r",
    "--requirements",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="Install the packages that a requirements file lists.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the output.")
_RUNTIME = click.option(
    "--runtime",
    type=click.Choice(("pyodide", "remote")),
    help="Run in a sandbox of this machine, or at the server of [remote] url; by default what [core] runtime says.",
)
_DIFF = click.option(
    "--diff",
    # Opened before the code runs: it could put a link in the file's place.
    type=click.File("w", encoding="utf-8", lazy=False),
    metavar="FILE",
    help="Write what the code changed in its workspace and mounts to FILE (- for stdout), as a patch.",
)


def sandbox_options(command: F) -> F:
    """Add the shared options to a command that runs something once."""
    return _add_options([*_make_options(), _REQUIREMENTS, _JSON, _DIFF, _RUNTIME], command)


def shell_options(command: F) -> F:
    """Add them to a command that runs something once, or is interactive and then has no time limit."""
    shown = f"{TIMEOUT:g}; none in a shell"
    return _add_options(
        [*_make_options(timeout={"show_default": shown}), _REQUIREMENTS, _JSON, _DIFF, _RUNTIME], command
    )


def prompt_options(command: F) -> F:
    """Add them to an interactive command."""
    made = _make_options(
        timeout={"default": 0.0, "show_default": "none"}, auto_install={"default": True, "show_default": "yes"}
    )
    return _add_options([*made, _REQUIREMENTS, _RUNTIME], command)


def config_options(command: F) -> F:
    """Add the sandbox options to a command whose defaults come from the configuration."""
    unset = {"default": None, "show_default": False}
    return _add_options(
        [_make_option(each, _CONFIG_READERS, unset) for each in OPTIONS.values() if each.flags], command
    )


def named_option(name: str) -> Decorator:
    """One of them, for a command that has no others."""
    return _make_option(OPTIONS[name], _READERS, {})


def _make_options(**changes: dict[str, Any]) -> list[Decorator]:
    """The options that the command line has, some with another default."""
    found = [option for option in OPTIONS.values() if option.flags]
    return [_make_option(option, _READERS, changes.get(option.name, {})) for option in found]


def _make_option(option: Option, readers: Mapping[str, OptionReader], changes: Mapping[str, Any]) -> Decorator:
    reader = readers.get(option.name, OptionReader())
    *short, long = option.flags
    flags = [*short, f"{long}/--no-{long[2:]}" if option.kind is bool else long, option.name]
    sentence = _SENTENCES.get(option.name, "").removesuffix(".")
    again = "; may be repeated" if option.holds_many else ""
    words: dict[str, Any] = {
        "metavar": option.metavar,
        "callback": reader.read,
        "help": f"{sentence}{reader.note}{again}.",
    }
    return click.option(*flags, **{**words, **_describe_kind(option, reader.kind), **changes})


def _describe_kind(option: Option, kind: Any) -> dict[str, Any]:
    """What click has to know about the type."""
    if option.holds_many:
        return {"multiple": True}
    if option.kind is bool:
        return {"default": option.default, "show_default": "yes" if option.default else "no"}
    if option.choices:
        kind = click.Choice(option.choices)
    elif kind is None and option.plain_kind in (int, float):
        ranged: Any = click.IntRange if option.plain_kind is int else click.FloatRange
        least = option.least if option.above is None else option.above
        kind = ranged(least, option.most, min_open=option.above is not None)
    shown = f"{option.default:g}" if isinstance(option.default, float) else option.default is not None
    return {"type": kind, "default": option.default, "show_default": shown}


_SENTENCES = read_sentences()


def _add_options(options: Iterable[Decorator], command: F) -> F:
    return reduce(lambda wrapped, option: option(wrapped), reversed([*options]), command)
