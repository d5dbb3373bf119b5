"""`cloche replay`: prints a session again, or executes its actions again."""

from typing import TYPE_CHECKING

import click

from cloche.cli.config_option import config_option, load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloche.config import AppConfig
    from cloche.events import EventStream, Observation
    from cloche.session.rerun import Rerun

GROUP, RANK = "Serve agents, keep sessions", 24
HELP = "Print a session again, or execute its actions again."


@click.command()
@click.argument("sid", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in each line.")
@click.option("--rerun", "again", is_flag=True, help="Execute the actions again, in a fresh runtime, and compare.")
@click.option("--after", default=-1, metavar="N", help="Begin after the event of this id.")
@config_option
def replay(sid: str, as_json: bool, again: bool, after: int, config_file: str | None) -> None:
    """Print what happened in a session: actions, and below each its observation.

    \b
    cloche replay mine
    cloche replay mine --json --after 20
    cloche replay mine --rerun

    With --rerun its actions are executed again in a fresh sandbox; what comes out differently is shown as a patch.

    Exit codes: 0 ok, 1 no such session, or an action came out differently, 2 usage, 69 the runtime or the store is
    unavailable, 130 Ctrl-C.
    """
    import anyio

    settings = load_settings(config_file)
    raise SystemExit(anyio.run(_print_session, settings, sid, after, again, as_json))


async def _print_session(config: "AppConfig", sid: str, after: int, again: bool, as_json: bool) -> int:
    from cloche.cli.commands.sessions import is_kept
    from cloche.cli.terminal.event_printer import EventPrinter
    from cloche.events import EventStream, encode_event
    from cloche.session.open_store import open_configured_store

    async with open_configured_store(config) as store:
        if not await is_kept(store, sid):
            return 1
        stream = EventStream(sid, store)
        if again:
            return await _rerun_actions(config, stream, after, as_json)
        teller = EventPrinter(stream.files)
        async for event in stream.get_events(after + 1):
            click.echo(encode_event(event) if as_json else teller.tell(event))
    return 0


async def _rerun_actions(config: "AppConfig", stream: "EventStream", after: int, as_json: bool) -> int:
    from cloche.cli.running.run_actions import open_runtime
    from cloche.session.rerun import rerun_session

    different = number = 0
    async with open_runtime(config) as runtime:
        async for each in rerun_session(stream, runtime, after):
            number += 1
            different += not each.same
            click.echo(_as_json(each) if as_json else "\n".join(_compare_outcomes(each)))
    actions = "1 action" if number == 1 else f"{number} actions"
    click.echo(f"{actions} executed again, {different} came out differently.", err=True)
    return int(different > 0)


def _compare_outcomes(each: "Rerun") -> "Iterator[str]":
    from cloche.cli.terminal.event_printer import describe_changes, describe_value, format_headline
    from cloche.session.rerun import describe_difference

    what = format_headline(each.action)
    if each.same:
        yield f"{each.action.id:>5} same       {what}"
        return
    yield click.style(f"{each.action.id:>5} DIFFERENT  {what}", fg="red")
    if each.then is None:
        yield f"      then: no observation; now: {each.now.kind}"
        return
    then, now = describe_difference(each.then), describe_difference(each.now)
    for name in [name for name in {**then, **now} if then.get(name) != now.get(name)]:
        old, new = then.get(name), now.get(name)
        if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
            where, *lines = describe_changes(old, new)
            yield f"      {name}, {where}"
            yield from (f"        {line}" for line in lines)
        else:
            yield f"      {name}: {describe_value(old)} -> {describe_value(new)}"


def _as_json(each: "Rerun") -> bytes:
    import msgspec

    from cloche.events import event_to_dict, new_event

    def wire(observation: "Observation | None") -> object:
        return None if observation is None else event_to_dict(new_event(observation, answers=each.action))

    then, now = wire(each.then), wire(each.now)
    return msgspec.json.encode({"id": each.action.id, "same": each.same, "then": then, "now": now})
