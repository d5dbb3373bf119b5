"""AgentSession: a runtime, a stream of events, an agent, and what judges it, from start to close."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio import to_thread
from msgspec import Struct

from cloche.config import AppConfig, LLMConfig, load_config
from cloche.errors import ClocheError, ConfigError, SessionError
from cloche.events import (
    Body,
    ChangeAgentStateAction,
    Event,
    EventStream,
    Files,
    FileStore,
    LoopRecoveryAction,
    MemoryStore,
    MessageAction,
    SQLiteStore,
    Store,
)
from cloche.llm import LLM, open_llm
from cloche.logs import log_ids
from cloche.runtime import A2AManager, PyodideRuntime, Runtime, RuntimeStatus, StatusCallback, get_runtime_cls
from cloche.runtime.verbs import Work
from cloche.sandbox.recorded_sandbox import SandboxSource
from cloche.security import ActionContext, SecurityAnalyzer, Surroundings, name_analyzers, open_analyzer
from cloche.session.agents import Agent
from cloche.session.agents.registry import find_agent_class
from cloche.session.agents.toolset import Toolset
from cloche.session.changes import ChangeRecorder, ChangesWanted, open_recorder
from cloche.session.control.budget import Budget
from cloche.session.control.controller import AgentController
from cloche.session.control.judging import Refuse
from cloche.session.control.states import AgentState
from cloche.session.delegation import Workplace, find_window, run_agent
from cloche.session.dispatcher import Dispatcher
from cloche.session.live_output import OnLiveOutput
from cloche.session.open_store import FILE, open_configured_store
from cloche.session.starting.run_note import noting_run
from cloche.session.starting.session_lock import SessionLock
from cloche.session.starting.workspace import Workspace, find_instructions, find_loss, set_up_repository
from cloche.session.status_recorder import StatusRecorder

log = logging.getLogger(__name__)

CLOSE_WAIT = 10.0
"""Seconds that a session may take to end by itself."""
Result = TypeVar("Result")


class SessionPlan(Struct, kw_only=True):
    """What a session is started with."""

    runtime_name: str | None
    config: AppConfig
    agent: Agent | str | None
    max_iterations: int | None
    tokens: Mapping[str, str]
    repository: str | None
    branch: str | None
    initial_message: str | None
    instructions: str
    env: Mapping[str, str]
    model: LLM | None
    headless: bool
    on_output: OnLiveOutput | None
    a2a_manager: A2AManager | None
    pool: SandboxSource | None
    kept: bool | None
    changes: ChangesWanted | None
    refuse: Refuse | None


class AgentSession:
    """One conversation of an agent; its events are in the store, and it can be started again from there."""

    def __init__(
        self,
        sid: str,
        file_store: Files | None = None,
        status_callback: StatusCallback | None = None,
        user_id: str | None = None,
        *,
        stream: EventStream | None = None,
    ) -> None:
        """`FileStore(root)` holds the events too, in `root/events.db`; a bare one means the configured stores.

        Instead, `stream` may be one that the caller has: its store is open, and the caller holds the SessionLock.
        """
        self.sid = sid
        self.user_id = user_id
        self._files = file_store
        self._given = stream
        self._status_callback = status_callback
        self._stream: EventStream | None = None
        self._runtime: Runtime | None = None
        self._controller: AgentController | None = None
        self._analyzer: SecurityAnalyzer | None = None
        self._changes: ChangeRecorder | None = None
        self._dispatcher: Dispatcher | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready = anyio.Event()
        self._leaving = anyio.Event()
        self._ended = anyio.Event()
        self._error: BaseException | None = None
        self.first_event = 0
        """The id of the first event of this start."""
        self._life: anyio.CancelScope | None = None

    @property
    def stream(self) -> EventStream:
        """The events."""
        return _require(self._stream, self.sid)

    @property
    def runtime(self) -> Runtime:
        """Where actions run."""
        return _require(self._runtime, self.sid)

    @property
    def controller(self) -> AgentController:
        """What runs the agent."""
        return _require(self._controller, self.sid)

    @property
    def analyzer(self) -> SecurityAnalyzer | None:
        """What judges the agent's actions; None if nothing does."""
        return self._analyzer

    @property
    def changes(self) -> ChangeRecorder | None:
        """What compares its files with those of its beginning; None if that is not wanted, or cannot be done here."""
        return self._changes

    @property
    def context(self) -> ActionContext:
        """What an analyzer knows of this moment besides an action."""
        return _make_context(self.runtime.config, self.runtime, self.controller)

    @property
    def state(self) -> AgentState:
        """What the agent does."""
        return AgentState.LOADING if self._controller is None else self._controller.state

    async def start(
        self,
        runtime_name: str | None = None,
        config: AppConfig | None = None,
        agent: Agent | str | None = None,
        max_iterations: int | None = None,
        git_provider_tokens: Mapping[str, str] | None = None,
        selected_repository: str | None = None,
        selected_branch: str | None = None,
        *,
        initial_message: str | None = None,
        instructions: str = "",
        env: Mapping[str, str] | None = None,
        model: LLM | None = None,
        headless: bool = False,
        on_output: OnLiveOutput | None = None,
        a2a_manager: A2AManager | None = None,
        pool: SandboxSource | None = None,
        kept: bool | None = None,
        changes: ChangesWanted | None = None,
        refuse: Refuse | None = None,
    ) -> None:
        """Start, or continue from the stored events; returns when the agent may begin.

        `git_provider_tokens` are by provider, `{"github": "..."}`, or by host. `on_output` receives what actions print
        while they run, with the action's id. `pool` is where the runtime takes its sandbox from. `kept` says whether
        /workspace has the files of an earlier start; by default that is found out, and what is lost is reported.
        `changes` says what of its changes is recorded. `refuse` answers actions, of users too, that must not run. A
        step that fails raises, named, and leaves nothing open.
        """
        if self._task is not None:
            raise SessionError(f"the session {self.sid} was started before: make another AgentSession")
        plan = SessionPlan(
            runtime_name=runtime_name,
            config=config or load_config(),
            agent=agent,
            max_iterations=max_iterations,
            tokens=dict(git_provider_tokens or {}),
            repository=selected_repository,
            branch=selected_branch,
            initial_message=initial_message,
            instructions=instructions,
            env=dict(env or {}),
            model=model,
            headless=headless,
            on_output=on_output,
            a2a_manager=a2a_manager,
            pool=pool,
            kept=kept,
            changes=changes,
            refuse=refuse,
        )
        life = self._life = anyio.CancelScope()
        # Its parts belong to one task, and outlive the caller's: `close` ends it.
        self._task = asyncio.get_running_loop().create_task(self._live(plan, life))
        try:
            await self._ready.wait()
        except anyio.get_cancelled_exc_class():
            life.cancel()
            with anyio.CancelScope(shield=True):
                await self._ended.wait()
            raise
        if self._error is not None:
            await self._ended.wait()
            raise self._error

    async def send(self, text: str) -> Event:
        """Say something as the user; the agent begins or goes on."""
        return await self.say(MessageAction(text))

    async def change_state(self, state: AgentState | str) -> Event:
        """Pause, resume (`running`) or stop the agent, or confirm or reject what it wants to do."""
        return await self.say(ChangeAgentStateAction(state))

    async def recover(self, option: int) -> Event:
        """Leave a loop: 1 goes back to before it, 2 goes on, 3 stops."""
        return await self.say(LoopRecoveryAction(option))

    async def say(self, what: Body | Event, source: str = "user") -> Event:
        """Append an event, and wait until the agent has taken it in."""
        controller = self.controller
        event = await self.stream.add_event(what, source)
        await controller.catch_up(event)
        return event

    async def perform(self, action: Event, work: Work) -> Event:
        """Append an action, have `work` do it in this process, and append its observation, which is returned."""
        return await _require(self._dispatcher, self.sid).perform(action, work)

    async def wait_ended(self) -> BaseException | None:
        """Wait until it has ended, closed or by itself; returns what it failed with."""
        await self._ended.wait()
        return self._error

    async def close(self) -> None:
        """End everything but the stored events; may be called twice, never raises."""
        self._leaving.set()
        if self._life is not None and not self._ready.is_set():
            self._life.cancel()
        task = self._task
        if task is None:
            return
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(CLOSE_WAIT):
                await self._ended.wait()
            if not self._ended.is_set():
                log.warning("the session %s did not end within %g s", self.sid, CLOSE_WAIT)
                task.cancel()

    async def _live(self, plan: SessionPlan, life: anyio.CancelScope) -> None:
        """The whole life of the session, in one task."""
        began = time.monotonic()
        try:
            with life, log_ids(session=self.sid, user=self.user_id):
                async with AsyncExitStack() as stack:
                    place, controller = await self._rise(plan, stack)
                    async with run_agent(place, self.stream, controller, controller.confirm) as self._dispatcher:
                        await self._begin(plan)
                        self._ready.set()
                        log.info("the session is started, after %.3f s", time.monotonic() - began)
                        await self._leaving.wait()
                log.info("the session is closed")
            if not self._ready.is_set():
                self._error = SessionError(f"the session {self.sid} was closed while it was being started")
        except Exception as error:  # it is raised in `start`, or there is nobody left to tell
            self._error = error
            if self._ready.is_set():
                log.exception("the session %s has failed", self.sid)
        finally:
            self._runtime = None
            self._ready.set()
            self._ended.set()

    async def _rise(self, plan: SessionPlan, stack: AsyncExitStack) -> tuple[Workplace, AgentController]:
        stream = self._stream = await stack.enter_async_context(await self._open_stream(plan.config, stack))
        self._stream.update_secrets(plan.config.list_secrets())
        self._stream.update_secrets({f"token of {name}": token for name, token in plan.tokens.items()})
        before = await stream.get_latest_event_id()
        self.first_event = before + 1
        if self._given is None:
            await stack.enter_async_context(noting_run(stream.store, self.sid, self.first_event))
        recorder = await stack.enter_async_context(StatusRecorder(stream))
        tell = self._make_callback(recorder)
        kept = plan.kept
        if kept is None:
            kept = before >= 0 and plan.config.core.workspace is not None
            loss = await to_thread.run_sync(find_loss, plan.config.core) if before >= 0 else None
            if loss is not None:
                tell("info", RuntimeStatus.SETTING_UP_WORKSPACE, loss)
        runtime = await self._open_runtime(plan, tell, stack)
        instructions = await self._set_up_workspace(plan, runtime, tell, kept=kept)
        if plan.changes is not None:
            self._changes = await stack.enter_async_context(open_recorder(runtime, plan.changes))
        step = partial(self._step, tell)
        names = ", ".join(name_analyzers(plan.config)) or "none"
        self._analyzer = await step(
            "security analyzer", _open_analyzer(plan.config, stack), f"Security analyzer: {names}."
        )
        model = await step("model", _open_model(plan, stream.store, stack), "Preparing the model...")
        tools = _make_toolset(plan.config, runtime)
        making = self._make_controller(plan, tools, model, instructions)
        controller = await step("agent", making, "Starting the agent...")
        tell("info", RuntimeStatus.READY, "The session is ready.")
        place = Workplace(
            config=plan.config,
            runtime=runtime,
            tools=tools,
            model=model,
            llm=None if plan.model is not None else _find_llm(plan),
            analyzer=self._analyzer,
            find_context=lambda: _make_context(plan.config, runtime, controller),
            instructions=instructions,
            on_output=plan.on_output,
            changes=self._changes if plan.changes is not None and plan.changes.actions else None,
            refuse=plan.refuse,
        )
        return place, controller

    async def _open_stream(self, config: AppConfig, stack: AsyncExitStack) -> EventStream:
        if self._given is not None:
            return self._given.open_beside(self.sid)
        store, root = _find_store(self._files, config)
        lock = await to_thread.run_sync(SessionLock(self.sid, root).take)
        stack.callback(lock.release)
        files = None if self._files is None or _is_bare(self._files) else self._files
        return EventStream(self.sid, await stack.enter_async_context(store), files=files)

    async def _open_runtime(self, plan: SessionPlan, tell: StatusCallback, stack: AsyncExitStack) -> Runtime:
        name = plan.runtime_name or plan.config.core.runtime
        # Runtimes of others may not know of pools.
        pooled: dict[str, Any] = {} if plan.pool is None else {"pool": plan.pool}
        runtime = get_runtime_cls(name)(
            plan.config,
            sid=self.sid,
            user_id=self.user_id,
            env_vars=plan.env,
            status_callback=tell,
            headless_mode=plan.headless,
            a2a_manager=plan.a2a_manager,
            **pooled,
        )
        stack.push_async_callback(runtime.close)
        await self._step(tell, f"runtime {name}", runtime.connect())
        self._runtime = runtime
        return runtime

    async def _set_up_workspace(self, plan: SessionPlan, runtime: Runtime, tell: StatusCallback, *, kept: bool) -> str:
        """Clone the repository, run its script, and return its instructions with the caller's."""
        place = Workspace(
            runtime=runtime,
            stream=self.stream,
            step=partial(self._step, tell),
            note=partial(tell, "info", RuntimeStatus.SETTING_UP_WORKSPACE),
            kept=kept,
        )
        folder = "/workspace"
        if plan.repository is not None:
            folder = await set_up_repository(place, plan.repository, plan.branch, plan.tokens)
        return "\n\n".join(filter(None, [plan.instructions, await find_instructions(place, folder)]))

    async def _make_controller(
        self, plan: SessionPlan, tools: Toolset, model: LLM | None, instructions: str
    ) -> AgentController:
        agent = plan.agent
        if agent is None or isinstance(agent, str):
            agent = (await to_thread.run_sync(find_agent_class, plan.config, agent))()
        self._controller = controller = AgentController(
            self.stream,
            agent,
            tools=tools,
            model=model,
            budget=Budget.of(plan.config, plan.max_iterations, plan.agent if isinstance(plan.agent, str) else None),
            window=find_window(_find_llm(plan), tools, instructions),
            headless=plan.headless,
            instructions=instructions,
        )
        await controller.restore()
        return controller

    async def _begin(self, plan: SessionPlan) -> None:
        """Let the agent begin with the first message, or go on where it was."""
        controller = self.controller
        if plan.initial_message is not None:
            await self.send(plan.initial_message)
        elif controller.state in (AgentState.INIT, AgentState.LOADING):
            await controller.change(AgentState.AWAITING_USER_INPUT)

    async def _step(self, tell: StatusCallback, what: str, work: Awaitable[Result], text: str = "") -> Result:
        """Do a part of the start, and report it with this text; a failure names it."""
        if text:
            tell("info", RuntimeStatus.SETTING_UP_WORKSPACE, text)
        log.debug("starting the session: %s", what)
        try:
            return await work
        except ClocheError as error:
            log.info("the session could not be started, %s: %s", what, error)
            tell("error", RuntimeStatus.ERROR, f"{what}: {error}")
            if isinstance(error, ConfigError | SessionError):
                raise
            raise SessionError(f"the session {self.sid} could not be started, {what}: {error}") from error

    def _make_callback(self, recorder: StatusRecorder) -> StatusCallback:
        def tell(level: str, status: RuntimeStatus, text: str) -> None:
            recorder(level, status, text)
            if self._status_callback is not None:
                try:
                    self._status_callback(level, status, text)
                except Exception:  # a listener must not stop the session
                    log.exception("the status %s could not be reported", status)

        return tell


