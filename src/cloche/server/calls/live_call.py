"""A call while it is made, and for a while after: its lines, its questions, and how it is stopped."""

import hashlib
import logging
from contextlib import aclosing

import anyio
import msgspec
from msgspec import Raw

from cloche.errors import ClocheError, SandboxUnavailable
from cloche.events import RunCodeAction, RunnableAction, SandboxCallAction
from cloche.remote.calls import Asked, CallRequest, Changed, Done, Failed, InputAnswer, Line, encode_path
from cloche.remote.problems import NOT_PERMITTED, file_code
from cloche.remote.verbs import RunCode
from cloche.runtime.box_call import BoxCall
from cloche.runtime.live_output import Hear
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.results.result import Result, Text
from cloche.server.calls.box_files import BoxStore
from cloche.server.calls.call_log import CallLog
from cloche.server.calls.performing import (
    Change,
    describe_change,
    describe_value,
    hide_blobs,
    perform_change,
)
from cloche.server.problems import Problem, tell_problem

log = logging.getLogger(__name__)

REQUESTS = 100
"""Network requests that a client is told."""
SHOWN_INPUT = 10_000
"""Bytes of its input that are recorded."""
LEFT = "the call was stopped: its client has left"


class LiveCall(BoxCall):
    """One call of one client."""

    def __init__(self, request: CallRequest, store: BoxStore) -> None:
        self.request = request
        self.log = CallLog(start=request.after)
        self.ended_at: float | None = None
        self.store = store
        self._box: RecordedSandbox | None = None
        self._scope = anyio.CancelScope()
        self._questions = 0
        self._answer: InputAnswer | None = None
        self._answered = anyio.Event()

    def put(self, line: Line) -> None:
        """Tell the client a line; the last one ends the call."""
        self.log.put(line)
        if self.log.ended and self.ended_at is None:
            self.ended_at = anyio.current_time()

    def fail(self, error: BaseException) -> None:
        """End it with an error."""
        if not self.log.ended:
            self.put(Failed(tell_problem(describe_fault(error), "call")))

    def finish(self, value: object, box: RecordedSandbox | None = None) -> None:
        """End it with what the method returned."""
        if box is not None:
            self._tell_changes(box)
        self.put(Done(Raw(msgspec.json.encode(value, enc_hook=encode_path))))

    def refuse(self, error: ClocheError) -> ClocheError:
        self.fail(error)
        return error

    def record(self, verb: RunCode | Change) -> RunnableAction:
        """The action that stands for it in the stream."""
        if isinstance(verb, RunCode):
            return RunCodeAction(verb.language, verb.code, _shorten_input(verb.stdin), call=self.request.key)
        name = str(verb.__struct_config__.tag)
        return SandboxCallAction(name, describe_change(verb), call=self.request.key)

    async def perform(self, box: RecordedSandbox, hear: Hear) -> Result | str:
        """Make the call; it is stopped when its client leaves."""
        done: Result | str = LEFT
        verb = self.request.call
        with self._scope:
            self._box = box
            try:
                if isinstance(verb, RunCode):
                    done = await self._run(verb, box, hear)
                elif isinstance(verb, Change):
                    value = await perform_change(verb, box, self.store)
                    done = describe_value(verb, value)
                    self.finish(value, box)
            except Exception as error:  # the border of a request: its client is told, and the action too
                self.fail(error)
                raise
            finally:
                self._box = None
        if self._scope.cancelled_caught:
            self.fail(SandboxUnavailable(LEFT))
        return done

    def abandon(self) -> None:
        """Stop it: its client has left, or does not want it any more."""
        self._scope.cancel()

    async def interrupt(self) -> bool:
        """Stop the code that it runs, as Ctrl-C does; returns whether there was any."""
        return self._box is not None and await self._box.interrupt()

    def take_answer(self, answer: InputAnswer) -> None:
        """The client's answer to the question that is open; one to another question is too late."""
        if answer.number == self._questions and not self._answered.is_set():
            self._answer = answer
            self._answered.set()

    async def _run(self, verb: RunCode, box: RecordedSandbox, hear: Hear) -> Result:
        request = build_run_request(
            verb.code,
            stdin=verb.stdin,
            interactive=verb.interactive,
            profile=verb.profile,
            args=verb.args,
            file=verb.file,
            cwd=verb.cwd,
            setup=verb.setup,
        )
        ask = self._ask if verb.interactive else None
        events = box.call(request, language=verb.language, seconds=verb.seconds, on_input=ask)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Result):
                    self._tell_changes(box)
                    self.put(event)
                    return event
                if isinstance(event, Text):
                    hear(event.stream, event.text)
                self.put(event)
                await self.log.make_room()
        raise SandboxUnavailable("the sandbox ended without a result")

    async def _ask(self, prompt: str, *, password: bool = False) -> str | None:
        self._questions += 1
        self._answered = anyio.Event()
        self.put(Asked(self._questions, prompt, password))
        await self._answered.wait()
        return None if self._answer is None else self._answer.line

    def _tell_changes(self, box: RecordedSandbox) -> None:
        """Tell the client what is installed and what was requested, unless it knows."""
        packages, requests = hide_blobs(box.packages), box.requests[-REQUESTS:]
        if not packages and not requests and not self.request.known:
            return
        data = msgspec.json.encode((packages, requests), enc_hook=encode_path)
        stamp = hashlib.sha256(data).hexdigest()[:16]
        if stamp != self.request.known:
            self.put(Changed(stamp, packages, requests))


def describe_fault(error: BaseException) -> BaseException:
    """An error of the sandbox as one that a client gets again as it was."""
    if isinstance(error, PermissionError) and error.errno is None:
        return Problem(403, NOT_PERMITTED, str(error))
    if isinstance(error, OSError):
        path = f"{error.filename}: " if error.filename else ""
        return Problem(409, file_code(error), f"{path}{error.strerror or error}")
    if isinstance(error, ValueError):
        return Problem(422, "invalid_value", str(error))
    return error


def _shorten_input(stdin: bytes | None) -> str | None:
    """The input as it is recorded."""
    if stdin is None:
        return None
    text = stdin[:SHOWN_INPUT].decode(errors="replace")
    return text if len(stdin) <= SHOWN_INPUT else f"{text}... ({len(stdin)} bytes)"
