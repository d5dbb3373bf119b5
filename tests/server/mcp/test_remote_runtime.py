"""The runtime `pyodide` with its sandbox at the `/mcp` of a server: its actions are events there."""

from collections.abc import AsyncGenerator
from uuid import uuid4

import anyio
import pytest
from msgspec.structs import replace

from cloche.config import AppConfig, MCPConfig, NamedServer, Secret
from cloche.events import CmdRunAction, ErrorObservation, is_action
from cloche.runtime import PyodideRuntime, Runtime
from cloche.runtime.codes import SANDBOX_GONE
from cloche.runtime.contract import RuntimeContract
from tests.server.conftest import OWNER, RunningServer
from tests.server.mcp.peers import list_actions, list_events

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


def at(server: RunningServer, token: str = OWNER) -> AppConfig:
    """The configuration of a runtime at this server."""
    named = NamedServer(url=f"{server.url}/mcp", api_key=Secret(token))
    config = AppConfig(mcp=MCPConfig(servers={"pyodide": named}))
    return replace(config, sandbox=replace(config.sandbox, plugins=()))


@pytest.mark.slow
class TestRemoteSession(RuntimeContract):
    """A sandbox that is a session of a server."""

    @pytest.fixture
    async def runtime(self, server: RunningServer) -> AsyncGenerator[Runtime]:
        async with PyodideRuntime(at(server), sid=uuid4().hex, user_id="ada") as runtime:
            yield runtime


async def find_only_session(server: RunningServer) -> str:
    (view,) = await server.app.manager.list_sessions()
    return view.id


async def test_its_actions_are_on_record_there_and_heard_here(server: RunningServer) -> None:
    heard: list[str] = []
    async with PyodideRuntime(at(server), sid="mine") as runtime:
        action = CmdRunAction("echo one; echo two")
        observation = await runtime.execute(action, on_output=lambda _, text: heard.append(text))
        again = await runtime.execute(CmdRunAction("echo x >> f; cat f"), key="same")
        assert await runtime.execute(CmdRunAction("echo x >> f; cat f"), key="same") == again
    sid = await find_only_session(server)
    done = list_actions(await list_events(server, sid))
    assert (done[0][0].body, done[0][1].body) == (action, observation)
    assert "".join(heard) == "one\ntwo\n"
    assert [action.body.command for action, _ in done if isinstance(action.body, CmdRunAction)] == [
        "echo one; echo two",
        "echo x >> f; cat f",
    ]


async def test_a_session_that_was_closed_there_is_noticed(server: RunningServer) -> None:
    async with PyodideRuntime(at(server), sid="mine") as runtime:
        await runtime.run("export X=1; touch kept")
        with anyio.fail_after(60):
            await (await server.app.manager.find(await find_only_session(server))).stop()
            gone = await runtime.run("echo $X")
        assert isinstance(gone, ErrorObservation)
        assert gone.error_id == SANDBOX_GONE
        assert (await runtime.run("ls; echo X=$X")).content == "kept\nX=\n"
    events = await list_events(server, await find_only_session(server))
    # What was not executed is not on record as if it had been.
    assert "echo $X" not in [getattr(event.body, "command", "") for event in events if is_action(event.body)]
