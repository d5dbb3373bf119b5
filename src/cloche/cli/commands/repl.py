"""`cloche repl`: a prompt for any of the languages."""

import sys
from pathlib import Path
from typing import Any

import click

from cloche.cli.options import complete_language, prompt_options, read_settings

GROUP, RANK = "Run code", 13
HELP = "Open a prompt for Python, bash or another language."


@click.command()
@click.option(
    "-l",
    "--language",
    default="python",
    show_default=True,
    metavar="LANG",
    shell_complete=complete_language,
    help="The language of the cells.",
)
@click.option(
    "--images",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Save images in this folder; by default in the current one.",
)
@prompt_options
@click.pass_context
def repl(ctx: click.Context, language: str, images: Path, **options: Any) -> None:
    """Open a prompt in a sandbox: cells of several lines, history, completion with Tab, images saved as files.

    Ctrl-C stops the cell and keeps the variables, Ctrl-D leaves. !CMD runs a shell command, %load FILE puts the text
    of a file of this machine into the next cell. Cells have no timeout unless you pass --timeout. What you pipe in is
    run cell by cell, split at lines that begin with `# %%`.

    \b
    cloche repl
    cloche repl -w . --images plots
    cloche repl -l bash
    cloche repl -l ruby

    Exit codes: 0 you left (with bash, that of the last command), 1 a piped cell failed, 2 usage, 69 sandbox
    unavailable.
    """
    from cloche.errors import ConfigError
    from cloche.sandbox.languages import check_language

    try:
        check_language(language)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    settings = read_settings(options)
    if sys.stdin and sys.stdin.isatty():
        from cloche.cli.terminal.repl_loop import hold_conversation

        ctx.exit(hold_conversation(settings, language, images))

    from cloche.cli.terminal.piped_cells import run_piped

    ctx.exit(run_piped(settings, language, images))
