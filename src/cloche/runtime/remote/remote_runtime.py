"""The runtime `remote`: actions are executed in a session of a Cloche server."""

from msgspec import convert
from msgspec.structs import asdict

from cloche.config import AppConfig, SandboxConfig
from cloche.errors import ConfigError
from cloche.events import Observation, RunnableAction
from cloche.remote.address import ServerAddress
from cloche.remote.connection import ServerConnection, require_client
from cloche.remote.remote_calls import RemoteCalls
from cloche.remote.remote_files import RemoteFiles
from cloche.remote.remote_session import RemoteSession
from cloche.remote.sessions import SandboxWish, SessionRequest
from cloche.runtime.base import Runtime
from cloche.runtime.remote.forwarder import Forwarder
from cloche.runtime.remote.http_transport import HTTPTransport
from cloche.runtime.remote.remote_executor import RemoteExecutor, config_place


class RemoteRuntime(Runtime):
    """Executes actions at `[remote] url`, in a session of its own, or in the one that `[remote] session` names."""

    has_python = True

    _executor: RemoteExecutor | None = None
    _transport: HTTPTransport | None = None

    @property
    def box(self) -> RemoteFiles | None:
        """The folders of the sandbox, and what has changed in them."""
        return None if self._transport is None else RemoteFiles(RemoteCalls(self._transport.session))

    async def attach(self) -> None:
        session = open_session(self.config, title=f"runtime of {self.sid}")
        transport = HTTPTransport(session)
        # The transport takes up lost connections by itself.
        forwarder = Forwarder(transport, session.connection.place, reconnect=0)
        self._executor = await RemoteExecutor.start(self, transport, forwarder)
        self._transport = transport

    async def set_up(self) -> None:
        if self.config.sandbox.packages and self._transport is not None:
            await self._transport.install(self.config.sandbox.packages)
        await super().set_up()

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        assert self._executor is not None, "what is executed comes after `attach`"
        return await self._executor.perform(action, timeout=timeout, key=key)

    async def interrupt(self) -> bool:
        if self.runs_outside:
            return await super().interrupt()
        return self._executor is not None and await self._executor.interrupt()

    async def detach(self) -> None:
        if self._executor is not None:
            await self._executor.close()


def open_session(config: AppConfig, *, title: str) -> RemoteSession:
    """The session that a configuration means; it is not begun yet."""
    require_client()
    address, remote = find_address(config), config.remote
    wish = None if remote.session else find_wish(config)
    request = SessionRequest(title=title, sandbox=wish)
    return RemoteSession(ServerConnection(address), request, sid=remote.session, keep=remote.keep)


def find_address(config: AppConfig) -> ServerAddress:
    """Where the server of a configuration is; raises ConfigError."""
    url: str = config.require("remote.url")
    try:
        return ServerAddress.read(url, config.remote.read_token())
    except ConfigError as error:
        raise ConfigError(f"{config_place(config)}: [remote] {error}") from error


def find_wish(config: AppConfig) -> SandboxWish | None:
    """The options of the sandbox that differ from the defaults; raises ConfigError for what a server decides."""
    place, own, plain = config_place(config), asdict(config.sandbox), asdict(SandboxConfig())
    if config.core.workspace_base is not None:
        raise ConfigError(f"{place}: a server has no folder of this machine as /workspace: leave out workspace_base")
    for name in ("mounts", "secrets", "confinement"):
        if own[name] != plain[name]:
            raise ConfigError(f"{place}: [sandbox] {name} is decided by the owner of the server: leave it out")
    wanted = {name: own[name] for name in SandboxWish.__struct_fields__ if own[name] != plain[name]}
    return convert(wanted, SandboxWish) if wanted else None
