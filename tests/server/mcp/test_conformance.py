"""The official conformance suite, from npm, against `/mcp` of the server."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import pytest
import uvicorn
from anyio import to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from cloche.mcp.app import create_app
from cloche.server.mcp import app as mcp_app
from tests.mcp import test_official
from tests.mcp.conforming import TOOLS
from tests.mcp.test_official import programs
from tests.server.conftest import OWNER, RunningServer, StartServer, WebServer

__all__ = ["programs"]

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(400)]


class WithToken:
    """Adds the token to requests, which the suite cannot send."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {OWNER}".encode())]}
        await self._app(scope, receive, send)


@asynccontextmanager
async def serve_openly(server: RunningServer) -> AsyncGenerator[str]:
    """The address of a server that needs no token."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        web = WebServer(uvicorn.Config(WithToken(server.app), log_level="error", lifespan="off"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(web.serve, [listening])
            await web.up.wait()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
            web.should_exit = True


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_the_server_conforms(
    programs: Path, start_server: StartServer, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(mcp_app, "create_app", partial(create_app, more_tools=TOOLS))
    expected = Path(test_official.__file__).parent / f"conformance-{version}.yml"
    async with start_server() as server, serve_openly(server) as url:
        options = ["--url", f"{url}/mcp", "--spec-version", version, "--expected-failures", str(expected)]
        conformance = str(programs / "conformance")
        done = await to_thread.run_sync(partial(test_official.run, conformance, "server", *options))
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
