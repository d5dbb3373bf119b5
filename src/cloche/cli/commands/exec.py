"""`cloche exec`: one event in, one event out."""

import os
import sys
from typing import IO

import click

from cloche.cli import exit_codes
from cloche.cli.config_option import config_option, load_settings

GROUP, RANK = "Serve agents, keep sessions", 22
HELP = "Execute actions, JSON in and JSON out."


@click.command(name="exec")
@click.argument("action", type=click.File("rb"), metavar="ACTION.json")
@click.option("--session", "sid", metavar="ID", help="Keep actions and observations as this session.")
@click.option("--runtime", metavar="NAME", help="Where actions run; by default [core] runtime.")
@config_option
def command(action: IO[bytes], sid: str | None, runtime: str | None, config_file: str | None) -> None:
    """Execute an action and print its observation, both as JSON in the wire format of events.

    ACTION.json holds one action. With - actions are read from standard input, one in each line, and each is answered
    by one line; they share one runtime, so that state stays from one to the next. A line that is wrong is answered by
    an error, and the next one is read. `"timeout": 5` in an action is its limit in seconds.

    \b
    echo '{"action": "run", "args": {"command": "ls"}}' | cloche exec -
    cloche exec action.json --session mine && cloche replay mine

    Ctrl-C stops the running action, prints its observation, and ends.

    Exit codes: 0 ok, 1 an action failed, 2 usage, 69 the runtime is unavailable, 130 Ctrl-C. A `run_ipython`
    whose Python raises counts as done, as in OpenHands; its content has the traceback.
    """
    import anyio
    from msgspec.structs import replace

    from cloche.cli.running.run_actions import ActionRunner

    settings = load_settings(config_file)
    if runtime is not None:
        settings = replace(settings, core=replace(settings.core, runtime=runtime))
    try:
        executing = ActionRunner(settings, sid)
    except ValueError as error:
        raise click.UsageError(f"--session: {error}") from None
    code = anyio.run(executing.serve, action, action is sys.stdin.buffer)
    if code >= exit_codes.SIGNAL:
        # A thread that still waits for the next line must not hold up the end.
        os._exit(code)
    raise SystemExit(code)
