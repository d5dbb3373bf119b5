"""One call on a running engine: its events in order, its deadline, and the steps that stop it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from inspect import isawaitable, signature
from math import inf
from typing import Any, Protocol, cast

import anyio
import anyio.lowlevel
import anyio.to_thread
import msgspec

from cloche.limits import BACKGROUND_CPU, INTERRUPT_GRACE, KILL_GRACE
from cloche.sandbox.process.engine_process import EngineProcess
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.process.link import SLICE, CallMessage
from cloche.sandbox.process.protocol import CallDone, ClearMessage, DisplayMessage, OutputBlock
from cloche.sandbox.results.result import Cleared, Event, Result, Shown, Text
from cloche.sandbox.results.transcript import Transcript

log = logging.getLogger(__name__)

InputAnswer = Awaitable[str | None] | str | None

LEAST_GIVEN_BACK = 0.05
"""Fewer seconds than this are not added to the time limit."""


class _InputQuestion(msgspec.Struct, frozen=True):
    """The content of a request for input."""

    prompt: str
    password: bool = False
    seconds: float | None = None
    """How long the code waits for an answer."""
    session: bool = False
    """Whether an interrupt is an answer too: the prompt of a session."""


class PasswordInput(Protocol):
    """Answers input; with `password`, what is typed must not be shown."""

    def __call__(self, prompt: str, /, *, password: bool) -> InputAnswer: ...


OnInput = Callable[[str], InputAnswer] | PasswordInput
"""Takes the prompt and returns a line, or None for the end of input; gets `password` if it has that parameter."""


class Call:
    """Runs code and yields what happens; the last event is the Result."""

    def __init__(
        self,
        process: EngineProcess,
        language: str,
        *,
        timeout: float | None,
        record: Transcript,
        state_lost: bool = False,
        notice: str | None = None,
    ) -> None:
        self._process = process
        self._language = language
        self._transcript = record
        self._on_input: OnInput | None = None
        self._number, self._inbox = process.open_inbox()
        self._started = time.monotonic()
        self._left = inf if timeout is None else timeout
        self._timer: asyncio.TimerHandle | None = None
        self._armed = self._started
        self._resumed = 0.0
        self._inbox.on_begin = self._restart
        self._limit = self._left
        self._taken = process.background.taken
        self._given_back = 0.0
        self._state_lost = process.take_loss(language) or state_lost
        self._notice = notice
        self._interrupted = False
        self._begun = False
        """Whether the code has begun after a wait: this happens once, whatever the engine reports."""
        self._cleared = False
        self._timed_out = False
        self._clear_next = False
        self._events: list[Event] = []
        self.finished = False

    def start(self, request: dict[str, Any], on_input: OnInput | None) -> None:
        self._on_input = on_input
        log.debug("pid=%d call=%d: run in %s begins", self._process.pid, self._number, self._language)
        self._process.send({"op": "run", "id": self._number, "language": self._language, "request": request})
        self._arm()

    def interrupt(self) -> None:
        """The first step of the interrupt ladder. The engine takes the second; the timer set here takes the third."""
        if self.finished or self._interrupted:
            return
        self._interrupted = True
        why = "its time is over" if self._timed_out else "it was asked for"
        log.debug("pid=%d call=%d: interrupted, %s", self._process.pid, self._number, why)
        self._left = INTERRUPT_GRACE + KILL_GRACE
        self._arm()
        # `done` comes after all output, which the caller may read slowly.
        self._inbox.widen()
        self._process.interrupt()

    async def next(self) -> Event | None:
        """The next event; None after the result."""
        while not self._events and not self.finished:
            message = self._inbox.take()
            if message is None:
                await self._inbox.wait()
                self._resumed = time.perf_counter()
            else:
                await self._take(message)
                await self._give_way()
        return self._events.pop(0) if self._events else None

    async def finish(self) -> Result:
        """Wait for the result; the events before it are dropped."""
        while not isinstance(event := await self.next(), Result):
            pass
        return event

    async def _give_way(self) -> None:
        """Let other tasks run after a slice of messages."""
        if time.perf_counter() - self._resumed > SLICE:
            await anyio.lowlevel.checkpoint()
            self._resumed = time.perf_counter()

    async def abandon(self) -> None:
        """Stop the code and wait for its end, so that the sandbox is free for the next call."""
        with anyio.CancelScope(shield=True):
            self.interrupt()
            self._on_input = None
            while not self.finished:
                self._events.clear()
                await self.next()

    def close(self) -> None:
        self._disarm()
        self._process.close_inbox(self._number)

    def _arm(self) -> None:
        """Start the timer, which runs even if no events are read."""
        self._disarm()
        self._armed = time.monotonic()
        if self._left < inf:
            self._timer = asyncio.get_running_loop().call_later(self._left, self._climb)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pause(self) -> None:
        """Stop the timer while the caller answers."""
        self._disarm()
        self._left = max(0.0, self._left - (time.monotonic() - self._armed))

    def _restart(self) -> None:
        """Start the time limit when the code begins; the wait for background work has its own limit."""
        if self._interrupted or self._begun:
            return
        self._begun = not self._inbox.waits
        self._left = self._limit if self._begun else BACKGROUND_CPU
        self._taken = self._process.background.taken
        self._arm()

    def _give_back(self) -> float:
        """Seconds that background work has taken from this call since the last time, up to a limit."""
        taken = min(self._process.background.taken - self._taken, BACKGROUND_CPU)
        owed = taken - self._given_back
        if owed < LEAST_GIVEN_BACK:
            return 0.0
        self._given_back = taken
        return owed

    def _climb(self) -> None:
        if self._inbox.ended.is_set():
            return
        if self._inbox.waits and not self._interrupted and not self._cleared:
            self._cleared = True
            self._process.stop_background(f"a call waited {BACKGROUND_CPU:g} s behind it")
            self._left = INTERRUPT_GRACE + KILL_GRACE
            self._arm()
            return
        if self._interrupted or self._inbox.waits:
            self._process.kill("the code could not be stopped in any other way")
        elif owed := self._give_back():
            self._left = owed
            self._arm()
        else:
            self._timed_out = True
            self.interrupt()

    async def _take(self, message: CallMessage) -> None:
        match message:
            case OutputBlock(_, stream, data):
                self._emit(Text(stream, self._transcript.decode(stream, data)))
            case DisplayMessage(_, display):
                self._forget()
                self._transcript.show(display, self._inbox.weight)
                self._events.append(Shown(display))
            case ClearMessage(_, wait):
                self._clear_next = wait
                if not wait:
                    self._transcript.clear()
                self._events.append(Cleared(wait))
            case HostRequest():
                await self._answer(message)
            case CallDone():
                self._finish(message)
            case _:
                pass

    def _emit(self, text: Text) -> None:
        if not text.text:
            return
        self._forget()
        self._transcript.add(text)
        self._events.append(text)

    def _forget(self) -> None:
        if self._clear_next:
            self._clear_next = False
            self._transcript.clear()

    async def _answer(self, request: HostRequest) -> None:
        """Answer a request for input; the time limit stands still, and an interrupt withdraws the question."""
        question = _read_question(request)
        if self._on_input is None or question is None or request.aborted:
            request.end()
            return
        if not self._interrupted:
            self._pause()
        failures: list[Exception] = []
        with anyio.move_on_after(inf if question.seconds is None else question.seconds) as patience:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._ask, request, question, tasks.cancel_scope, failures)
                request.on_abort = tasks.cancel_scope.cancel
                await self._inbox.ended.wait()
                tasks.cancel_scope.cancel()
        if not self._interrupted:
            self._arm()
        if failures:
            raise failures[0]
        if patience.cancelled_caught:
            request.end()

    async def _ask(
        self,
        request: HostRequest,
        question: _InputQuestion,
        scope: anyio.CancelScope,
        failures: list[Exception],
    ) -> None:
        assert self._on_input is not None, "there is somebody to ask"
        try:
            request.answer(
                await ask_caller(self._on_input, question.prompt, password=question.password, session=question.session)
            )
            request.end()
        except Exception as error:  # noqa: BLE001 - the caller's own function; the caller gets its error
            failures.append(error)
        scope.cancel()

    def _log_end(self, done: CallDone, duration: float) -> None:
        """Log how it ended, without its contents."""
        ending = "timed out" if self._timed_out and done.interrupted else _describe_ending(done)
        figures = (self._process.pid, self._number, self._language, ending, duration, done.state)
        log.info("pid=%d call=%d: run in %s %s after %.3f s, state %s", *figures)

    def _finish(self, done: CallDone) -> None:
        for text in self._transcript.finish():
            self._emit(text)
        self.finished = True
        self._disarm()
        if self._state_lost:
            done = msgspec.structs.replace(done, state="lost")
        duration = time.monotonic() - self._started
        self._log_end(done, duration)
        timed_out = self._timed_out and done.interrupted
        result: Result = self._transcript.result(
            done.outcome, done.state, language=self._language, timed_out=timed_out, duration=duration
        )
        if notice := self._process.background.take_notice() or self._notice:
            result = msgspec.structs.replace(result, notice=notice)
        self._events.append(result)


def _describe_ending(done: CallDone) -> str:
    if done.outcome.error is None and done.outcome.exit_code == 0:
        return "ok"
    return "failed" if done.outcome.exit_code in (0, 1) else f"failed with exit code {done.outcome.exit_code}"


def _read_question(request: HostRequest) -> _InputQuestion | None:
    try:
        return msgspec.convert(request.content, _InputQuestion)
    except msgspec.ValidationError:
        return None


async def ask_caller(on_input: OnInput, prompt: str, *, password: bool = False, session: bool = False) -> str | None:
    """What the caller's function answers; one that is not async runs in a thread."""
    known = {"password": password, "session": session}
    taken = {name: value for name, value in known.items() if name in _list_parameters(on_input)}
    ask = partial(cast("Callable[..., InputAnswer]", on_input), prompt, **taken)
    answer = await anyio.to_thread.run_sync(ask, abandon_on_cancel=True)
    return await answer if isawaitable(answer) else answer


def _list_parameters(on_input: OnInput) -> Collection[str]:
    try:
        return signature(on_input).parameters
    except (TypeError, ValueError):
        # Some callables written in C have no signature.
        return ()
