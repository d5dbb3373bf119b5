"""Runs the server until it is stopped."""

import contextlib
import logging
import secrets
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Generator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from anyio import to_thread
from msgspec import Struct

from cloche.config import AppConfig
from cloche.config.sections import ServerConfig
from cloche.errors import ConfigError
from cloche.limits import SERVER_MESSAGE_LIMIT, SERVER_SHUTDOWN
from cloche.mcp.serving import ListenAddress, open_socket
from cloche.server.access.token_file import TokenFile

if TYPE_CHECKING:
    from cloche.server.app import ServerApp

MODULES = ("uvicorn", "cloche.server.app")
"""What takes long to import."""


class Started(Struct, frozen=True):
    """Where the server is."""

    url: str
    token: str
    was_given: bool
    """Whether the caller named the token, so that it need not be shown."""

    @property
    def login(self) -> str:
        """The address that logs a browser in."""
        return f"{self.url}/?token={self.token}"


async def serve(config: AppConfig, token: str | None, on_start: Callable[[Started], None]) -> None:
    """Serve until SIGINT or SIGTERM; `on_start` is told the address when it answers."""
    settings = config.server
    listen = ListenAddress(settings.host, settings.port, token)
    tokens = None if config.core.file_store == "memory" else TokenFile(config.core.store_folder)
    if token is None and not listen.is_local and not (tokens and tokens.list_tokens()):
        raise ConfigError(
            f"others could reach {settings.host}: give a token with --token or CLOCHE_TOKEN, "
            "create one with `cloche token create NAME`, or listen on 127.0.0.1"
        )
    await to_thread.run_sync(check_tls, settings)
    with open_socket(listen, option="--port") as listening:
        await to_thread.run_sync(_load_modules)
        from cloche.server.access.logins import Logins
        from cloche.server.app import create_app
        from cloche.session import SessionManager

        logins = Logins(token or secrets.token_urlsafe(24), tokens)
        port = listening.getsockname()[1]
        logins.cookie = f"cloche-{port}"
        scheme = "http" if settings.tls_cert is None else "https"
        started = Started(f"{scheme}://{_name_host(settings.host)}:{port}", logins.owner_token, token is not None)
        async with create_app(config, SessionManager(config), logins) as app:
            await _run(app, listening, config, lambda: on_start(started))


async def _run(app: "ServerApp", listening: socket.socket, config: AppConfig, on_start: Callable[[], None]) -> None:
    import uvicorn

    class Web(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if not self.should_exit:
                on_start()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # What runs ends first, so that its callers have their answers.
            await app.end()
            await super().shutdown(sockets)

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None]:
            """As theirs, but SIGTERM is a way to end it well, and not raised again."""
            before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for each, handler in before.items():
                    signal.signal(each, handler)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            stopped_by.append(sig)
            super().handle_exit(sig, frame)

    stopped_by: list[int] = []
    settings = config.server
    await Web(
        uvicorn.Config(
            app,
            # Its records go where the others go.
            log_config=None,
            log_level=logging.WARNING,
            access_log=False,
            ssl_certfile=settings.tls_cert,
            ssl_keyfile=settings.tls_key,
            server_header=False,
            ws_max_size=SERVER_MESSAGE_LIMIT,
            lifespan="off",
            timeout_graceful_shutdown=int(SERVER_SHUTDOWN),
        )
    ).serve(sockets=[listening])
    if signal.SIGINT in stopped_by:
        raise KeyboardInterrupt


def check_tls(settings: ServerConfig) -> None:
    """Raise ConfigError if there is a certificate or a key that cannot be used; reads their files."""
    if settings.tls_cert is None:
        if settings.tls_key is not None:
            raise ConfigError("[server] tls_key is of no use without tls_cert")
        return
    for name, path in (("tls_cert", settings.tls_cert), ("tls_key", settings.tls_key)):
        if path is not None and not Path(path).is_file():
            raise ConfigError(f"[server] {name}: there is no file {path}")
    try:
        # With a password, so that nobody is asked for one: the server may have no terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key, password="-")
    except OSError as error:
        key = settings.tls_key or settings.tls_cert
        raise ConfigError(
            f"the certificate in {settings.tls_cert} and the key in {key} cannot be used ({error.strerror or error}): "
            "give [server] tls_cert and tls_key files in PEM that belong together, the key without a password"
        ) from error


def _load_modules() -> None:
    for name in MODULES:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"the server needs the extra `server` ({error.name}): pip install 'cloche[server]'"
            ) from error


def _name_host(host: str) -> str:
    """The host as it stands in an address."""
    if host in ("0.0.0.0", "::"):
        return socket.gethostname() if sys.platform != "win32" else "127.0.0.1"
    return f"[{host}]" if ":" in host else host
