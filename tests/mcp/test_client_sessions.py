"""The sandboxes of clients, without a server around them."""

import logging

import anyio
import pytest

from cloche.config import AppConfig, CoreConfig, SandboxConfig
from cloche.errors import SandboxUnavailable
from cloche.events import CmdRunAction, ErrorObservation, new_event
from cloche.mcp.client_session import CLOSED, ClientSession
from cloche.mcp.client_sessions import ClientSessions
from cloche.mcp.session_key import SessionKey

OWNER = SessionKey("process", "", "default")


@pytest.mark.parametrize("workspace", ["x" * 5000, "a\0b"])
async def test_a_start_that_fails_in_an_unforeseen_way_is_reported_and_ends_nothing(
    workspace: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), anyio.fail_after(10):
        async with ClientSessions(AppConfig(core=CoreConfig(workspace_base=workspace))) as sessions:
            sessions.prepare()
            session = await sessions.find(OWNER)
            for _ in range(2):
                answer = await session.execute(new_event(CmdRunAction("true"), "agent"))
                assert isinstance(answer.body, ErrorObservation)
    assert "could not be started in advance" in caplog.text


async def test_closing_does_not_wait_for_a_sandbox_that_starts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), anyio.fail_after(10):
        async with ClientSessions(AppConfig()) as sessions:
            sessions.prepare()
            await anyio.lowlevel.checkpoint()
    assert caplog.text == ""


async def test_sandboxes_are_closed_also_when_their_user_is_cancelled(prepared: object) -> None:
    with anyio.fail_after(30):
        used: list[ClientSession] = []
        with anyio.CancelScope() as scope:
            async with ClientSessions(AppConfig()) as sessions:
                used.append(await sessions.find(OWNER))
                async with used[0].box() as box:
                    await box.run("1")
                scope.cancel()
                await anyio.sleep_forever()
        assert used[0].is_empty


async def test_a_sandbox_that_starts_while_its_session_ends_is_not_left_behind(prepared: object) -> None:
    refused: list[str] = []

    async def use(session: ClientSession) -> None:
        try:
            async with session.box() as box:
                await box.run("1")
        except SandboxUnavailable as error:
            refused.append(str(error))

    async with ClientSessions(AppConfig()) as sessions:
        session = await sessions.find(OWNER)
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(use, session)
                await anyio.wait_all_tasks_blocked()
                await sessions.end(OWNER)
                assert not session.is_empty
        assert session.is_empty
    assert refused == ["this session has ended: begin another"]


async def test_an_owner_who_comes_back_while_the_sandbox_is_being_closed_gets_a_notice_too(prepared: object) -> None:
    with anyio.fail_after(30):
        async with ClientSessions(AppConfig(sandbox=SandboxConfig(close_delay=0.2))) as sessions:
            session = await sessions.find(OWNER)
            async with session.box() as box:
                await box.run("1")
            while (again := await sessions.find(OWNER)) is session:  # noqa: ASYNC110 - no event
                await anyio.sleep(0.01)
            assert again.take_notice() == CLOSED


async def test_plugins_of_the_configuration_are_set_up(prepared: object) -> None:
    with anyio.fail_after(30):
        config = AppConfig(sandbox=SandboxConfig(plugins=("agent_skills",)))
        async with ClientSessions(config) as sessions, (await sessions.find(OWNER)).box() as box:
            assert (await box.run("callable(open_file)")).value == "True"
