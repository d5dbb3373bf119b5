"""Executes actions given as JSON, one after another, and prints the observation of each."""

import json
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from difflib import get_close_matches
from typing import IO
from uuid import uuid4

import anyio
import click
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from msgspec.structs import replace

from cloche.cli import exit_codes
from cloche.cli.result_output import print_message
from cloche.cli.terminal.event_printer import describe_failure
from cloche.cli.terminal.progress import PreparationProgress, prepare_sandbox
from cloche.config import AppConfig
from cloche.errors import ClocheError, EventError, StoreError
from cloche.events import (
    ErrorObservation,
    Event,
    EventStream,
    NullObservation,
    decode_event,
    encode_event,
    is_action,
    is_observation,
    new_event,
)
from cloche.events.registry import ACTIONS
from cloche.limits import EVENT_LIMIT, MB
from cloche.runtime import PyodideRuntime, Runtime, get_runtime_cls
from cloche.runtime.codes import BAD_ACTION, NOT_KEPT
from cloche.session.dispatcher import Dispatcher
from cloche.session.open_store import open_configured_store

AGAIN = 0.02
"""Seconds between two attempts to stop an action that has not started yet."""


@asynccontextmanager
async def open_runtime(config: AppConfig, sid: str | None = None) -> AsyncGenerator[Runtime]:
    """The runtime that the configuration names, with its plugins; progress is shown while a sandbox is prepared."""
    if config.core.runtime == "pyodide" and PyodideRuntime.executes_at not in config.mcp.servers:
        with PreparationProgress() as progress:
            await prepare_sandbox(progress)
    async with get_runtime_cls(config.core.runtime)(config, sid=sid or uuid4().hex) as runtime:
        yield runtime


