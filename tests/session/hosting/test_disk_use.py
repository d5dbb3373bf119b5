"""What users' files may take, whoever writes them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche.errors import DiskLimit
from cloche.events import (
    Action,
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    FileEditAction,
    FileReadAction,
    FileWriteAction,
    IPythonRunCellAction,
    RmAction,
    SandboxCallAction,
    Status,
    new_event,
)
from cloche.runtime.codes import NO_ROOM
from cloche.session import HostedSession, NewSession, SessionManager
from cloche.session.hosting import disk_use
from cloche.session.hosting.disk_use import may_write
from tests.session.hosting.conftest import managing, run

pytestmark = [pytest.mark.timeout(60), pytest.mark.usefixtures("prepared")]

FILL = run("head -c 1500000 /dev/zero > big")


@asynccontextmanager
async def filled(root: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[tuple[SessionManager, HostedSession]]:
    """A session whose code has written more than its user may have, and that is known."""
    monkeypatch.setattr(disk_use, "SERVER_MEASURED", 0.05)
    monkeypatch.setattr(disk_use, "PATIENCE", 0.0)
    async with managing(root, server={"disk_mb": 1.0}) as manager:
        session = await manager.create("ann", NewSession())
        await session.act(FILL)
        with anyio.fail_after(10):
            # It is measured in the background.
            while not isinstance((await session.act(run(":"))).body, ErrorObservation):
                pass
        yield manager, session


async def test_a_user_whose_code_has_filled_the_room_is_told_and_can_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with filled(tmp_path, monkeypatch) as (manager, session):
        refused = (await session.act(run("echo more > more"))).body
        assert isinstance(refused, ErrorObservation)
        assert refused.error_id == NO_ROOM
        assert "1.4 MB of 1.0 MB" in refused.content
        assert "[server] disk_mb" in refused.content
        with pytest.raises(DiskLimit, match="disk_mb"):
            await manager.create("ann", NewSession())
        with pytest.raises(DiskLimit):
            await manager.fork(session.sid, None, "ann")
        other = await manager.create("ben", NewSession())
        assert isinstance((await other.act(run(":"))).body, CmdOutputObservation)
        assert isinstance((await session.act(run("rm big; ls"))).body, CmdOutputObservation)
        left = (await session.act(run("ls; echo more > more"))).body
        assert isinstance(left, CmdOutputObservation)
        assert left.content == ""


async def test_a_session_that_starts_without_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with filled(tmp_path, monkeypatch) as (_, session):
        await session.stop()
        assert isinstance((await session.act(new_event(RmAction("/workspace/none"), "user"))).body, ErrorObservation)
        told = [event.body async for event in session.stream.get_events() if isinstance(event.body, Status)]
        assert any(each.level == "error" and each.content.startswith("There is no room") for each in told)
        assert any("/tmp and the home folder are gone" in each.content for each in told)


@pytest.mark.parametrize(
    ("action", "writes"),
    [
        (CmdRunAction("rm -rf build && ls -la | du"), False),
        (CmdRunAction("find . -name '*.o' -delete"), False),
        (CmdRunAction("C-c", is_input=True), False),
        (CmdRunAction("find . -exec cp {} /tmp ;"), True),
        (CmdRunAction("ls > list"), True),
        (CmdRunAction("rm $(make)"), True),
        (CmdRunAction("$X"), True),
        (CmdRunAction("yes"), True),
        (IPythonRunCellAction("1"), True),
        (FileWriteAction("a", ""), True),
        (FileEditAction("/workspace/a", "view"), False),
        (FileReadAction("a"), False),
        (RmAction("a"), False),
        (SandboxCallAction("remove"), False),
        (SandboxCallAction("write"), True),
    ],
)
async def test_actions_that_read_or_remove_need_no_room(action: Action, writes: bool) -> None:
    assert await to_thread.run_sync(may_write, action) is writes
