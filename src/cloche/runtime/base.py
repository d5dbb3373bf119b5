"""The interface of a runtime, and what all runtimes have in common."""

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING, ClassVar, Self
from uuid import uuid4

import anyio
from anyio import to_thread

from cloche.config import AppConfig, SandboxConfig
from cloche.errors import RuntimeUnavailable
from cloche.events import (
    A2ASendTaskAction,
    Action,
    AddEnvVarsAction,
    AgentAction,
    CmdRunAction,
    ErrorObservation,
    IPythonRunCellAction,
    MCPAction,
    NullObservation,
    Observation,
    RunCodeAction,
    RunnableAction,
)
from cloche.events.kinds.a2a import A2AAction
from cloche.logs import log_ids
from cloche.runtime.a2a.agent_actions import RemoteAgents
from cloche.runtime.a2a.manager import A2AManager
from cloche.runtime.codes import ACTION_FAILED, NOT_CONNECTED, STOPPED
from cloche.runtime.failures import describe_failure
from cloche.runtime.file_access import ActionFiles, FileAccess
from cloche.runtime.live_output import LiveOutput, OnOutput, pass_on_output
from cloche.runtime.plugin import Plugin, PluginRequirement, find_plugin
from cloche.runtime.recent_observations import RecentObservations
from cloche.runtime.retry import retry_within
from cloche.runtime.status import RuntimeStatus, StatusCallback
from cloche.runtime.tools.outside_tools import OutsideTools, connect_outside
from cloche.runtime.tools.toolbox import ToolBox
from cloche.runtime.unexecuted import UNCONFIRMED, answer_agent_action
from cloche.runtime.verbs import Claim, Verbs

if TYPE_CHECKING:
    from cloche.sandbox.recorded_sandbox import SandboxSource

log = logging.getLogger(__name__)

HEARD = CmdRunAction | IPythonRunCellAction | RunCodeAction | A2ASendTaskAction
"""The actions whose output is passed on while they run."""

_SETTING_UP: ContextVar[object] = ContextVar("setting_up", default=None)
"""The set-up that the current task belongs to: its actions must not wait for the turn, which the set-up holds."""


