"""Sessions that nobody needs are closed, and what becomes of an agent whose clients have gone."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cloche.config.sections import AgentConfig
from cloche.events import Action, AgentFinishAction, CmdOutputObservation, CmdRunAction, Event, new_event
from cloche.session import AgentState, HostedSession, NewSession
from cloche.session.agents import StepState
from tests.session.hosting.conftest import Listener, managing, run, say, until

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


class Worker:
    """An agent that always has something to do."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        if state.iteration > 2000:
            return [AgentFinishAction()]
        return [CmdRunAction(f"sleep 0.05; echo {state.iteration} > n")]


WORKER = {"Worker": AgentConfig(classpath=f"{__name__}.Worker")}
"""The configuration that knows it."""


async def begin(session: HostedSession) -> None:
    """Wait until its agent works."""
    running = await session.start()
    await running.controller.wait(AgentState.RUNNING)


async def test_an_idle_session_is_closed_and_its_stream_stays(tmp_path: Path) -> None:
    async with managing(tmp_path, sandbox={"close_delay": 0.3}) as manager:
        session, watched = await manager.create("ann", NewSession()), await manager.create("ann", NewSession())
        watched.attach(Listener())
        await say(session, run("echo x > f"))
        await watched.start()
        await until(lambda: session.state == "stored")
        assert watched.state == "awaiting_user_input"
        assert await say(session, run("cat f")) == "x"


async def test_what_runs_keeps_its_session_open(tmp_path: Path) -> None:
    async with managing(tmp_path, sandbox={"close_delay": 0.2, "no_change_timeout": 0.3}) as manager:
        session = await manager.create("ann", NewSession())
        # Its observation comes while it runs, and it goes on.
        answer = await session.act(run("sleep 100"))
        assert isinstance(answer.body, CmdOutputObservation)
        assert answer.body.exit_code == -1
        left = await manager.create("ann", NewSession())
        await left.start()
        await until(lambda: left.state == "stored")
        assert session.state == "awaiting_user_input"
        assert session.measure_idle() is None
        await session.act(new_event(CmdRunAction("C-c", is_input=True)))
        await until(lambda: session.state == "stored")


async def test_an_agent_goes_on_without_clients(tmp_path: Path) -> None:
    async with managing(tmp_path, sandbox={"close_delay": 0.2}, server={"grace": 0.2}, agents=WORKER) as manager:
        session, other = await manager.create("ann", NewSession(agent="Worker", initial_message="go")), Listener()
        await begin(session)
        session.attach(other)
        session.detach(other)
        idle = await manager.create("ann", NewSession())
        await idle.start()
        await until(lambda: idle.state == "stored")
        assert session.state == "running"


@pytest.mark.parametrize(("on_leave", "state"), [("pause", "paused"), ("close", "stored")])
async def test_an_agent_pauses_or_closes_when_its_last_client_has_been_gone(
    tmp_path: Path, on_leave: str, state: str
) -> None:
    async with managing(tmp_path, server={"grace": 0.2, "on_leave": on_leave}, agents=WORKER) as manager:
        session = await manager.create("ann", NewSession(agent="Worker", initial_message="go"))
        first, second = Listener(), Listener()
        session.attach(first)
        session.attach(second)
        await begin(session)
        left = await manager.create("ann", NewSession(agent="Worker", initial_message="go"))
        left.attach(first)
        await begin(left)
        for each in (session, left):
            each.detach(first)
        await until(lambda: left.state == state)
        # One is still there.
        assert session.state == "running"
        session.detach(second)
        await until(lambda: session.state == state)
        if on_leave == "pause":
            assert manager.count_running() == 2


async def test_a_client_that_comes_back_in_time_finds_the_agent_at_work(tmp_path: Path) -> None:
    async with managing(tmp_path, server={"grace": 0.4, "on_leave": "close"}, agents=WORKER) as manager:
        session, client = await manager.create("ann", NewSession(agent="Worker", initial_message="go")), Listener()
        session.attach(client)
        await begin(session)
        session.detach(client)
        assert session.left is not None
        session.attach(client)
        assert session.left is None
        gone = await manager.create("ann", NewSession(agent="Worker", initial_message="go"))
        gone.attach(client)
        await begin(gone)
        gone.detach(client)
        await until(lambda: gone.state == "stored")
        assert session.state == "running"
