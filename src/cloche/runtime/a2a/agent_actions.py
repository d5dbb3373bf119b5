"""Executes actions for remote agents."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import anyio

from cloche.errors import RemoteAgentError, RemoteAgentUnknown
from cloche.events import (
    A2ACancelTaskAction,
    A2ACancelTaskObservation,
    A2AListRemoteAgentsAction,
    A2AListRemoteAgentsObservation,
    A2ASendTaskAction,
    A2ASendTaskObservation,
    ErrorObservation,
    Observation,
)
from cloche.events.kinds.a2a import A2AAction
from cloche.limits import A2A_CANCEL_WAIT
from cloche.runtime.a2a.manager import HOW_TO_CONFIGURE, A2AManager
from cloche.runtime.a2a.task_result import TaskResult
from cloche.runtime.codes import NO_SUCH_AGENT, REMOTE_AGENT_FAILED, REMOTE_AGENT_LOGIN

Tell = Callable[[str, str], None]
"""Takes the name of a stream, and a piece of output."""
LISTED = 30
"""Skills of an agent that are named in the content of a list; all of them are in its `agents`."""


class RemoteAgents:
    """The remote agents of one session."""

    what = "A2A server"

    def __init__(self, manager: A2AManager, sid: str, *, owned: bool) -> None:
        self.manager = manager
        self._sid = sid
        self._owned = owned
        """Whether the manager is closed with it; one that was given is its giver's."""
        self.calls = 0
        """How many calls are running."""
        self._idle = anyio.Event()

    @property
    def failures(self) -> dict[str, str]:
        """Why a server cannot be used, by its place."""
        return self.manager.failures

    async def connect(self) -> None:
        """Read the cards of all servers."""
        await self.manager.initialize_agent_cards()

    async def call(self, action: A2AAction, seconds: float, *, key: str, tell: Tell) -> Observation:
        """Execute an action; a failure is an observation."""
        self.calls += 1
        try:
            match action:
                case A2AListRemoteAgentsAction():
                    return await self._list()
                case A2ASendTaskAction():
                    return await self._send(action, seconds, key, tell)
                case A2ACancelTaskAction():
                    return await self._cancel(action)
        except RemoteAgentUnknown as error:
            return ErrorObservation(str(error), NO_SUCH_AGENT)
        finally:
            self.calls -= 1
            self._idle.set()

    async def close(self) -> None:
        """Close all connections, as soon as the tasks that run are cancelled."""
        with anyio.move_on_after(A2A_CANCEL_WAIT):
            while self.calls:
                self._idle = anyio.Event()
                await self._idle.wait()
        if self._owned:
            await self.manager.close()

    async def _list(self) -> Observation:
        await self.manager.initialize_agent_cards()
        agents = self.manager.list_remote_agents()
        lines = [_describe_agent(agent) for agent in agents]
        if not self.manager.has_servers:
            lines = [f"There are no remote agents: {HOW_TO_CONFIGURE}"]
        lines += [f"The A2A server {place} cannot be used: {why}." for place, why in self.failures.items()]
        return A2AListRemoteAgentsObservation("\n".join(lines), agents)

    async def _send(self, action: A2ASendTaskAction, seconds: float, key: str, tell: Tell) -> Observation:
        result = TaskResult()
        limit, place = seconds, ""
        try:
            with anyio.fail_after(limit):
                server = await self.manager.find(action.agent_name)
            limit, place = min(seconds, server.config.timeout), server.place
            with anyio.fail_after(limit):
                await self._follow(action, key, tell, result)
        except TimeoutError:
            left = await self._give_up(action, result)
            return _make_failure(action, f"it was not done in {limit:g} s{left}", result)
        except RemoteAgentUnknown:
            raise
        except RemoteAgentError as error:
            return _make_failure(action, str(error), result)
        except anyio.get_cancelled_exc_class():
            await self._give_up(action, result)
            raise
        if result.state == "auth-required":
            return _ask_login(action, place, result)
        return A2ASendTaskObservation(
            _describe_result(action, result), action.agent_name, result.task_id, result.state, result.artifacts
        )

    async def _follow(self, action: A2ASendTaskAction, key: str, tell: Tell, result: TaskResult) -> None:
        # The same action is the same message, also if it is sent again.
        message_id = uuid5(NAMESPACE_URL, f"cloche:{self._sid}/{key}").hex
        sent = self.manager.send_task(
            action.agent_name, action.task_message, self._sid, task_id=action.task_id, message_id=message_id
        )
        async with aclosing(sent) as updates:
            async for update in updates:
                tell("stdout", result.add(update))

    async def _give_up(self, action: A2ASendTaskAction, result: TaskResult) -> str:
        """Cancel the task there; returns what became of it, for a message."""
        task_id = result.task_id or action.task_id
        if task_id is None:
            return ", and whether it was begun is not known"
        with anyio.move_on_after(A2A_CANCEL_WAIT, shield=True):
            try:
                result.state = await self.manager.cancel_task(action.agent_name, task_id)
            except RemoteAgentError as error:
                return f", and the task {task_id} could not be cancelled: {error}"
            return f", and the task {task_id} was cancelled"
        return f", and the task {task_id} could not be cancelled: it gave no answer in {A2A_CANCEL_WAIT:g} s"

    async def _cancel(self, action: A2ACancelTaskAction) -> Observation:
        name, task_id = action.agent_name, action.task_id
        await self.manager.find(name)
        failure = f"The task {task_id} of the remote agent {name} could not be cancelled"
        try:
            with anyio.fail_after(A2A_CANCEL_WAIT):
                state = await self.manager.cancel_task(name, task_id)
        except TimeoutError:
            return ErrorObservation(f"{failure}: it gave no answer in {A2A_CANCEL_WAIT:g} s.", REMOTE_AGENT_FAILED)
        except RemoteAgentError as error:
            return ErrorObservation(f"{failure}: {error}.", REMOTE_AGENT_FAILED)
        return A2ACancelTaskObservation(f"The task {task_id} of {name} is {state}.", name, task_id, state)