class Runtime(Verbs, ABC):
    """Executes actions: one action in, exactly one observation out, whatever happens.

    A backend writes `attach`, `perform` and `detach`; use `connect`, `execute` and `close`, or `async with`.
    """

    executes_at: ClassVar[str] = ""
    """The NAME of the `[mcp.NAME]` that executes the actions of this runtime: its tools are not offered."""

    has_python: ClassVar[bool] = False
    """Whether it can run cells, which the default plugins need."""

    def __init__(
        self,
        config: AppConfig | None = None,
        *,
        sid: str = "default",
        user_id: str | None = None,
        plugins: Sequence[PluginRequirement] | None = None,
        env_vars: Mapping[str, str] | None = None,
        status_callback: StatusCallback | None = None,
        headless_mode: bool = True,
        a2a_manager: A2AManager | None = None,
        pool: "SandboxSource | None" = None,
    ) -> None:
        self.config = config or AppConfig()
        self.sid = sid
        self.user_id = user_id
        self.headless_mode = headless_mode
        """Whether no user is watching; only for plugins: our own runtimes show nothing."""
        self.pool = pool
        """Where a runtime that has a sandbox takes it from; None to start one."""
        self.place = uuid4().hex
        """Names this very place: another one lacks what was done here."""
        self.plugins: list[Plugin] = []
        self._requirements = tuple(self._configured(config) if plugins is None else plugins)
        self._env_vars = dict(env_vars or {})
        self._status_callback = status_callback
        self.tools = ToolBox(self.config.mcp, without=self.executes_at, debug=self.config.core.debug)
        """The tools of the MCP servers that are configured."""
        manager = a2a_manager or A2AManager(self.config.a2a.servers)
        self.agents = RemoteAgents(manager, sid, owned=a2a_manager is None)
        """The remote agents of the A2A servers that are configured, or of `a2a_manager`, which stays its giver's."""
        self._outside: tuple[OutsideTools, ...] = (self.tools, self.agents)
        self.turn = anyio.Lock()
        """Held while an action runs, so that actions take turns."""
        self._life = anyio.Lock()
        self._rising = anyio.CancelScope()
        self._running: anyio.CancelScope | None = None
        self._setting_up: object = None
        self._done = RecentObservations()
        self._live: LiveOutput | None = None
        self._closed = False
        self._connected = False

    async def prepare(self) -> None:
        """Download or build what a first start needs; `connect_timeout` starts after this."""

    @abstractmethod
    async def attach(self) -> None:
        """Connect to the place where actions run; raises ConnectionError or TimeoutError if a retry may help."""

    @abstractmethod
    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        """Execute the action; the same `key` again returns the same observation and does nothing."""

    @abstractmethod
    async def detach(self) -> None:
        """Disconnect; may be called twice."""

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Get ready to execute; retries for up to `connect_timeout` seconds, then raises RuntimeUnavailable.

        Does nothing if it is connected. Actions that arrive while it connects wait.
        """
        async with self._life:
            if self._closed:
                raise RuntimeUnavailable(f"the runtime of the session {self.sid} is closed: make another")
            if self._connected:
                return
            with self._log_ids():
                await self._connect()

    async def _connect(self) -> None:
        began = time.monotonic()
        self.tell(RuntimeStatus.WAITING_FOR_CLIENT, f"Connecting to the {type(self).__name__}...")
        try:
            await self._come_up()
        except BaseException as error:
            cancelled = isinstance(error, anyio.get_cancelled_exc_class())
            why = "Connecting was cancelled." if cancelled else str(error) or type(error).__name__
            self.tell(RuntimeStatus.ERROR, why, level="error")
            await self._end()
            raise
        self.tell(RuntimeStatus.READY, "")
        log.info("the %s is connected, after %.3f s", type(self).__name__, time.monotonic() - began)

    @property
    def is_setting_up(self) -> bool:
        """Whether the caller is part of `set_up`."""
        return self._setting_up is not None and _SETTING_UP.get() is self._setting_up

    async def set_up(self) -> None:
        """Set up the session's variables and plugins in a fresh place; the caller holds `turn`."""
        self._setting_up = object()
        token = _SETTING_UP.set(self._setting_up)
        try:
            await self.ainit()
            if not self.plugins:
                self.plugins = [await to_thread.run_sync(find_plugin, each.name) for each in self._requirements]
            for plugin in self.plugins:
                self.tell(RuntimeStatus.STARTING_RUNTIME, f"Setting up the plugin {plugin.name}...")
                await plugin.initialize(self)
        finally:
            self._setting_up = None
            _SETTING_UP.reset(token)

    async def ainit(self, env_vars: Mapping[str, str] | None = None) -> None:
        """Set up the environment: the variables of the configuration, of the constructor, and these."""
        env = {**self.config.sandbox.env, **self._env_vars, **(env_vars or {})}
        if env:
            self.tell(RuntimeStatus.STARTING_RUNTIME, f"Setting the variables {', '.join(env)}...")
            await self.add_env_vars(env)

    async def execute(
        self,
        action: Action,
        *,
        timeout: float | None = None,
        key: str | None = None,
        on_output: OnOutput | None = None,
        claim: Claim | None = None,
    ) -> Observation:
        """Execute one action and return its observation; failures are observations too.

        `on_output(stream, text)` receives output while a command or code runs; the observation has all of it.
        `claim` is asked before an action is executed: if it says no, the answer is a NullObservation. It says yes only
        once, so the observation of a claimed action is not kept for its `key`.
        """
        if isinstance(action, AgentAction):
            return answer_agent_action(action)
        withheld = UNCONFIRMED.get(getattr(action, "confirmation_state", ""))
        if withheld is not None:
            return withheld
        if claim is not None and not await claim():
            return NullObservation()
        limit = timeout or self.config.sandbox.timeout
        if self.is_setting_up:
            return await self._guarded(action, limit, uuid4().hex)
        keeps = claim is None
        if on_output is None or not isinstance(action, HEARD):
            return await self._in_turn(action, limit, key, keeps=keeps)
        async with pass_on_output(on_output) as live:
            return await self._in_turn(action, limit, key, keeps=keeps, live=live)

    @property
    def files(self) -> FileAccess:
        """Its files in bytes, beside its actions."""
        return ActionFiles(self)

    @property
    def is_heard(self) -> bool:
        """Whether the caller wants the output of the running action."""
        return self._live is not None and not self.is_setting_up

    @property
    def runs_outside(self) -> bool:
        """Whether the running action is executed by a tool or a remote agent, and not by the backend."""
        return any(each.calls for each in self._outside)

    def tell_output(self, stream: str, text: str) -> None:
        """Pass on output of the action to `on_output`; a backend calls this as output arrives."""
        if self._live is not None and not self.is_setting_up:
            self._live.put(stream, text)

    async def interrupt(self) -> bool:
        """Stop the running action, whose observation says so; returns whether there was one. Others keep waiting."""
        if self._running is None:
            return False
        self._running.cancel()
        return True

    async def close(self) -> None:
        """End everything; may be called twice, never raises."""
        self._closed = True
        self._rising.cancel()
        if self._running is not None:
            self._running.cancel()
        with anyio.CancelScope(shield=True), self._log_ids():
            async with self._life:
                await self._end()

    def tell(self, status: RuntimeStatus, text: str, *, level: str = "info") -> None:
        """Report a status."""
        if self._status_callback is None:
            return
        try:
            self._status_callback(level, status, text)
        except Exception:  # a listener must not stop the runtime
            log.exception("the status %s could not be reported", status)

    async def _come_up(self) -> None:
        with anyio.CancelScope() as self._rising:
            async with self.turn:
                await self.prepare()
                what = f"the {type(self).__name__} of {self.sid}"
                await retry_within(self.attach, within=self.config.sandbox.connect_timeout, what=what)
                self._tell_servers()
                for text in await connect_outside(self._outside):
                    self.tell(RuntimeStatus.WAITING_FOR_CLIENT, text, level="error")
                await self.set_up()
                self._connected = True
        if not self._connected:
            raise RuntimeUnavailable(f"the runtime of the session {self.sid} was closed while it was being connected")

    def _tell_servers(self) -> None:
        if self.tools.servers:
            self.tell(
                RuntimeStatus.STARTING_RUNTIME, f"Connecting to the MCP servers {', '.join(self.tools.servers)}..."
            )
        if self.agents.manager.has_servers:
            self.tell(RuntimeStatus.STARTING_RUNTIME, "Reading the cards of remote agents...")

    async def _end(self) -> None:
        connected, self._connected = self._connected, False
        self._closed = True
        with anyio.CancelScope(shield=True):
            try:
                await self._without_error(self.detach)
            finally:
                for each in self._outside:
                    await self._without_error(each.close)
        if connected:
            log.info("the %s is closed", type(self).__name__)
            self.tell(RuntimeStatus.STOPPED, "")

    def _configured(self, config: AppConfig | None) -> list[PluginRequirement]:
        """The plugins of the configuration, if there is one; the default ones only where they can be set up."""
        names = () if config is None else config.sandbox.plugins
        wanted = self.has_python or names != SandboxConfig().plugins
        return [PluginRequirement(name) for name in names] if wanted else []

    async def _without_error(self, close: Callable[[], Awaitable[None]]) -> None:
        try:
            await close()
        except Exception:  # the last step of a life: whatever fails here is only of interest to an operator
            log.exception("the runtime could not be closed cleanly")

    async def _in_turn(
        self, action: RunnableAction, limit: float, key: str | None, *, keeps: bool, live: LiveOutput | None = None
    ) -> Observation:
        """Execute it after those before it; if its key is known, it is done already."""
        async with self.turn:
            observation = self._done.get(key) if keeps and key is not None else None
            if observation is None:
                self._live = live
                try:
                    observation = await self._guarded(action, limit, key or uuid4().hex)
                finally:
                    self._live = None
                if keeps and key is not None:
                    self._done.put(key, observation)
            return observation

    def _log_ids(self, action: str | None = None) -> AbstractContextManager[None]:
        """Ids for the log, for callers who have no session or none of these."""
        return log_ids(only_missing=True, session=self.sid, user=self.user_id, action=action)

    async def _guarded(self, action: RunnableAction, limit: float, key: str) -> Observation:
        with self._log_ids(key):
            log.debug("the action %s begins", action.kind)
            began = time.monotonic()
            observation = await self._answer(action, limit, key)
            log.info("the action %s: %s after %.3f s", action.kind, observation.kind, time.monotonic() - began)
        return observation

    async def _answer(self, action: RunnableAction, limit: float, key: str) -> Observation:
        if self._closed or not (self._connected or self.is_setting_up):
            return ErrorObservation(f"The runtime is not connected: `{action.kind}` was not executed.", NOT_CONNECTED)
        around = self._running
        with anyio.CancelScope() as self._running:
            try:
                return await self._act(action, limit, key)
            except Exception as error:  # the border of an action: whatever fails is its one observation
                log.exception("the action %s failed", action.kind)
                why = describe_failure(error, debug=self.config.core.debug)
                return ErrorObservation(f"The action `{action.kind}` failed: {why}", ACTION_FAILED)
            finally:
                self._running = around
        why = "the runtime was closed" if self._closed else "it was interrupted"
        return ErrorObservation(f"`{action.kind}` did not come to its end: {why}.", STOPPED)

    async def _act(self, action: RunnableAction, limit: float, key: str) -> Observation:
        if isinstance(action, MCPAction):
            return await self.tools.call(action, limit)
        if isinstance(action, A2AAction):
            return await self.agents.call(action, limit, key=key, tell=self.tell_output)
        observation = await self.perform(action, timeout=limit, key=key)
        if isinstance(action, AddEnvVarsAction) and not isinstance(observation, ErrorObservation):
            self._env_vars.update(action.env_vars)
        return observation
