"""The calls of all sessions of a server: each is made once, and goes on while its client connects again."""

import logging
from contextlib import aclosing
from types import TracebackType
from typing import Self
from weakref import ref

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from cloche.events import (
    ErrorObservation,
    Event,
    NullAction,
    NullObservation,
    Observation,
    event_from_dict,
    event_to_dict,
    is_observation,
    new_event,
)
from cloche.limits import CALL_BLOB_KEPT, CALL_KEPT, CALL_ORPHAN, CALLS_KEPT, CALLS_KEPT_SIZE, CALLS_OPEN
from cloche.remote.calls import Begun, CallRequest
from cloche.remote.remote_calls import GONE
from cloche.remote.verbs import Act, RunCode
from cloche.runtime import PyodideRuntime, Runtime
from cloche.runtime.box_call import BoxCall
from cloche.runtime.codes import SANDBOX_GONE
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.results.result import Text
from cloche.server.calls.box_files import BoxStore
from cloche.server.calls.live_call import LiveCall
from cloche.server.calls.performing import Query, perform_query
from cloche.server.problems import Problem
from cloche.session import HostedSession
from cloche.session.hosting.clients import OutputListener

log = logging.getLogger(__name__)

LOOK = 5.0
"""Seconds between two looks for calls without a client."""
LOST = (
    "the sandbox that was meant is gone, with its variables, packages and temporary files: the server was restarted, "
    "or the session was stopped, or not used for long."
)
NOT_MADE = f"{LOST} The call was NOT made; the next one has a fresh sandbox"


class SessionCalls:
    """The calls of one session that are being made, or whose answers are kept; and what belongs to them."""

    def __init__(self, hosted: HostedSession) -> None:
        self.hosted = ref(hosted)
        self.store = BoxStore()
        self.calls: dict[str, LiveCall] = {}
        self.place = ""
        """The sandbox that marks belong to."""

    def forget(self, now: float) -> None:
        """Drop answers that nobody will ask for, and stop calls whose clients are gone."""
        for key, call in list(self.calls.items()):
            if call.ended_at is not None and now - call.ended_at > CALL_KEPT and not call.log.is_read:
                del self.calls[key]
            elif call.log.left is not None and now - call.log.left > CALL_ORPHAN and not call.log.ended:
                log.info("the call %s is stopped: its client has been gone for %g s", key, CALL_ORPHAN)
                call.abandon()

    def make_room(self) -> None:
        """Drop the oldest answers, if there are too many or they are too long."""
        ended = [(key, call.log.size) for key, call in self.calls.items() if call.log.ended and not call.log.is_read]
        size = sum(each for _, each in ended)
        for count, (key, each) in enumerate(ended[:-1]):
            if len(ended) - count <= CALLS_KEPT and size <= CALLS_KEPT_SIZE:
                return
            del self.calls[key]
            size -= each


