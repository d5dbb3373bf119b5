"""The interface of a runtime, and what every runtime does alike."""

import logging
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self
from uuid import uuid4

import anyio
from anyio import to_thread

from cloche.config import AppConfig
from cloche.errors import RuntimeUnavailable
from cloche.events import Action, ErrorObservation, MCPAction, Observation
from cloche.limits import REMEMBERED_ACTIONS
from cloche.runtime.answers import answer_without_runtime
from cloche.runtime.plugin import Plugin, PluginRequirement, find_plugin
from cloche.runtime.retry import retried
from cloche.runtime.status import RuntimeStatus, StatusCallback
from cloche.runtime.tools import ToolBox
from cloche.runtime.verbs import Verbs

log = logging.getLogger(__name__)

FAILED = "AGENT_ERROR$ACTION_FAILED"
NOT_CONNECTED = "AGENT_ERROR$NOT_CONNECTED"
STOPPED = "AGENT_ERROR$STOPPED"


class Runtime(Verbs, ABC):
    """Where actions are executed: one action in, exactly one observation out, whatever happens.

    A backend writes `attach`, `perform` and `detach`; use `connect`, `execute` and `close`, or `async with`.
    """

    executes_at: ClassVar[str] = ""
    """The NAME of the `[mcp.NAME]` that executes the actions of this runtime: its tools are not offered."""

    def __init__(
        self,
        config: AppConfig | None = None,
        *,
        sid: str = "default",
        user_id: str | None = None,
        plugins: Sequence[PluginRequirement] = (),
        env_vars: Mapping[str, str] | None = None,
        status_callback: StatusCallback | None = None,
        headless_mode: bool = True,
    ) -> None:
        self.config = config or AppConfig()
        self.sid = sid
        self.user_id = user_id
        self.headless_mode = headless_mode
        self.plugins: list[Plugin] = []
        self._requirements = tuple(plugins)
        self._env_vars = dict(env_vars or {})
        self._status_callback = status_callback
        self.tools = ToolBox(self.config.mcp, without=self.executes_at)
        """The tools of the MCP servers that are configured."""
        self._turn = anyio.Lock()
        self._done: OrderedDict[str, Observation] = OrderedDict()
        self._scope = anyio.CancelScope()
        self._closed = False
        self._connected = False

    @abstractmethod
    async def attach(self) -> None:
        """Reach the place where actions run; an error that may pass is ConnectionError or TimeoutError."""

    @abstractmethod
    async def perform(self, action: Action, *, timeout: float, key: str) -> Observation:
        """Do what the action says; the same `key` again gives the same observation and does nothing."""

    @abstractmethod
    async def detach(self) -> None:
        """Let go of the place; may be called twice."""

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Get ready to execute; tries again for up to `connect_timeout` seconds, then raises RuntimeUnavailable."""
        if self._closed:
            raise RuntimeUnavailable(f"the runtime of the session {self.sid} is closed: make another")
        self.tell(RuntimeStatus.WAITING_FOR_CLIENT, f"Connecting to the {type(self).__name__}...")
        try:
            await retried(
                self.attach, within=self.config.sandbox.connect_timeout, what=f"the {type(self).__name__} of {self.sid}"
            )
            self._connected = True
            await self.tools.connect()
            for server, why in self.tools.failures.items():
                self.tell(
                    RuntimeStatus.WAITING_FOR_CLIENT, f"The MCP server {server} is not connected: {why}", level="error"
                )
            await self.ainit()
            await self._start_plugins()
        except BaseException as error:
            self.tell(RuntimeStatus.ERROR, str(error) or type(error).__name__, level="error")
            await self.close()
            raise
        self.tell(RuntimeStatus.READY, "")

    async def ainit(self, env_vars: Mapping[str, str] | None = None) -> None:
        """Set up the environment: the variables of the configuration, of the constructor, and these."""
        env = {**self.config.sandbox.env, **self._env_vars, **(env_vars or {})}
        if env:
            await self.add_env_vars(env)

    async def execute(self, action: Action, *, timeout: float | None = None, key: str | None = None) -> Observation:
        """Execute one action and give its one observation; failures are observations too."""
        known = answer_without_runtime(action)
        if known is not None:
            return known
        limit = timeout or self.config.sandbox.timeout
        async with self._turn:
            if key is not None and key in self._done:
                return self._done[key]
            observation = await self._guarded(action, limit, key or uuid4().hex)
            if key is not None:
                self._remember(key, observation)
        return observation

    async def interrupt(self) -> bool:
        """Stop the action that runs, whose observation then tells; says whether there was one."""
        running = self._turn.locked()
        self._scope.cancel()
        return running

    async def close(self) -> None:
        """End everything; may be called twice, never raises."""
        self._closed = True
        self._scope.cancel()
        with anyio.CancelScope(shield=True):
            try:
                await self.detach()
                await self.tools.close()
            except Exception:  # the last step of a life: whatever fails here is only of interest to an operator
                log.exception("session=%s the runtime could not be closed cleanly", self.sid)
        if self._connected:
            self._connected = False
            self.tell(RuntimeStatus.STOPPED, "")

    def tell(self, status: RuntimeStatus, text: str, *, level: str = "info") -> None:
        """Pass a status on to whoever listens."""
        if self._status_callback is not None:
            self._status_callback(level, status, text)

    async def _guarded(self, action: Action, limit: float, key: str) -> Observation:
        if not self._connected:
            return ErrorObservation(f"The runtime is not connected: `{action.kind}` was not executed.", NOT_CONNECTED)
        with anyio.CancelScope() as self._scope:
            try:
                if isinstance(action, MCPAction):
                    return await self.tools.call(action, limit)
                return await self.perform(action, timeout=limit, key=key)
            except Exception as error:
                log.exception("session=%s action=%s failed", self.sid, action.kind)
                return ErrorObservation(f"The action `{action.kind}` failed: {describe(error)}", FAILED)
        why = "the runtime was closed" if self._closed else "it was interrupted"
        return ErrorObservation(f"`{action.kind}` did not come to its end: {why}.", STOPPED)

    def _remember(self, key: str, observation: Observation) -> None:
        self._done[key] = observation
        if len(self._done) > REMEMBERED_ACTIONS:
            self._done.popitem(last=False)

    async def _start_plugins(self) -> None:
        for requirement in self._requirements:
            plugin = await to_thread.run_sync(find_plugin, requirement.name)
            await plugin.initialize(self)
            self.plugins.append(plugin)


def describe(error: BaseException) -> str:
    """The error in one line that says of what kind it is."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
