"""`cloche exec`: one event in, one event out."""

import sys
from typing import IO, TYPE_CHECKING

import click

from cloche.cli.exits import UNAVAILABLE
from cloche.cli.settings import config_option, load_settings

if TYPE_CHECKING:
    from cloche.config import AppConfig
    from cloche.events import Event, EventStream, Observation
    from cloche.runtime import Runtime


@click.command(name="exec")
@click.argument("action", type=click.File("rb"), metavar="ACTION.json")
@click.option("--session", "sid", metavar="ID", help="Keep actions and observations as this session.")
@config_option
def command(action: IO[bytes], sid: str | None, config_file: str | None) -> None:
    """Execute an action and print its observation, both as JSON in the wire format of events.

    ACTION.json holds one action. With - actions are read from standard input, one in each line, and each is answered
    by one line; they share one runtime, so that state stays from one to the next.

    \b
    echo '{"action": "run", "args": {"command": "ls"}}' | cloche exec -
    cloche exec action.json --session mine && cloche replay mine

    Exit codes: 0 ok, 1 an action failed, 2 usage, 69 the runtime is unavailable.
    """
    import anyio

    settings = load_settings(config_file)
    lines = action if action is sys.stdin.buffer else [action.read()]
    raise SystemExit(anyio.run(_serve, settings, lines, sid))


async def _serve(config: "AppConfig", lines: "IO[bytes] | list[bytes]", sid: str | None) -> int:
    from contextlib import AsyncExitStack
    from uuid import uuid4

    from anyio import to_thread

    from cloche.errors import ClocheError
    from cloche.events import EventStream
    from cloche.runtime import PluginRequirement, get_runtime_cls
    from cloche.session.store import configured_store

    failed = False
    source = iter(lines)
    try:
        async with AsyncExitStack() as stack:
            stream = None
            if sid is not None:
                stream = EventStream(sid, await stack.enter_async_context(configured_store(config)))
            runtime = get_runtime_cls(config.core.runtime)(
                config, sid=sid or uuid4().hex, plugins=[PluginRequirement(name) for name in config.sandbox.plugins]
            )
            await stack.enter_async_context(runtime)
            while (line := await to_thread.run_sync(next, source, None)) is not None:
                if line.strip():
                    answer = await _answer(line, runtime, stream)
                    failed |= not _is_fine(answer.body)
                    _print(answer)
    except ClocheError as error:
        click.echo(f"cloche: {error}", err=True)
        return UNAVAILABLE
    return int(failed)


async def _answer(line: bytes, runtime: "Runtime", stream: "EventStream | None") -> "Event":
    """The one event that answers a line, whatever is in it."""
    from cloche.errors import EventError
    from cloche.events import ErrorObservation, decode_event, is_action, new_event
    from cloche.session.dispatcher import Dispatcher

    try:
        event = decode_event(line)
        if not is_action(event.body):
            raise EventError(f"`{event.kind}` is no action that is known here. Send one such as `run`.")
    except EventError as error:
        return new_event(ErrorObservation(str(error), "AGENT_ERROR$BAD_ACTION"))
    if stream is not None:
        recorded = await stream.add_event(_unnumbered(event), event.source or "user")
        return await Dispatcher(stream, runtime).handle(recorded) or new_event(_nothing(), answers=recorded)
    observation = await runtime.execute(event.body, timeout=event.timeout)
    return new_event(observation, event.source or "agent", answers=event)


def _unnumbered(event: "Event") -> "Event":
    from msgspec.structs import replace

    return replace(event, id=None)


def _nothing() -> "Observation":
    from cloche.events import NullObservation

    return NullObservation()


def _is_fine(body: object) -> bool:
    from cloche.events import ErrorObservation

    return not isinstance(body, ErrorObservation) and not getattr(body, "exit_code", 0)


def _print(event: "Event") -> None:
    from cloche.events import encode_event

    click.echo(encode_event(event))
