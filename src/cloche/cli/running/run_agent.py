"""Runs an agent for the command line: shows what it does, asks the user, obeys Ctrl-C."""

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import IO, Any
from uuid import uuid4

import anyio
import click
from anyio import to_thread
from anyio.abc import TaskGroup
from msgspec import Struct
from msgspec.structs import replace

from cloche.cli import exit_codes
from cloche.cli.result_output import print_message, write_output
from cloche.cli.running.agent_screen import AgentScreen
from cloche.cli.terminal.progress import PreparationProgress, prepare_sandbox
from cloche.cli.terminal.stdin import Stdin
from cloche.config import AppConfig
from cloche.errors import ClocheError, ConfigError, SessionError
from cloche.events import AgentDelegateAction, EventStream, encode_event
from cloche.runtime import PyodideRuntime
from cloche.session import AgentSession, AgentState
from cloche.session.control.states import RESTING, USER_CONFIRMED, USER_REJECTED
from cloche.session.open_store import open_configured_store
from cloche.session.starting.repository import PROVIDERS, expand_name

FAILED = 1
STOP_WORDS = ("q", "quit", "stop", "exit")
BACK_WORDS = ("b", "back")
NEXT = "What next? Say something, press Enter to go on, or q to stop: "
NEXT_IN_LOOP = "What next? Say something, b goes back to before the loop, Enter goes on, q stops: "