class Calls:
    """Makes the calls of clients, in tasks of the server: a connection that breaks stops none."""

    def __init__(self) -> None:
        self._sessions: dict[str, SessionCalls] = {}
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        self._tasks.start_soon(self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        if tasks is not None:
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(None, None, None)

    def open(self, hosted: HostedSession, request: CallRequest) -> LiveCall:
        """The call with this key, which is begun if it is new."""
        mine = self.of(hosted)
        call = mine.calls.get(request.key)
        if call is None:
            if sum(not each.log.ended for each in mine.calls.values()) >= CALLS_OPEN:
                raise Problem(429, "calls", f"{CALLS_OPEN} calls of this session are open", fix="Wait for one to end.")
            if self._tasks is None:
                raise Problem(503, "stopping", "the server is being stopped", fix="Try again later.")
            mine.make_room()
            call = mine.calls[request.key] = LiveCall(request, mine.store)
            self._tasks.start_soon(self._live, hosted, call)
        return call

    def find(self, hosted: HostedSession, key: str) -> LiveCall:
        """A call that was begun."""
        call = self.of(hosted).calls.get(key)
        if call is None:
            raise Problem(404, "call_unknown", f"this session has no call {key}, or not any more")
        return call

    def of(self, hosted: HostedSession) -> SessionCalls:
        """The calls of a session."""
        mine = self._sessions.setdefault(hosted.sid, SessionCalls(hosted))
        mine.hosted = ref(hosted)
        return mine

    async def _look(self) -> None:
        while True:
            await anyio.sleep(LOOK)
            now = anyio.current_time()
            for sid, mine in list(self._sessions.items()):
                mine.forget(now)
                gone = mine.hosted() is None
                # A session that does not run may be forgotten between data and its call.
                await mine.store.blobs.forget(now - (CALL_KEPT if gone else CALL_BLOB_KEPT))
                if mine.hosted() is None and not mine.calls and not len(mine.store.blobs):
                    del self._sessions[sid]

    async def _live(self, hosted: HostedSession, call: LiveCall) -> None:
        """A call from its beginning to its end; never raises."""
        try:
            await self._make(hosted, call)
        except Exception as error:  # noqa: BLE001 - the border of a request: its client is told, and what is ours is logged
            call.fail(error)
        finally:
            call.fail(Problem(503, "sandbox_unavailable", "the session or its server ended while the call was made"))

    async def _make(self, hosted: HostedSession, call: LiveCall) -> None:
        request = call.request
        known = await hosted.find_action(request.key)
        async with hosted.use() as session:
            runtime = session.runtime
            self._enter(hosted, runtime)
            verb = request.call
            if isinstance(verb, Act):
                await _act(hosted, runtime, call, verb, known=known)
                return
            if known is not None:
                raise Problem(409, GONE, _tell_known(known, await hosted.act(known)))
            if request.place not in (None, runtime.place):
                raise Problem(409, GONE, NOT_MADE)
            calls, box = _find_box(hosted, runtime)
            call.put(Begun(runtime.place, verb.seconds if isinstance(verb, RunCode) else None))
            if isinstance(verb, Query):
                call.finish(await perform_query(verb, box, call.store), box)
                return
            calls[request.key] = call
            try:
                event = replace(new_event(call.record(verb), "user"), cloche={"key": request.key})
                await _until_observed(hosted, await hosted.act(event, wait=False), call)
            finally:
                calls.pop(request.key, None)

    def _enter(self, hosted: HostedSession, runtime: Runtime) -> None:
        """Forget the marks of a sandbox that is gone."""
        mine = self.of(hosted)
        if mine.place != runtime.place:
            mine.place = runtime.place
            mine.store.forget_marks()


async def _act(hosted: HostedSession, runtime: Runtime, call: LiveCall, verb: Act, *, known: Event | None) -> None:
    """Have an action executed, and tell its output meanwhile."""
    given = event_from_dict(verb.event)
    place = runtime.place
    call.put(Begun(place, given.timeout or runtime.config.sandbox.timeout))
    if known is None and call.request.place not in (None, place):
        gone = ErrorObservation(
            f"`{given.kind}` was NOT executed: {LOST} The next action has a fresh one.", SANDBOX_GONE
        )
        return _answer(call, new_event(gone, "user"), place)
    if isinstance(given.body, NullAction):
        return _answer(call, new_event(NullObservation(), answers=given), place)
    stored = await hosted.act(replace(given, cloche={"key": call.request.key}), wait=False)
    listener = _Listener(call, stored)
    hosted.attach(listener)
    try:
        observed = await hosted.act(stored)
    finally:
        hosted.detach(listener)
    return _answer(call, observed, place)


def _answer(call: LiveCall, event: Event, place: str) -> None:
    call.finish(event_to_dict(replace(event, cloche={**(event.cloche or {}), "runtime": place})))


class _Listener(OutputListener):
    """Passes on the output of one action."""

    def __init__(self, call: LiveCall, action: Event) -> None:
        self._call = call
        self._action = action.id

    def hear_output(self, action: int, stream: str, text: str) -> None:
        """A piece of what an action prints."""
        if action == self._action and stream in ("stdout", "stderr"):
            self._call.put(Text("stdout" if stream == "stdout" else "stderr", text))


async def _until_observed(hosted: HostedSession, action: Event, call: LiveCall) -> None:
    """Wait until the action of a call has its observation, which is the end of the call however it came."""
    assert action.id is not None, "what is stored has an id"
    async with aclosing(hosted.stream.follow(action.id)) as events:
        async for event in events:
            if event.cause == action.id and is_observation(event.body):
                call.fail(Problem(503, "sandbox_unavailable", _tell_end(event.body)))
                return


def _tell_end(observation: Observation) -> str:
    return observation.content or f"the call ended without an answer: `{observation.kind}`"


def _tell_known(action: Event, observed: Event) -> str:
    """What is known of a call that an earlier process of the server has made."""
    assert is_observation(observed.body), "an action is answered by an observation"
    return (
        f"{LOST} The call was recorded before that, as event {action.id} of the session, and is not made again. What "
        f"came of it: {' '.join(_tell_end(observed.body).split())[:500]}"
    )


def _find_box(hosted: HostedSession, runtime: Runtime) -> tuple[dict[str, BoxCall], RecordedSandbox]:
    """The sandbox of a session, and the calls that wait for it."""
    box = runtime.box if isinstance(runtime, PyodideRuntime) else None
    calls = runtime.calls if isinstance(runtime, PyodideRuntime) else None
    if box is None or calls is None:
        raise Problem(
            409,
            "no_sandbox",
            f"the session runs on the runtime {hosted.runtime}, which has no sandbox here",
            fix="Send actions instead.",
        )
    return calls, box
