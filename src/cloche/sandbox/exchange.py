"""A question to the engine that one reply answers, in bounded time."""

from typing import Any, cast

import anyio

from cloche.errors import SandboxUnavailable
from cloche.limits import INTERRUPT_GRACE, KILL_GRACE, START_TIMEOUT
from cloche.sandbox.link import Inbox
from cloche.sandbox.process import EngineProcess
from cloche.sandbox.wire import Message


async def ask(process: EngineProcess, message: dict[str, Any], patience: float = START_TIMEOUT) -> dict[str, Any]:
    """The reply; an engine that does not give one is interrupted and, if that does not help, killed."""
    number, inbox = process.open_inbox()
    try:
        process.send({**message, "id": number})
        with anyio.move_on_after(patience):
            return _data(await _first(inbox))
        process.send({"op": "interrupt", "grace": INTERRUPT_GRACE})
        with anyio.move_on_after(INTERRUPT_GRACE + KILL_GRACE):
            return _data(await _first(inbox))
        process.kill("it did not answer a question")
        raise SandboxUnavailable(f"the sandbox did not answer within {patience:.0f} s and was ended")
    finally:
        process.close_inbox(number)


async def _first(inbox: Inbox) -> Message:
    while (reply := inbox.take()) is None:
        await inbox.wait()
    return reply


def _data(reply: Message) -> dict[str, Any]:
    data: Any = getattr(reply, "data", None)
    known = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if "error" in known:
        raise SandboxUnavailable(str(known["error"]))
    return known