class ActionRunner:
    """One runtime that executes one action at a time and handles Ctrl-C; ValueError for an invalid session id."""

    def __init__(self, config: AppConfig, sid: str | None) -> None:
        self._config = config
        self._sid = sid
        self._runtime: Runtime | None = None
        self._stream = None if sid is None else EventStream(sid, open_configured_store(config))
        self._dispatcher: Dispatcher | None = None
        self._busy = False
        self._signals: list[int] = []

    async def serve(self, source: IO[bytes], by_line: bool) -> int:
        """Execute the action in a file, or one per line, and return the exit code."""
        failed = False
        trouble: Exception | None = None
        async with anyio.create_task_group() as tasks:
            await tasks.start(self._obey_signals, tasks)
            try:
                failed = await self._answer_all(source, by_line, tasks)
            except (ClocheError, BrokenPipeError) as error:
                # Not through the task group, which would wrap it.
                trouble = error
            tasks.cancel_scope.cancel()
        if self._signals:
            return exit_codes.SIGNAL + self._signals[0]
        if trouble is not None:
            raise trouble
        return int(failed)

    async def _obey_signals(self, tasks: TaskGroup, *, task_status: TaskStatus[None]) -> None:
        """The first Ctrl-C stops the action, the second the program; so does SIGTERM."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for number in signals:
                self._signals.append(int(number))
                if len(self._signals) > (1 if self._runtime is None else 2):
                    os._exit(exit_codes.SIGNAL + number)
                if number == signal.SIGINT and len(self._signals) == 1 and self._busy:
                    tasks.start_soon(self._stop)
                else:
                    tasks.cancel_scope.cancel()

    async def _stop(self) -> None:
        """Stop the action, even if it has not quite started."""
        while self._busy and self._runtime and not await self._runtime.interrupt():  # noqa: ASYNC110 - no event
            await anyio.sleep(AGAIN)

    async def _answer_all(self, source: IO[bytes], by_line: bool, tasks: TaskGroup) -> bool:
        """Execute every action; returns whether one failed."""
        failed = False
        async with AsyncExitStack() as stack:
            if self._stream is not None:
                await stack.enter_async_context(self._stream.store)
            runtime = self._runtime = await stack.enter_async_context(open_runtime(self._config, self._sid))
            if self._stream is not None:
                self._dispatcher = Dispatcher(self._stream, runtime)
                retrying = anyio.CancelScope()
                stack.callback(retrying.cancel)
                tasks.start_soon(self._keep_trying, self._dispatcher, retrying)
            async with aclosing(_read_actions(source, by_line)) as actions:
                async for action in actions:
                    self._busy = True
                    answer = await self._answer(action, runtime)
                    self._busy = False
                    failed |= bool(describe_failure(answer))
                    await to_thread.run_sync(click.echo, encode_event(answer), abandon_on_cancel=True)
                    if self._signals:
                        break
            return await self._keep_waiting() or failed

    async def _keep_trying(self, dispatcher: Dispatcher, until: anyio.CancelScope) -> None:
        """Append observations that did not fit when there is room again, also while no action arrives."""
        with until:
            await dispatcher.keep_trying()

    async def _keep_waiting(self) -> bool:
        """Append the observations that did not fit; returns whether some never did."""
        if self._dispatcher is None or not self._dispatcher.waiting:
            return False
        try:
            await self._dispatcher.append_waiting()
        except StoreError as error:
            which = ", ".join(map(str, self._dispatcher.waiting))
            print_message(
                f"Executed, printed and not kept in {self._sid}: the observations of actions {which}. {error}"
            )
            return True
        return False

    async def _answer(self, line: bytes, runtime: Runtime) -> Event:
        """The event that answers a line, whatever is in it."""
        event = None
        try:
            event = read_action(line)
            assert is_action(event.body)
            if self._stream is None or self._dispatcher is None:
                observation = await runtime.execute(event.body, timeout=event.timeout)
                return new_event(observation, event.source or "agent", answers=event)
            # Append waiting observations first: the stream has events in the order in which they happened.
            await self._dispatcher.append_waiting()
            event = await self._stream.add_event(replace(event, id=None, source=event.source or "user"))
            answer = await self._dispatcher.handle(event)
            return answer or new_event(NullObservation(), answers=event)
        except ClocheError as error:
            if isinstance(error, EventError):
                return new_event(ErrorObservation(str(error), BAD_ACTION), answers=event)
            why = f"It was not executed: {error}" if isinstance(error, StoreError) else str(error)
            return new_event(ErrorObservation(why, NOT_KEPT), answers=event)


def read_action(line: bytes) -> Event:
    """The action in a line; EventError says why there is none."""
    if len(line) > EVENT_LIMIT:
        raise EventError(f"An action is larger than {EVENT_LIMIT // MB} MB, and was not read: write large files apart.")
    if not line.strip():
        raise EventError('The file is empty. Write an action, such as {"action": "run", "args": {"command": "ls"}}.')
    event = decode_event(line)
    if is_action(event.body):
        return event
    if is_observation(event.body) or "action" not in json.loads(line):
        raise EventError(f"This is no action: its kind is `{event.kind}`, and only actions are executed.")
    near = get_close_matches(event.kind, ACTIONS, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(ACTIONS)}."
    raise EventError(f"`{event.kind}` is not a known action. {hint}")


async def _read_actions(source: IO[bytes], by_line: bool) -> AsyncGenerator[bytes]:
    if not by_line:
        yield await to_thread.run_sync(source.read, EVENT_LIMIT + 1, abandon_on_cancel=True)
        return
    while (line := await to_thread.run_sync(_next_line, source, abandon_on_cancel=True)) is not None:
        yield line


def _next_line(source: IO[bytes]) -> bytes | None:
    """The next line that is not empty, None at the end; of a line that is too long, only its start."""
    while line := source.readline(EVENT_LIMIT + 1):
        rest = line
        while len(rest) > EVENT_LIMIT and not rest.endswith(b"\n"):
            rest = source.readline(EVENT_LIMIT + 1)
        if line.strip():
            return line
    return None
