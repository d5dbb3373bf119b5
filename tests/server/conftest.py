"""A real server on a port of its own, in the loop of the test."""

import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from anyio import to_thread
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.limits import SERVER_MESSAGE_LIMIT
from cloche.llm import LLM
from cloche.server.access.logins import Logins
from cloche.server.access.token_file import TokenFile
from cloche.server.app import ServerApp, create_app
from cloche.session import SessionManager

OWNER = "the-owners-token"


class RunningServer:
    """A server that answers, and what tests ask of it."""

    def __init__(self, app: ServerApp, url: str, tokens: TokenFile, config: AppConfig) -> None:
        self.app = app
        self.url = url
        self.tokens = tokens
        self.config = config

    def client(self, token: str | None = OWNER, **options: Any) -> httpx2.AsyncClient:
        """A client with this token."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=30, **options)

    async def add_user(self, name: str, *scopes: str) -> str:
        """The token of a new user."""
        return await to_thread.run_sync(self.tokens.create, name, scopes or ("read", "run"))


class WebServer(uvicorn.Server):
    """Tells when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = anyio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()


StartServer = Callable[..., AbstractAsyncContextManager[RunningServer]]


def plain_config(folder: Path, **server: Any) -> AppConfig:
    """A configuration without plugins, which take time to set up, and with the data in this folder."""
    config = AppConfig()
    return replace(
        config,
        core=replace(config.core, file_store_path=str(folder)),
        sandbox=replace(config.sandbox, plugins=()),
        server=replace(config.server, **{"requests_per_second": 10_000.0, "pool_size": 1, **server}),
    )


@asynccontextmanager
async def open_server(config: AppConfig, model: LLM | None = None, *, port: int = 0) -> AsyncGenerator[RunningServer]:
    """A server that answers until the end of the block; the port is a free one unless it is given."""
    tokens = TokenFile(config.core.store_folder)
    manager = SessionManager(config, model=model)
    with socket.create_server(("127.0.0.1", port)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        app = create_app(config, manager, Logins(OWNER, tokens))
        settings = uvicorn.Config(
            app, log_config=None, lifespan="off", timeout_graceful_shutdown=5, ws_max_size=SERVER_MESSAGE_LIMIT
        )
        web = WebServer(settings)
        async with app, anyio.create_task_group() as tasks:
            tasks.start_soon(web._serve, [listening])  # pyright: ignore[reportPrivateUsage] - without its signals
            with anyio.fail_after(20):
                await web.up.wait()
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            try:
                yield RunningServer(app, url, tokens, config)
            finally:
                with anyio.CancelScope(shield=True):
                    await app.end()
                    web.should_exit = True


@pytest.fixture
def start_server(tmp_path: Path, assets: Path) -> StartServer:
    """Starts a server; the options are those of `[server]`, besides the configuration and the model."""

    def start(
        config: AppConfig | None = None, model: LLM | None = None, **server: Any
    ) -> AbstractAsyncContextManager[RunningServer]:
        return open_server(config or plain_config(tmp_path / "data", **server), model)

    return start


@pytest.fixture
async def server(start_server: StartServer) -> AsyncGenerator[RunningServer]:
    """A server with one spare sandbox."""
    async with start_server() as running:
        yield running


@pytest.fixture
async def client(server: RunningServer) -> AsyncGenerator[httpx2.AsyncClient]:
    """A client of the owner."""
    async with server.client() as client:
        yield client


@pytest.fixture(scope="module")
async def shared_server(assets: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningServer]:
    """A server for all tests of a module that leave no trace for each other."""
    async with open_server(plain_config(tmp_path_factory.mktemp("server"), pool_size=0)) as running:
        yield running


@pytest.fixture(scope="module")
async def shared_client(shared_server: RunningServer) -> AsyncGenerator[httpx2.AsyncClient]:
    """A client of its owner."""
    async with shared_server.client() as client:
        yield client


@pytest.fixture(scope="module")
async def session(shared_client: httpx2.AsyncClient) -> str:
    """The path of a session there."""
    answer = await shared_client.post("/api/sessions", json={})
    assert answer.status_code == 201, answer.text
    return f"/api/sessions/{answer.json()['id']}"
