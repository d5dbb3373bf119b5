"""`cloche replay`: a session printed again, or its actions executed again."""

from typing import TYPE_CHECKING

import click

from cloche.cli.exits import UNAVAILABLE
from cloche.cli.settings import config_option, load_settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from cloche.config import AppConfig
    from cloche.events import Event
    from cloche.session.rerun import Rerun

WIDTH = 2000
"""Characters shown of one event."""


@click.command()
@click.argument("sid", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in each line.")
@click.option("--rerun", "again", is_flag=True, help="Execute the actions again, in a fresh runtime, and compare.")
@click.option("--after", default=-1, metavar="N", help="Begin after the event of this id.")
@config_option
def replay(sid: str, as_json: bool, again: bool, after: int, config_file: str | None) -> None:
    """Print what happened in a session.

    \b
    cloche replay mine
    cloche replay mine --json --after 20
    cloche replay mine --rerun

    With --rerun its actions are executed again in a fresh sandbox; what comes out differently is told.

    Exit codes: 0 ok, 1 no such session, or an action came out differently, 2 usage, 69 the runtime is unavailable.
    """
    import anyio

    settings = load_settings(config_file)
    raise SystemExit(anyio.run(_replay, settings, sid, after, again, as_json))


async def _replay(config: "AppConfig", sid: str, after: int, again: bool, as_json: bool) -> int:
    from cloche.events import EventStream, encode_event
    from cloche.session.store import configured_store

    async with configured_store(config) as store:
        stream = EventStream(sid, store)
        if await stream.get_latest_event_id() < 0:
            click.echo(f"cloche: there is no session {sid!r}: `cloche sessions` lists them.", err=True)
            return 1
        if again:
            return await _rerun(config, stream.get_events(after + 1), as_json)
        async for event in stream.get_events(after + 1):
            click.echo(encode_event(event) if as_json else _line(event))
    return 0


async def _rerun(config: "AppConfig", events: "AsyncGenerator[Event]", as_json: bool) -> int:
    from uuid import uuid4

    from cloche.errors import ClocheError
    from cloche.runtime import PluginRequirement, get_runtime_cls
    from cloche.session.rerun import rerun

    plugins = [PluginRequirement(name) for name in config.sandbox.plugins]
    different = number = 0
    try:
        async with get_runtime_cls(config.core.runtime)(config, sid=uuid4().hex, plugins=plugins) as runtime:
            async for each in rerun(events, runtime):
                number += 1
                different += not each.same
                click.echo(_as_json(each) if as_json else _compared(each))
    except ClocheError as error:
        click.echo(f"cloche: {error}", err=True)
        return UNAVAILABLE
    click.echo(f"{number} actions executed again, {different} came out differently.", err=True)
    return int(different > 0)


def _line(event: "Event") -> str:
    """An event for a reader: who, what, and what came of it."""
    from cloche.cli.escapes import Filter

    time = event.timestamp[11:19] or "--:--:--"
    body = event.body
    content = getattr(body, "content", None) if event.cause is not None else None
    text = Filter().feed(str(content or event.message or ""))[:WIDTH].rstrip("\n")
    mark = f"  <- {event.cause}" if event.cause is not None else ""
    return f"{event.id:>5} {time} {event.source or '':<11} {event.kind:<12}{mark}\n{_indented(text)}".rstrip()


def _compared(each: "Rerun") -> str:
    from cloche.cli.escapes import Filter
    from cloche.session.rerun import told

    if each.same:
        return f"{each.action.id:>5} same       {each.action.kind}"
    then = told(each.then) if each.then is not None else {}
    now = told(each.now)
    changes = [f"{name}: {then.get(name)!r} -> {now[name]!r}" for name in now if then.get(name) != now[name]]
    return f"{each.action.id:>5} DIFFERENT  {each.action.kind}\n{_indented(Filter().feed(chr(10).join(changes)))}"


def _as_json(each: "Rerun") -> bytes:
    import msgspec

    from cloche.events import event_to_dict, new_event

    now = event_to_dict(new_event(each.now, answers=each.action))
    then = event_to_dict(new_event(each.then, answers=each.action)) if each.then is not None else None
    return msgspec.json.encode({"id": each.action.id, "same": each.same, "then": then, "now": now})


def _indented(text: str) -> str:
    return "\n".join(f"      {line}" for line in text.splitlines())
