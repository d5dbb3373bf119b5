"""Sessions whose sandboxes come from a pool."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.errors import SessionError
from cloche.events import FileStore
from cloche.runtime import PyodideRuntime
from cloche.sandbox.pool.pool import Pool
from cloche.session import AgentSession
from cloche.session.agents.scripted_agent import ScriptedAgent

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

CONFIG = AppConfig()


@pytest.fixture
async def pool() -> AsyncGenerator[Pool]:
    async with PyodideRuntime.open_pool(CONFIG, 1, max_size=3) as opened:
        yield opened


async def start(root: Path, pool: Pool, sid: str, config: AppConfig = CONFIG) -> AgentSession:
    session = AgentSession(sid, FileStore(root))
    await session.start("pyodide", config, ScriptedAgent([]), pool=pool, env={"WHO": sid})
    return session


async def test_sessions_take_spares_with_their_plugins_and_share_nothing(tmp_path: Path, pool: Pool) -> None:
    first = await start(tmp_path, pool, "first")
    second = await start(tmp_path, pool, "second")
    try:
        await first.runtime.run("echo $WHO > who; X=1")
        assert (await first.runtime.run("cat who")).content == "first\n"
        assert (await second.runtime.run("echo $WHO$X; ls")).content == "second\n"
        cell = await second.runtime.run_ipython("open('f.txt', 'w').write('needle')\nsearch_file('needle', 'f.txt')")
        assert "needle" in cell.content
        assert pool.stats.handed_out == 2
        assert pool.stats.templates == 1
    finally:
        await first.close()
        await second.close()
    with anyio.fail_after(10):
        while pool.stats.busy + pool.stats.closing:  # noqa: ASYNC110 - no event
            await anyio.sleep(0.01)


async def test_a_session_with_a_workspace_has_its_own_sandbox_in_the_pool(tmp_path: Path, pool: Pool) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    own = replace(CONFIG, core=replace(CONFIG.core, workspace_base=folder))
    session = await start(tmp_path / "s", pool, "s", own)
    try:
        await session.runtime.run("echo kept > note")
    finally:
        await session.close()
    assert (folder / "note").read_text() == "kept\n"


async def test_a_session_says_why_a_pool_gives_it_nothing(tmp_path: Path) -> None:
    async with PyodideRuntime.open_pool(CONFIG, 1, max_size=1, wait=0.2) as pool:
        await pool.ready()
        first = await start(tmp_path, pool, "first")
        impatient = replace(CONFIG, sandbox=replace(CONFIG.sandbox, connect_timeout=1))
        with pytest.raises(SessionError, match="no sandbox became free"):
            await start(tmp_path, pool, "second", impatient)
        await first.close()
    with pytest.raises(SessionError, match="not open"):
        await start(tmp_path, pool, "third")
