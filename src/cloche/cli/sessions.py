"""`cloche sessions`: the sessions that are kept."""

from typing import TYPE_CHECKING

import click

from cloche.cli.settings import config_option, load_settings

if TYPE_CHECKING:
    from cloche.config import AppConfig
    from cloche.events import SessionInfo


@click.group(invoke_without_command=True)
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_context
def sessions(ctx: click.Context, config_file: str | None, as_json: bool) -> None:
    """List the sessions that are kept, the newest first.

    \b
    cloche sessions
    cloche sessions rename 4f1c 'Clean the data'
    cloche sessions rm 4f1c

    Exit codes: 0 ok, 1 there is no such session, 2 usage.
    """
    ctx.obj = load_settings(config_file)
    if ctx.invoked_subcommand is not None:
        return
    import anyio
    import msgspec

    found = anyio.run(_list, ctx.obj)
    if as_json:
        click.echo(msgspec.json.encode(found))
    elif not found:
        click.echo("There are no sessions yet.", err=True)
    for info in [] if as_json else found:
        click.echo(f"{info.sid:<24} {_when(info.last_time)}  {info.events:>6} events  {info.title}")


@sessions.command()
@click.argument("sid")
@click.argument("title")
@click.pass_obj
def rename(config: "AppConfig", sid: str, title: str) -> None:
    """Give a session a title."""
    _change(config, sid, "rename", title)


@sessions.command()
@click.argument("sid")
@click.pass_obj
def rm(config: "AppConfig", sid: str) -> None:
    """Remove a session with all its events and files."""
    _change(config, sid, "delete")


def _change(config: "AppConfig", sid: str, verb: str, *arguments: str) -> None:
    import anyio

    async def change() -> bool:
        from cloche.session.store import configured_store

        async with configured_store(config) as store:
            if all(info.sid != sid for info in await store.sessions()):
                return False
            await getattr(store, verb)(sid, *arguments)
            return True

    if not anyio.run(change):
        raise click.ClickException(f"There is no session {sid!r}: `cloche sessions` lists them.")


async def _list(config: "AppConfig") -> "list[SessionInfo]":
    from cloche.session.store import configured_store

    async with configured_store(config) as store:
        return sorted(await store.sessions(), key=lambda info: -info.last_time)


def _when(seconds: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