class AgentSettings(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    task: str | None
    sid: str | None
    resumed: bool
    workspace: str | None
    repository: str | None
    branch: str | None
    agent: str | None
    model: str | None
    runtime: str | None
    max_iterations: int | None
    confirm: bool
    diff: IO[str] | None
    as_json: bool


class AgentRunner:
    """One session of an agent, from the command to its exit code."""

    def __init__(self, settings: AgentSettings, config: AppConfig) -> None:
        self._settings = settings
        self._config = _apply_settings(config, settings)
        self._asks = not settings.as_json and sys.stdin.isatty() and sys.stderr.isatty()
        self._session = AgentSession(settings.sid or uuid4().hex[:12])
        self._screen = AgentScreen()
        self._stops = 0
        self._trouble: Exception | None = None
        self._started = False
        self._scope: anyio.CancelScope | None = None
        self._stdin: Stdin | None = None

    async def run(self) -> int:
        """Work until the task is done or the user has had enough; returns the exit code."""
        task = await self._read_task()
        await self._check_session()
        code = exit_codes.INTERRUPTED
        async with anyio.create_task_group() as tasks:
            await tasks.start(self._obey_signals)
            with anyio.CancelScope() as self._scope:
                try:
                    code = await self._work(task)
                except (ClocheError, OSError) as error:
                    # Not through the task group, which would wrap it.
                    self._trouble = error
            tasks.cancel_scope.cancel()
        if self._trouble is not None:
            raise self._trouble
        return exit_codes.INTERRUPTED if self._stops > 1 else code

    async def _work(self, task: str | None) -> int:
        await self._prepare()
        settings, session = self._settings, self._session
        code = FAILED
        try:
            await session.start(
                settings.runtime,
                self._config,
                settings.agent,
                settings.max_iterations,
                _read_tokens(),
                # Which tokens happen to be set says nothing about which provider is meant.
                selected_repository=settings.repository and expand_name(settings.repository, "github"),
                selected_branch=settings.branch,
                headless=not self._asks,
                on_output=None if settings.as_json else self._screen.show_output,
            )
            self._started = True
            await self._mark()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._report, self._show, tasks)
                try:
                    code = await self._converse(task)
                    await self._screen.wait_for(await session.stream.get_latest_event_id())
                except SessionError as error:
                    print_message(str(error))
                tasks.cancel_scope.cancel()
            await self._write_diff()
        finally:
            await session.close()
            if self._started and not settings.as_json:
                print_message(f"The session is kept as {session.sid}: cloche agent --resume {session.sid}")
        return code

    async def _converse(self, task: str | None) -> int:
        """Say the task, answer what the agent asks, and return the exit code when it rests for good."""
        session = self._session
        if task is not None:
            await session.send(task)
        elif self._settings.resumed and session.state is not AgentState.RUNNING:
            await session.change_state(AgentState.RUNNING)
        while True:
            state = await session.controller.wait(*RESTING, AgentState.AWAITING_USER_CONFIRMATION)
            await self._screen.wait_for(await session.stream.get_latest_event_id())
            if state is AgentState.AWAITING_USER_CONFIRMATION:
                await self._confirm()
            elif state is AgentState.FINISHED:
                return 0
            elif not self._asks or state in (AgentState.STOPPED, AgentState.REJECTED):
                self._explain(state)
                return exit_codes.INTERRUPTED if state is AgentState.STOPPED else FAILED
            elif not await self._go_on(state):
                return exit_codes.INTERRUPTED if state is AgentState.PAUSED else FAILED

    async def _go_on(self, state: AgentState) -> bool:
        """Ask the user what next; False to end."""
        self._explain(state)
        loops = self._session.controller.is_in_loop
        waits = state is AgentState.AWAITING_USER_INPUT
        said = await self._ask("> " if waits else NEXT_IN_LOOP if loops else NEXT, state)
        if self._session.state is not state:
            return True
        word = None if said is None else said.strip()
        if word is None or word.lower() in STOP_WORDS or (not word and state is not AgentState.PAUSED):
            return False
        self._stops = 0
        if loops and word.lower() in BACK_WORDS:
            await self._session.recover(1)
        elif word:
            await self._session.send(word)
        else:
            await self._session.change_state(AgentState.RUNNING)
        return True

    async def _confirm(self) -> None:
        state = AgentState.AWAITING_USER_CONFIRMATION
        said = await self._ask("May it do this? [y/N] ", state) if self._asks else None
        if self._session.state is state:
            yes = said is not None and said.strip().lower() in ("y", "yes")
            await self._session.change_state(USER_CONFIRMED if yes else USER_REJECTED)
            await self._session.controller.wait(*(set(AgentState) - {state}))

    async def _ask(self, prompt: str, state: AgentState) -> str | None:
        """A line of the user; None at the end of input, or as soon as the agent is in another state."""
        if self._stdin is None:
            self._stdin = Stdin()
        self._stdin.drop()
        click.echo(prompt, nl=False, err=True)
        said = None
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                with suppress(SessionError):
                    await self._session.controller.wait(*(set(AgentState) - {state}))
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            said = await self._stdin.line()
            tasks.cancel_scope.cancel()
        if said is None:
            click.echo(err=True)
        return said

    def _explain(self, state: AgentState) -> None:
        reason = self._session.controller.reason
        if not self._settings.as_json and reason:
            print_message(f"{state}: {reason}")

    async def _report(self, show: Callable[..., Awaitable[None]], *about: Any) -> None:
        """Show what happens until nobody reads it any more."""
        try:
            await show(*about)
        except OSError as error:
            self._trouble = error
            if self._scope is not None:
                self._scope.cancel()

    async def _show(self, tasks: TaskGroup) -> None:
        stream, silent = self._session.stream, self._settings.as_json
        async for event in stream.follow(self._session.first_event - 1):
            if silent:
                await to_thread.run_sync(click.echo, encode_event(event), abandon_on_cancel=True)
            elif isinstance(event.body, AgentDelegateAction) and event.id is not None:
                below = f"{stream.sid}.{event.id}"
                tasks.start_soon(self._report, self._show_below, below, event.id, tasks)
            self._screen.take(event, silent=silent)

    async def _show_below(self, sid: str, delegation: int, tasks: TaskGroup) -> None:
        """Show what an agent does to whom a part of the work was given: the user may be asked about it."""
        with suppress(ValueError):
            async for event in self._session.stream.open_beside(sid).follow():
                if isinstance(event.body, AgentDelegateAction) and event.id is not None:
                    tasks.start_soon(self._report, self._show_below, f"{sid}.{event.id}", delegation, tasks)
                self._screen.take_below(event, sid, delegation)

    async def _obey_signals(self, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        """The first Ctrl-C pauses, the second stops; elsewhere than at a terminal the first stops."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for number in signals:
                self._stops += 1 if number == signal.SIGINT and self._asks else 2
                if self._asks:
                    # After the terminal's own ^C.
                    click.echo(err=True)
                await self._stop(AgentState.PAUSED if self._stops == 1 else AgentState.STOPPED)

    async def _stop(self, state: AgentState) -> None:
        if not self._started and self._scope is not None:
            self._stops = 2
            self._scope.cancel()
            return
        with suppress(SessionError):
            await self._session.change_state(state)

    async def _read_task(self) -> str | None:
        task = self._settings.task
        if task == "-":
            task = await to_thread.run_sync(sys.stdin.read)
        elif task is None and self._settings.resumed:
            return None
        elif task is None and self._asks:
            click.echo("What is to be done? ", nl=False, err=True)
            task = await to_thread.run_sync(sys.stdin.readline)
        if not (task or "").strip():
            raise click.UsageError("there is no task: add -t TEXT")
        return task

    async def _check_session(self) -> None:
        sid = self._session.sid
        try:
            stream = EventStream(sid, open_configured_store(self._config))
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if self._settings.resumed:
            async with stream.store:
                if await stream.get_latest_event_id() < 0:
                    raise click.UsageError(f"there is no session {sid}: cloche sessions lists them")

    async def _prepare(self) -> None:
        embedded = PyodideRuntime.executes_at not in self._config.mcp.servers
        if (self._settings.runtime or self._config.core.runtime) == "pyodide" and embedded:
            with PreparationProgress() as progress:
                await prepare_sandbox(progress)

    async def _mark(self) -> None:
        if self._settings.diff is None:
            return
        box = getattr(self._session.runtime, "box", None)
        if box is None:
            raise ConfigError("--diff: this runtime cannot tell what has changed. Leave it out")
        await box.mark()

    async def _write_diff(self) -> None:
        box = getattr(self._session.runtime, "box", None)
        if self._settings.diff is None or box is None:
            return
        patch = (await box.diff()).patch
        if self._settings.diff.name == "<stdout>":
            write_output("stdout", patch)
            return
        self._settings.diff.write(patch)
        self._settings.diff.close()


def _read_tokens() -> dict[str, str]:
    """The tokens of the user, by provider: each is for its own host only."""
    return {name: token for name in PROVIDERS if (token := os.environ.get(f"{name.upper()}_TOKEN", ""))}


def _apply_settings(config: AppConfig, settings: AgentSettings) -> AppConfig:
    """The configuration with what the command line says instead."""
    core, llm, llms, security = config.core, config.llm, config.llms, config.security
    if settings.workspace is not None:
        core = replace(core, workspace_base=settings.workspace)
    if settings.model is not None:
        # In the section that the agent uses.
        name = config.find_agent(settings.agent).llm_config
        if name is None:
            llm = replace(llm, model=settings.model)
        else:
            llms = {**llms, name: replace(config.find_llm(name), model=settings.model)}
    if settings.confirm:
        security = replace(security, confirmation_mode=True)
    return replace(config, core=core, llm=llm, llms=llms, security=security)
