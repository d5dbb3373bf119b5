"""`cloche sessions`: the stored sessions."""

from typing import TYPE_CHECKING

import click

from cloche.cli.config_option import config_option, load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cloche.config import AppConfig
    from cloche.events import SessionInfo, Store

GROUP, RANK = "Serve agents, keep sessions", 23
HELP = "List, name and remove the sessions that are kept."

SHOWN = 8
"""Sessions that are named when one is not found."""


@click.group(invoke_without_command=True)
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_context
def sessions(ctx: click.Context, config_file: str | None, as_json: bool) -> None:
    """List the sessions that are kept, the newest first: id, last event, number of events, title.

    Those whose program was killed are marked as interrupted: what it left open is answered when they go on, or when a
    server opens the store.

    \b
    cloche exec action.json --session mine
    cloche sessions
    cloche sessions rename mine 'Clean the data'
    cloche sessions rm mine

    Exit codes: 0 ok, 1 there is no such session, 2 usage, 69 the store is unavailable.
    """
    ctx.obj = load_settings(config_file)
    if ctx.invoked_subcommand is not None:
        return
    import anyio
    import msgspec

    found = anyio.run(_list_sessions, ctx.obj)
    if as_json:
        click.echo(msgspec.json.encode(found))
    elif not found:
        click.echo("There are no sessions yet: `cloche exec ACTION.json --session NAME` keeps one.", err=True)
    else:
        _print_sessions(found, None if ctx.obj.core.file_store == "memory" else ctx.obj.core.store_folder)


@sessions.command()
@click.argument("sid", metavar="ID")
@click.argument("title")
@click.pass_obj
def rename(config: "AppConfig", sid: str, title: str) -> None:
    """Give a session a title.

    \b
    cloche sessions rename mine 'Clean the data'

    Exit codes: 0 ok, 1 there is no such session, 2 usage, 69 the store is unavailable.
    """
    _change_session(config, sid, title)


@sessions.command()
@click.argument("sid", metavar="ID")
@click.pass_obj
def rm(config: "AppConfig", sid: str) -> None:
    """Remove a session with all its events and files; not while it runs.

    \b
    cloche sessions rm mine

    Exit codes: 0 ok, 1 there is no such session, 2 usage, 69 it runs, or the store is unavailable.
    """
    _change_session(config, sid, None)


async def is_kept(store: "Store", sid: str) -> bool:
    """Whether there is such a session; if not, prints that and the existing ones to stderr."""
    from difflib import get_close_matches

    from cloche.cli.result_output import print_message

    names = [info.sid for info in await store.sessions()]
    if sid in names:
        return True
    near = get_close_matches(sid, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    more = f" and {len(names) - SHOWN} more (`cloche sessions`)" if len(names) > SHOWN else ""
    there = f" Kept: {', '.join(names[:SHOWN])}{more}." if names else " None is kept."
    print_message(f"There is no session {sid!r}.{hint}{there}")
    return False


def _change_session(config: "AppConfig", sid: str, title: str | None) -> None:
    """Give a session a title, or remove it."""
    import anyio

    async def change() -> bool:
        from cloche.session.open_store import open_configured_store

        async with open_configured_store(config) as store:
            if not await is_kept(store, sid):
                return False
            if title is None:
                await _delete_session(config, store, sid)
            else:
                await store.rename(sid, title)
            return True

    if not anyio.run(change):
        raise SystemExit(1)


async def _delete_session(config: "AppConfig", store: "Store", sid: str) -> None:
    from anyio import to_thread

    from cloche.events import EventStream
    from cloche.session.starting.session_lock import SessionLock

    lock = SessionLock(sid, None if config.core.file_store == "memory" else config.core.store_folder)
    await to_thread.run_sync(lock.take)
    try:
        await EventStream(sid, store).delete()
        await to_thread.run_sync(lock.discard)
    finally:
        lock.release()


async def _list_sessions(config: "AppConfig") -> "list[SessionInfo]":
    from cloche.session.open_store import open_configured_store

    async with open_configured_store(config) as store:
        return await store.sessions()


def _print_sessions(found: "Sequence[SessionInfo]", root: "Path | None") -> None:
    """One line each, no wider than the terminal."""
    import shutil
    import sys

    from cloche.cli.terminal.control_sequences import strip_control
    from cloche.session.starting.run_note import is_interrupted

    width = min(max(len(info.sid) for info in found), 36)
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for info in found:
        events = f"{info.events:>6} event{' ' if info.events == 1 else 's'}"
        title = " ".join(strip_control(info.title).split())
        mark = "(interrupted) " if is_interrupted(info, root) else ""
        line = f"{info.sid:<{width}}  {_format_time(info.last_time)}  {events}  {mark}{title}"
        click.echo((line if room is None or len(line) <= room else line[: room - 1] + "…").rstrip())


def _format_time(seconds: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
