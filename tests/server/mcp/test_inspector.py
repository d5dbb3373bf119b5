"""The official inspector, from npm, against the server."""

from functools import partial
from pathlib import Path

import pytest
from anyio import to_thread

from tests.mcp.test_official import inspect, programs
from tests.server.conftest import OWNER, RunningServer

__all__ = ["programs"]

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(400)]


async def test_the_inspector_lists_and_calls_tools(programs: Path, server: RunningServer) -> None:
    reach = [f"{server.url}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {OWNER}"]
    call = ["--method", "tools/call", "--tool-name", "run_python", "--tool-arg", "code=6 * 7"]
    listed = await to_thread.run_sync(partial(inspect, programs, *reach, "--method", "tools/list"))
    assert "run_python" in str(listed["tools"])
    answer = await to_thread.run_sync(partial(inspect, programs, *reach, *call))
    assert answer["content"] == [{"type": "text", "text": "42"}]
    (view,) = await server.app.manager.list_sessions()
    assert view.title.startswith("MCP: ")
