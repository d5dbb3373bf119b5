"""What only a sandbox of this process can do: complete code, tell its languages and packages."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from cloche.limits import SERVER_QUESTION
from cloche.runtime import PyodideRuntime
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.server.problems import Problem
from cloche.session import HostedSession


@asynccontextmanager
async def use_sandbox(wanted: HostedSession) -> AsyncGenerator[RecordedSandbox]:
    """The sandbox of a session, started if need be; raises Problem if the session has none here."""
    async with wanted.use() as session:
        runtime = session.runtime
        box = runtime.box if isinstance(runtime, PyodideRuntime) else None
        if box is None:
            raise Problem(
                501,
                "not_here",
                f"the runtime of this session ({wanted.runtime}) is not on this server",
                fix="Have an action do it, such as `pip install` in the shell.",
            )
        yield box


@asynccontextmanager
async def ask_sandbox(wanted: HostedSession) -> AsyncGenerator[RecordedSandbox]:
    """The same for a question, which is given up after a while: questions wait for the call that runs."""
    async with use_sandbox(wanted) as box:
        with anyio.move_on_after(SERVER_QUESTION) as scope:
            yield box
        if scope.cancelled_caught:
            raise Problem(
                409,
                "busy",
                f"other code has run for {SERVER_QUESTION:g} s",
                fix="Ask again when it has ended, or stop it.",
            )