def _describe_agent(agent: dict[str, Any]) -> str:
    skills: list[dict[str, Any]] = agent["skills"]
    names = [f"  - {skill['name']}: {skill['description']}" for skill in skills[:LISTED]]
    more = [f"  - and {len(skills) - LISTED} more"] if len(skills) > LISTED else []
    return "\n".join([f"{agent['name']}: {agent['description']}", *names, *more])


def _describe_result(action: A2ASendTaskAction, result: TaskResult) -> str:
    heads = {
        "completed": f"{action.agent_name} has completed the task.",
        "failed": f"{action.agent_name} has failed to do the task.",
        "rejected": f"{action.agent_name} has rejected the task.",
        "canceled": f"{action.agent_name} has canceled the task.",
        "input-required": (
            f"{action.agent_name} needs an answer to go on: send it as the next task_message with "
            f"the task_id {result.task_id}."
        ),
    }
    return "\n".join(piece for piece in (heads[result.state], result.describe()) if piece)


def _make_failure(action: A2ASendTaskAction, why: str, result: TaskResult) -> ErrorObservation:
    """An error that says how far the task came."""
    text = f"The task of the remote agent {action.agent_name} failed: {why.rstrip('.')}."
    if result.task_id is not None:
        text += f" The task {result.task_id} was {result.state or 'begun'} when it was last heard of"
        said = result.describe()
        text += f":\n{said}" if said else "."
    return ErrorObservation(text, REMOTE_AGENT_FAILED)


def _ask_login(action: A2ASendTaskAction, place: str, result: TaskResult) -> ErrorObservation:
    text = (
        f"The remote agent {action.agent_name} at {place} waits until you have logged in. Once that is done, send the "
        f"next task_message with the task_id {result.task_id}."
    )
    return ErrorObservation("\n".join(piece for piece in (text, result.describe()) if piece), REMOTE_AGENT_LOGIN)
