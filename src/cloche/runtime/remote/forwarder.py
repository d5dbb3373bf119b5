"""Sends actions to a remote runtime: one event out, one event back, none executed twice."""

import logging
import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import anyio
import msgspec
from msgspec.structs import replace

from cloche.errors import ClocheError, EventError, RuntimeUnavailable
from cloche.events import (
    Action,
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    IPythonRunCellAction,
    NullAction,
    Observation,
    RunCodeAction,
    event_from_dict,
    event_to_dict,
    is_observation,
    new_event,
)
from cloche.limits import FORWARD_GRACE, FORWARD_RECONNECT, KB, MB, MCP_MESSAGE_LIMIT
from cloche.runtime.codes import RUNTIME_GARBAGE, RUNTIME_LOST, RUNTIME_REFUSED, RUNTIME_SILENT, SANDBOX_GONE, TOO_LARGE
from cloche.runtime.live_output import Hear
from cloche.runtime.retry import FIRST_PAUSE

log = logging.getLogger(__name__)

DISCONNECTED = (SANDBOX_GONE, RUNTIME_LOST, RUNTIME_SILENT)
ENVELOPE = 64 * KB
"""Bytes of a message besides the event in it."""
EVENT_SIZE = MCP_MESSAGE_LIMIT - ENVELOPE
"""The most bytes of an event that fits into a message of MCP."""
LONGEST_PAUSE = 2.0
STOP_WAIT = 5.0
"""Seconds the server may take to stop a running action."""


class CallRefused(Exception):
    """The server has received the call and refused it."""


class Transport(ABC):
    """How events reach the other side.

    A ConnectionError may pass: the same call is made again. Any other error of ours, Refused or ValueError does not.
    """

    limit: ClassVar[int] = MCP_MESSAGE_LIMIT
    """The most bytes of a message."""

    @abstractmethod
    async def open(self) -> None:
        """Make sure that the server is reachable and can do what is needed."""

    @abstractmethod
    async def call(self, event: dict[str, Any], on_output: Hear | None = None) -> dict[str, Any]:
        """Send an action and wait for its observation; `on_output` receives its output, if the server sends it."""

    @abstractmethod
    async def interrupt(self) -> bool:
        """Stop the running action; returns whether there was one."""

    async def release(self) -> None:
        """Let go of what `open` has made, after a failed start; never raises."""
        await self.close()

    @abstractmethod
    async def close(self) -> None:
        """Disconnect; may be called twice, never raises."""


