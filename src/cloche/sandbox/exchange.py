"""A request to the engine with one reply, in bounded time."""

from typing import Any, cast

import anyio

from cloche.errors import SandboxUnavailable
from cloche.limits import INTERRUPT_GRACE, KILL_GRACE, START_TIMEOUT
from cloche.sandbox.link import Inbox
from cloche.sandbox.process import EngineProcess
from cloche.sandbox.wire import Message

UNANSWERED = "it did not answer a question"
STOP = {"op": "interrupt", "grace": INTERRUPT_GRACE}


async def ask(process: EngineProcess, message: dict[str, Any]) -> dict[str, Any]:
    """The reply; an engine that does not give one is killed."""
    number, inbox = process.open_inbox()
    try:
        process.send({**message, "id": number})
        with anyio.move_on_after(START_TIMEOUT):
            return _data(await _first(inbox))
        process.kill(UNANSWERED)
        raise SandboxUnavailable(f"the sandbox did not answer within {START_TIMEOUT:.0f} s and was ended")
    finally:
        process.close_inbox(number)


async def query(process: EngineProcess, language: str, question: dict[str, Any], patience: float) -> dict[str, Any]:
    """The reply to what objects of the guest answer: who takes too long, or is not waited for, is interrupted first."""
    number, inbox = process.open_inbox()
    replied = False
    try:
        process.send({"op": "query", "id": number, "language": language, "query": question})
        with anyio.move_on_after(patience):
            reply = await _first(inbox)
            replied = True
            return _data(reply)
        process.send(STOP)
        with anyio.move_on_after(INTERRUPT_GRACE + KILL_GRACE):
            reply = await _first(inbox)
            replied = True
            return _data(reply)
        process.kill(UNANSWERED)
        raise SandboxUnavailable(f"the sandbox did not answer within {patience:.0f} s and was ended")
    finally:
        if not replied:
            process.send(STOP)
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
