"""Forks: a session that goes on from an event of another one."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

import anyio
from anyio import to_thread
from msgspec import Struct

from cloche.errors import EventError, SandboxUnavailable, SavedStateError
from cloche.events import AgentStateChangedObservation, EventFilter, EventStream, Status, is_observation
from cloche.limits import FORK_SAVE, FORK_WAIT
from cloche.runtime import PyodideRuntime, Runtime, RuntimeStatus
from cloche.sandbox.sandbox import Sandbox
from cloche.session.changes import copy_action_diffs, copy_beginning, find_changes
from cloche.session.control.states import AgentState
from cloche.session.hosting.host import Host
from cloche.session.hosting.open_actions import answer_open_actions, gets_answer
from cloche.session.hosting.records import ForkOrigin, SessionDetails, plain_details, read_details
from cloche.session.hosting.workspaces import Workspaces
from cloche.session.starting.run_note import RUNNING_SINCE

log = logging.getLogger(__name__)

LOOK = 0.02
"""Seconds between two looks for a moment in which nothing runs."""
OPEN = "it was still open where the session was forked. It is not executed here."
FORKED = "the session was forked while the agent worked"


class TakenState(Struct, frozen=True, kw_only=True):
    """What a fork takes over besides events."""

    workspace: str | None = None
    saved: str | None = None
    text: str
    """What the fork says of it."""


async def fork_session(host: Host, stream: EventStream, runtime: Runtime | None, at: int | None, owner: str) -> str:
    """Make the fork of a session at an event, by default at its latest one; returns its id.

    `runtime` is where it runs, if it does.
    """
    latest = await stream.get_latest_event_id()
    if at is not None and not 0 <= at <= latest:
        raise EventError(f"the session {stream.sid} cannot be forked at {at}: its events are 0 to {latest}")
    async with _hold_still(runtime, stream) as moving:
        # Events may have been added before it stood still.
        latest = await stream.get_latest_event_id()
        info = await host.store.session(stream.sid)
        details = SessionDetails() if info is None else read_details(info)
        at = latest if at is None else at
        state = await _take_state(host, details, runtime, moving, at == latest)
        try:
            return await _copy(host, stream, details, state, at, owner)
        except BaseException:
            if host.workspaces is not None:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(host.workspaces.remove, state.workspace, state.saved)
            raise


async def _copy(
    host: Host, stream: EventStream, details: SessionDetails, state: TakenState, at: int, owner: str
) -> str:
    sid = uuid4().hex
    own = SessionDetails(
        owner=owner,
        wanted=details.wanted,
        hosted=True,
        workspace=state.workspace,
        saved=state.saved,
        forked_from=ForkOrigin(stream.sid, at),
        # Until its open actions are answered: a server that is killed meanwhile leaves that to the next one.
        running_since=0,
    )
    await stream.copy(sid, at, plain_details(own))
    await copy_action_diffs(stream, sid, at)
    fork = stream.open_beside(sid)
    if state.workspace is not None:
        await to_thread.run_sync(copy_beginning, find_changes(stream), find_changes(fork))
    await answer_open_actions(fork, -1, OPEN, OPEN)
    if await _find_state(fork) in (AgentState.RUNNING, AgentState.AWAITING_USER_CONFIRMATION):
        await fork.add_event(AgentStateChangedObservation("", AgentState.PAUSED, FORKED))
    text = f"Forked from the session {stream.sid} at its event {at}. {state.text}"
    await fork.add_event(Status(RuntimeStatus.SETTING_UP_WORKSPACE, text))
    await host.store.update_details(sid, {RUNNING_SINCE: None})
    log.info("the session %s was forked from %s at %d", sid, stream.sid, at)
    return sid


async def _take_state(
    host: Host, details: SessionDetails, runtime: Runtime | None, moving: str, whole: bool
) -> TakenState:
    """Copy what a fork can have of the sandbox; `moving` says why it does not stand still, if it does not."""
    if not whole:
        return TakenState(text="Its files and variables begin fresh: only those of the latest event are there.")
    if host.workspaces is None:
        return TakenState(text="Its variables begin fresh: this server keeps no files of sessions.")
    box = runtime.box if isinstance(runtime, PyodideRuntime) else None
    if box is not None and not moving:
        try:
            return await _save(host.workspaces, box)
        except (SavedStateError, SandboxUnavailable, TimeoutError) as error:
            moving = str(error) or f"saving them took more than {FORK_SAVE:g} s"
    return await _copy_kept(host.workspaces, details, moving or "its sandbox is not on this machine")


async def _save(workspaces: Workspaces, box: Sandbox) -> TakenState:
    """Save a sandbox that stands still."""
    name = workspaces.new()
    place = await to_thread.run_sync(workspaces.make_saved, name)
    with anyio.fail_after(FORK_SAVE):
        try:
            saved = await box.save(place)
        except SavedStateError as error:
            await box.save(place, python=False)
            return TakenState(
                workspace=name, saved=name, text=f"Its files are as they were; its variables begin fresh: {error}"
            )
    lost = f", but for the variables of {', '.join(saved.without)}" if saved.without else ""
    return TakenState(workspace=name, saved=name, text=f"Its files and variables are as they were{lost}.")


async def _copy_kept(workspaces: Workspaces, details: SessionDetails, why: str) -> TakenState:
    """Copy what is kept of a session whose sandbox cannot be saved."""
    if details.workspace is None:
        return TakenState(text=f"Its files and variables begin fresh: {why}, and no files are kept.")
    name = workspaces.new()
    saved = await to_thread.run_sync(workspaces.copy, details.workspace, name)
    if saved:
        # It was forked itself, and not started since.
        return TakenState(workspace=name, saved=name, text="Its files and variables are as they were.")
    return TakenState(
        workspace=name, text=f"The files in /workspace are as they were; its variables begin fresh: {why}."
    )


@asynccontextmanager
async def _hold_still(runtime: Runtime | None, stream: EventStream) -> AsyncGenerator[str]:
    """Let no action begin in the block; yields what is still moving, or nothing if all have come to their end."""
    if runtime is None:
        yield "it did not run"
        return
    turn, still, why = runtime.turn, False, "an action was running"
    with anyio.move_on_after(FORK_WAIT):
        while not still:
            await turn.acquire()
            try:
                if isinstance(runtime, PyodideRuntime) and runtime.command_runs:
                    why = "a command that was left running still runs"
                    break
                still = await _is_settled(stream)
            finally:
                if not still:
                    turn.release()
            if not still:
                # The action was executed, but its observation is not stored yet; or it waits for its turn.
                await anyio.sleep(LOOK)
    try:
        yield "" if still else why
    finally:
        if still:
            turn.release()


async def _is_settled(stream: EventStream) -> bool:
    """Whether the last action has its observation; they are executed in order."""
    answered: set[int | None] = set()
    async for event in stream.get_events(reverse=True):
        if is_observation(event.body):
            answered.add(event.cause)
        elif gets_answer(event):
            return event.id in answered
    return True


async def _find_state(stream: EventStream) -> str:
    """The state that an agent was last in."""
    kinds = EventFilter(include_types=(AgentStateChangedObservation,))
    async for event in stream.get_events(reverse=True, filter=kinds, limit=1):
        if isinstance(event.body, AgentStateChangedObservation):
            return event.body.agent_state
    return ""
