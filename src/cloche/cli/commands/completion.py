"""`cloche completion`."""

import click
from click.shell_completion import get_completion_class

GROUP, RANK = "This machine", 35
HELP = "Print the completion script for a shell."


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash: eval "$(cloche completion bash)"
    zsh:  eval "$(cloche completion zsh)"
    fish: cloche completion fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "cloche", "_CLOCHE_COMPLETE").source())
