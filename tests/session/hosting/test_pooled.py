"""Sessions of a server whose sandboxes come from its pool."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from cloche.session import NewSession, SessionManager
from tests.session.hosting.conftest import managing, run, say, until

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


@pytest.fixture
async def pooled(tmp_path: Path) -> AsyncGenerator[SessionManager]:
    """A manager with one spare."""
    async with managing(tmp_path, server={"pool_size": 1}) as manager:
        yield manager


async def spare(manager: SessionManager) -> None:
    """Wait for a spare."""
    await until(lambda: manager.pool is not None and manager.pool.spare > 0)


async def test_a_new_session_takes_a_spare_and_keeps_its_files(pooled: SessionManager, tmp_path: Path) -> None:
    await spare(pooled)
    session = await pooled.create("ann", NewSession(env={"WHO": "ann"}))
    assert await say(session, run("echo $WHO > f; ls")) == "f"
    assert pooled.pool is not None
    assert pooled.pool.handed_out == 1
    [folder] = [path for path in (tmp_path / "workspaces").iterdir() if (path / "f").exists()]
    running = await session.start()
    box = getattr(running.runtime, "box", None)
    assert box is not None
    assert "+ann" in (await box.diff()).patch
    await session.stop()
    assert (folder / "f").read_text() == "ann\n"
    assert await say(session, run("cat f")) == "ann"
    # It started on its own folder, without the pool.
    assert pooled.pool.handed_out == 1
    await pooled.delete(session.sid)
    assert not folder.exists()


async def test_folders_of_spares_that_nobody_used_go_with_them(tmp_path: Path) -> None:
    async with managing(tmp_path, server={"pool_size": 1}) as manager:
        await spare(manager)
        session = await manager.create("ann", NewSession())
        await say(session, run("echo x > f"))
        await spare(manager)
        assert len(list((tmp_path / "workspaces").iterdir())) == 2
    [kept] = (tmp_path / "workspaces").iterdir()
    assert (kept / "f").exists()


async def test_sessions_that_come_at_once_have_a_folder_each(pooled: SessionManager) -> None:
    async def work(number: int) -> None:
        session = await pooled.create("ann", NewSession())
        assert await say(session, run(f"echo {number} > f{number}; ls")) == f"f{number}"

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(work, number)
