"""Queries to the engine: one reply each, within a time limit."""

import logging
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import anyio
import msgspec

from cloche.errors import SandboxUnavailable
from cloche.limits import INTERRUPT_GRACE, KILL_GRACE, START_TIMEOUT
from cloche.sandbox.process.engine_process import EngineProcess
from cloche.sandbox.process.link import CallMessage, Inbox

log = logging.getLogger(__name__)

T = TypeVar("T")
NO_REPLY = "it did not answer a question"


async def ask_engine(process: EngineProcess, message: dict[str, Any]) -> dict[str, Any]:
    """Send a query and return the reply; an engine that does not reply is killed."""
    with _open_query(process, str(message["op"]), str(message.get("language", ""))) as (number, inbox):
        process.send({**message, "id": number})
        with anyio.move_on_after(START_TIMEOUT):
            return _reply_data(await _first_reply(inbox))
        process.kill(NO_REPLY)
        raise SandboxUnavailable(f"the sandbox did not answer within {START_TIMEOUT:.0f} s and was ended")


async def query_guest(
    process: EngineProcess, language: str, question: dict[str, Any], patience: float
) -> dict[str, Any]:
    """The reply to a query that runs guest code, interrupted if it takes too long or the caller is cancelled."""
    with _open_query(process, question["kind"], language) as (number, inbox):
        process.send({"op": "query", "id": number, "language": language, "query": question})
        reply: CallMessage | None = None
        try:
            with anyio.move_on_after(patience):
                reply = await _first_reply(inbox)
        finally:
            if reply is None:
                reply = await _interrupt_query(process, inbox)
        if reply is None:
            raise SandboxUnavailable(f"the sandbox did not answer within {patience:.0f} s and was ended")
        return _reply_data(reply)


async def _interrupt_query(process: EngineProcess, inbox: Inbox) -> CallMessage | None:
    """The reply to an interrupted query. A cancelled caller waits too: the next call would undo the interrupt."""
    process.interrupt()
    with anyio.move_on_after(INTERRUPT_GRACE + KILL_GRACE, shield=True):
        return await _first_reply(inbox)
    process.kill(NO_REPLY)
    return None


@contextmanager
def _open_query(process: EngineProcess, kind: str, language: str) -> Generator[tuple[int, Inbox]]:
    """An inbox for the reply; the log says that there was a query, but not its contents."""
    began = time.monotonic()
    number, inbox = process.open_inbox()
    ending = "failed"
    try:
        yield number, inbox
        ending = "answered"
    finally:
        process.close_inbox(number)
        what = f"{kind} in {language}" if language else kind
        log.debug("pid=%d call=%d: %s %s after %.3f s", process.pid, number, what, ending, time.monotonic() - began)


async def _first_reply(inbox: Inbox) -> CallMessage:
    while (reply := inbox.take()) is None:
        await inbox.wait()
    return reply


def _reply_data(reply: CallMessage) -> dict[str, Any]:
    data: Any = getattr(reply, "data", None)
    known = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if "error" in known:
        raise SandboxUnavailable(str(known["error"]))
    return known


def convert_reply(reply: dict[str, Any], kind: type[T]) -> T:
    """The reply as a struct of this kind; the guest made it, so it may be anything."""
    try:
        return msgspec.convert(reply, kind)
    except msgspec.ValidationError as error:
        raise SandboxUnavailable(f"the sandbox gave an answer that cannot be read: {error}") from error
