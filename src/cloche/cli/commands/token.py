"""`cloche token`: the users of a server."""

from typing import TYPE_CHECKING

import click

from cloche.cli.config_option import config_option, load_settings

if TYPE_CHECKING:
    from cloche.server.access.token_file import TokenFile

GROUP, RANK = "Serve agents, keep sessions", 20.5
HELP = "Create, list and revoke tokens of a server's users."


@click.group()
@config_option
@click.pass_context
def token(ctx: click.Context, config_file: str | None) -> None:
    """Create, list and revoke the tokens of the users of `cloche serve`.

    A user sees the sessions that were begun with the user's token, and no others. A server that runs knows of a change
    at once.

    \b
    cloche token create ada
    cloche token create viewer --read-only
    cloche token list
    cloche token revoke ada

    Exit codes: 0 ok, 1 there is no such user, 2 usage.
    """
    from cloche.server.access.token_file import TokenFile

    ctx.obj = TokenFile(load_settings(config_file).core.store_folder)


@token.command()
@click.argument("name")
@click.option("--read-only", is_flag=True, help="The user may look at sessions, and change nothing.")
@click.pass_obj
def create(tokens: "TokenFile", name: str, read_only: bool) -> None:
    """Create a token for a user and print it; it cannot be shown again.

    \b
    TOKEN=$(cloche token create ada)
    """
    click.echo(tokens.create(name, ("read",) if read_only else ("read", "run")))
    click.echo("Keep it: only its hash is stored.", err=True)


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_obj
def list_tokens(tokens: "TokenFile", as_json: bool) -> None:
    """List the users: name, what they may do, when the token was created.

    \b
    cloche token list
    """
    import datetime

    import msgspec

    found = tokens.list_tokens()
    if as_json:
        listed = [{"name": each.name, "scopes": each.scopes, "created": each.created} for each in found]
        click.echo(msgspec.json.encode(listed))
        return
    if not found:
        click.echo("There are no users besides the owner: `cloche token create NAME` adds one.", err=True)
    for each in found:
        made = datetime.datetime.fromtimestamp(each.created).astimezone().strftime("%Y-%m-%d %H:%M")
        click.echo(f"{each.name:<24}  {','.join(each.scopes):<8}  {made}")


@token.command()
@click.argument("name")
@click.pass_obj
def revoke(tokens: "TokenFile", name: str) -> None:
    """Make the token of a user invalid, at once and for good.

    \b
    cloche token revoke ada
    """
    if not tokens.revoke(name):
        click.echo(f"cloche: {name} has no token. `cloche token list` shows who has.", err=True)
        raise SystemExit(1)