class Forwarder:
    """Executes actions through a transport; whatever happens there, each gets one observation in time."""

    def __init__(
        self, transport: Transport, place: str, *, grace: float = FORWARD_GRACE, reconnect: float = FORWARD_RECONNECT
    ) -> None:
        self._transport = transport
        self._place = place
        self._grace = grace
        self._reconnect = reconnect
        self._there: str | None = None
        """The name of the sandbox that the server gave us: another one would lack what was done so far."""

    async def start(self) -> None:
        """Connect, and let the server prepare its sandbox; the caller has the deadline."""
        await self._transport.open()
        try:
            answer = self._read(await self._transport.call(event_to_dict(new_event(NullAction(), "agent"))))
        except (ValueError, EventError, CallRefused) as error:
            raise RuntimeUnavailable(f"{self._place} has no sandbox for us: {error}") from error
        if isinstance(answer, ErrorObservation):
            raise RuntimeUnavailable(f"{self._place} has no sandbox for us: {answer.content}")

    async def perform(self, action: Action, *, timeout: float, key: str, on_output: Hear | None = None) -> Observation:
        """Execute an action there."""
        own = {"key": key} | ({"runtime": self._there} if self._there else {})
        event = event_to_dict(replace(new_event(action, "agent", timeout=timeout), cloche=own))
        if (size := len(msgspec.json.encode(event))) > self._transport.limit - ENVELOPE:
            why = refuse_too_large(size, self._transport.limit)
            return ErrorObservation(f"`{action.kind}` was NOT sent to {self._place}: {why}", TOO_LARGE)
        try:
            with anyio.fail_after(timeout + self._grace):
                return await self._insist(action, event, on_output)
        except TimeoutError:
            seconds = timeout + self._grace
            return self._failure(
                action, f"it gave no answer in {seconds:g} s. Whether it was done is not known", RUNTIME_SILENT
            )
        except ConnectionError as error:
            return self._failure(
                action, f"the connection was lost: {error}. Whether it was done is not known", RUNTIME_LOST
            )
        except (ValueError, EventError) as error:
            why = f"its answer could not be read: {error}. Whether it was done is not known"
            return self._failure(action, why, RUNTIME_GARBAGE)
        except CallRefused as error:
            return self._failure(action, f"it refused: {error}", RUNTIME_REFUSED)
        except ClocheError as error:
            return self._failure(action, str(error), RUNTIME_LOST)
        except anyio.get_cancelled_exc_class():
            # Anything else cannot be stopped there, and a command that was left running must not be.
            if isinstance(action, CmdRunAction | IPythonRunCellAction | RunCodeAction):
                await self.interrupt()
            raise

    async def interrupt(self) -> bool:
        """Stop the running action; returns whether there was one, as far as it is known."""
        with anyio.move_on_after(STOP_WAIT, shield=True):
            try:
                return await self._transport.interrupt()
            except (ConnectionError, ValueError, ClocheError) as error:
                log.info("%s could not be told to stop: %s", self._place, error)
        return False

    async def close(self) -> None:
        """Disconnect."""
        with anyio.move_on_after(STOP_WAIT, shield=True):
            await self._transport.close()

    async def _insist(self, action: Action, event: dict[str, Any], on_output: Hear | None) -> Observation:
        """Call until there is an answer; the key in the event makes that safe."""
        pause, failed = FIRST_PAUSE, None
        while True:
            try:
                heard = () if on_output is None else (on_output,)
                answer = self._read(await self._transport.call(event, *heard))
                if failed is not None and is_gone(answer):
                    why = "it was lost before it answered, and came back with a fresh sandbox: what was in the one "
                    why += "before is gone. Whether it was done there is not known, it was not done again"
                    return self._failure(action, why, SANDBOX_GONE)
                return answer
            except ConnectionError as error:
                failed = failed or time.monotonic()
                if time.monotonic() - failed + pause > self._reconnect:
                    raise
                log.info("%s was lost, trying again: %s", self._place, error)
            await anyio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _read(self, answer: dict[str, Any]) -> Observation:
        event = event_from_dict(answer)
        if not is_observation(event.body):
            raise EventError(f"it is no observation, but `{event.kind}`")
        if isinstance(event.body, CmdOutputObservation) and "command" not in (answer.get("extras") or {}):
            # Stored streams may lack it; an answer without it does not belong to a command.
            raise EventError("an observation of the kind `run` lacks `command` in its `extras`")
        there = (event.cloche or {}).get("runtime")
        if isinstance(there, str) and (self._there is None or is_gone(event.body)):
            self._there = there
        return event.body

    def _failure(self, action: Action, why: str, code: str) -> ErrorObservation:
        return ErrorObservation(f"`{action.kind}` was sent to {self._place}, but {why.rstrip('.')}.", code)


def is_gone(observation: Observation) -> bool:
    """Whether it says that the sandbox is another one than before."""
    return isinstance(observation, ErrorObservation) and observation.error_id == SANDBOX_GONE


def refuse_too_large(size: int, limit: int = MCP_MESSAGE_LIMIT) -> str:
    """Why so much cannot be sent at once, and what to do."""
    return (
        f"written out it takes {size / MB:.0f} MB, and a remote runtime sends at most {limit // MB} MB at "
        f"once, or {limit * 3 // 4 // MB} MB of files that cannot be compressed. Copy it in parts."
    )