def _require(part: Result | None, sid: str) -> Result:
    if part is None:
        raise SessionError(f"the session {sid} does not run: `await session.start(...)` first")
    return part


def _is_bare(files: Files) -> bool:
    return isinstance(files, FileStore) and files.root == FileStore().root


def _find_store(files: Files | None, config: AppConfig) -> tuple[Store, Path | None]:
    """Where the events are, and the folder of the session's lock."""
    if files is None or _is_bare(files):
        root = None if config.core.file_store == "memory" else config.core.store_folder
        return open_configured_store(config), root
    if isinstance(files, FileStore):
        return SQLiteStore(files.root / FILE), files.root
    return MemoryStore(), None


async def _open_analyzer(config: AppConfig, stack: AsyncExitStack) -> SecurityAnalyzer | None:
    analyzer = await open_analyzer(config)
    if analyzer is not None:
        stack.push_async_callback(analyzer.close)
    return analyzer


async def _open_model(plan: SessionPlan, store: Store, stack: AsyncExitStack) -> LLM | None:
    """The model that was given, else the configured one; None if there is none, for agents that need none."""
    if plan.model is not None:
        return plan.model
    settings = _find_llm(plan)
    if settings.model is None:
        return None
    model = open_llm(settings, store=store)
    stack.push_async_callback(model.close)
    return model


def _find_llm(plan: SessionPlan) -> LLMConfig:
    """The settings of the agent's model."""
    name = plan.agent if isinstance(plan.agent, str) else None
    return plan.config.find_llm(plan.config.find_agent(name).llm_config)


def _make_toolset(config: AppConfig, runtime: Runtime) -> Toolset:
    return Toolset(runtime, rated="llm" in name_analyzers(config))


def _make_context(config: AppConfig, runtime: Runtime, controller: AgentController) -> ActionContext:
    return ActionContext(
        surroundings=Surroundings(cwd=controller.folder),
        allowed_hosts=config.sandbox.allow_net,
        read_as_shell=runtime.read_as_shell if isinstance(runtime, PyodideRuntime) else None,
    )
