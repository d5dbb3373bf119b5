"""The command line."""

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn, cast

import click

from cloche.cli import exit_codes
from cloche.cli.help_table import GROUPS
from cloche.errors import ClocheError, ConfigError

_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}

EXIT_CODES = """\b
Exit codes:
    0  ok
    1  the code failed (after sys.exit the code it gave; with `cloche bash` that of the command)
    2  usage
   69  the sandbox is unavailable
   74  the output could not be written: a full disk
  124  timeout
  130  Ctrl-C
  137  memory
"""


class LazyGroup(click.Group):
    """Imports a command's module only when it is run: `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"cloche.cli.commands.{cmd_name}")
        command = getattr(module, cmd_name, None) or module.command
        assert isinstance(command, click.Command)
        _add_log_options(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        ctx.color = False if os.environ.get("NO_COLOR") else None
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # At once: what is still to be flushed would fail again.
            os._exit(exit_codes.PIPE)
        except ClocheError as error:
            from cloche.cli.result_output import print_message

            print_message(str(error))
            ctx.exit(exit_codes.USAGE if isinstance(error, ConfigError) else exit_codes.UNAVAILABLE)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"There is no command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from cloche import __version__

    click.echo(f"cloche {__version__}")
    ctx.exit()


def _take_log_option(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if ctx.resilient_parsing or (ctx.parent is None and not value):
        return
    from cloche.cli.logs import ask_for_logs, start_logs

    ask_for_logs(ctx, str(param.name), value)
    if ctx.parent is not None and param is _LOG_OPTIONS[-1]:
        # A command that is not run, because only its help is wanted, opens no file.
        start_logs(ctx)


_LOG_OPTIONS = [
    click.Option(["-v", "--verbose"], is_flag=True, help="Log what happens to stderr, with times."),
    click.Option(["--debug"], is_flag=True, help="Log every step, and add stack traces to errors of actions."),
    click.Option(
        ["--log-file"], metavar="FILE", help="Log to this file instead, a line of JSON for each record; - for stderr."
    ),
]
for _option in _LOG_OPTIONS:
    _option.expose_value = False
    _option.callback = _take_log_option


def _add_log_options(command: click.Command) -> None:
    """Let them be typed after the command as well, and after those below it."""
    if _LOG_OPTIONS[0] not in command.params:
        command.params.extend(_LOG_OPTIONS)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _add_log_options(each)


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
    params=[*_LOG_OPTIONS],
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
def cli() -> None:
    """Code under glass: run bash and ten languages in a sandbox that starts at once.

    \b
    cloche run -c 'print(6 * 7)'
    cloche run -l ruby -c 'puts [3, 1, 2].sort.inspect'
    cloche run script.py --timeout 5 --mount ~/data:ro
    cloche bash -c 'ls /mnt; python3 -c "print(1)" | tr 1 2'
    """


def main() -> None:
    """Entry point of the `cloche` program."""
    try:
        code = cli.main(prog_name="cloche", standalone_mode=False)
        if sys.stdout:
            # None if it was closed before.
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.Abort:
        code = exit_codes.INTERRUPTED
    except (OSError, BaseExceptionGroup) as error:
        trouble = _find_unwritten(error)
        if trouble is None:
            raise
        _end_unwritten(trouble)
    sys.exit(code if isinstance(code, int) else 0)


def _find_unwritten(error: BaseException) -> OSError | None:
    """The error of a disk that is full or broken, also among others that tasks raised together."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return next(filter(None, map(_find_unwritten, group.exceptions)), None)
    return error if isinstance(error, OSError) and error.errno in _UNWRITTEN else None


def _end_unwritten(trouble: OSError) -> NoReturn:
    where = trouble.filename or "the output"
    with suppress(OSError):
        click.echo(f"cloche: {where} could not be written: {trouble.strerror}", err=True)
    # At once: what is still to be flushed would fail again.
    os._exit(exit_codes.OUTPUT)
