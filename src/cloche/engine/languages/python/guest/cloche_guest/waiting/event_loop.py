"""The event loop of the guest: asyncio on top of the sandbox's own timers, with waits that can be interrupted."""

from __future__ import annotations

import asyncio
import asyncio.runners
import json
import weakref
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from pyodide.webloop import WebLoop, WebLoopPolicy

from cloche_guest import engine_calls
from cloche_guest.net.loops import NetworkLoop
from cloche_guest.programs import program_state
from cloche_guest.waiting import call_origin
from cloche_guest.waiting.signal_handlers import SignalLoop


class _Wait:
    """One stack that waits for a task."""

    def __init__(self, task: asyncio.Future[Any], waiter: asyncio.Future[None]) -> None:
        self.task = task
        self.waiter = waiter
        self.interrupted = False
        self.failure: BaseException | None = None
        """What the handler of a signal has raised."""

    def end(self, _task: object = None) -> None:
        if not self.waiter.done():
            self.waiter.set_result(None)


_waits: list[_Wait] = []
_always = True


class GuestLoop(SignalLoop, NetworkLoop, WebLoop):
    """An event loop that is always running, and whose run_until_complete really waits."""

    def __init__(self) -> None:
        super().__init__()
        # The task keeps the exception; letting it reach the sandbox's own loop would end the worker.
        self._keyboard_interrupt_handler = lambda: None
        self._system_exit_handler = lambda _code: None
        self._timers: weakref.WeakSet[asyncio.Handle] = weakref.WeakSet()

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        handle = super().call_later(delay, _run_callback, self, callback, *args, context=context)
        if delay > 0:
            self._timers.add(handle)
        return handle

    def pending_timers(self) -> Iterator[asyncio.Handle]:
        """Timers that are pending, or running right now."""
        return (timer for timer in list(self._timers) if not timer.cancelled())

    def run_until_complete(self, future: Any) -> Any:
        return wait_for_task(future if asyncio.isfuture(future) else self.create_task(_await(future)))

    def run_forever(self) -> None:
        self._stopped = self.create_future()
        wait_for_task(self._stopped)

    def stop(self) -> None:
        stopped = getattr(self, "_stopped", None)
        if stopped is not None and not stopped.done():
            stopped.set_result(None)


class GuestPolicy(WebLoopPolicy):
    """Creates guest loops."""

    def new_event_loop(self) -> GuestLoop:
        self._default_loop = GuestLoop()
        return self._default_loop


def _run_callback(loop: GuestLoop, callback: Any, *args: Any) -> Any:
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(loop)
    try:
        return call_origin.run_marked(callback, *args)
    finally:
        asyncio._set_running_loop(before)


async def _await(awaitable: Any) -> Any:
    return await awaitable


def wait_for_task(task: asyncio.Future[Any]) -> Any:
    """Wait for a task from synchronous code and return its result; an interrupt cancels it."""
    if task.done():
        return task.result()
    if not engine_calls.can_wait():
        raise RuntimeError("this code cannot wait for a coroutine here; await it instead")
    wait = _Wait(task, task.get_loop().create_future())
    task.add_done_callback(wait.end)
    _waits.append(wait)
    _look_for_signals(wait)
    try:
        engine_calls.wait_for(wait.waiter)
    except KeyboardInterrupt:
        # It is not awaited any more.
        task.cancel()
        raise
    finally:
        _waits.remove(wait)
    if wait.failure is not None:
        raise wait.failure
    try:
        if wait.interrupted and not task.done():
            raise KeyboardInterrupt
        return task.result()
    except asyncio.CancelledError as error:
        if not wait.interrupted:
            raise
        raise KeyboardInterrupt().with_traceback(error.__traceback__) from None


def _look_for_signals(wait: _Wait) -> None:
    """Let the handlers of signals run while nothing else does."""
    if wait.waiter.done() or not program_state.looks_for_signals():
        return
    try:
        engine_calls.run_handlers()
    except BaseException as error:  # noqa: BLE001 - it is raised where the program waits
        wait.failure = error
        wait.end()
        return
    wait.waiter.get_loop().call_later(engine_calls.LOOK, _look_for_signals, wait)


def cancel_wait() -> bool:
    """Interrupt the innermost wait: cancel its task, or abandon it at the second call."""
    if not _waits:
        return False
    wait = _waits[-1]
    if wait.interrupted:
        wait.end()
    else:
        wait.interrupted = True
        wait.task.cancel()
    return True


def run(
    main: Coroutine[Any, Any, Any], *, debug: bool | None = None, loop_factory: Callable[[], Any] | None = None
) -> Any:
    """Execute the coroutine and return the result."""
    if not asyncio.iscoroutine(main):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    return wait_for_task(current_loop().create_task(main))


def _run_in_runner(self: Any, coro: Coroutine[Any, Any, Any], *, context: Any = None) -> Any:
    return wait_for_task(current_loop().create_task(coro, context=context))


def run_on_demand() -> None:
    """A program begins: it has a running loop only in code that the loop calls."""
    global _always
    _always = False
    asyncio._set_running_loop(None)


def keep_running() -> None:
    """Cells begin: they are code that the loop calls."""
    global _always
    _always = True
    current_loop()


def current_loop() -> GuestLoop:
    """The only event loop, created on first use."""
    loop: Any = asyncio._get_running_loop()
    if not isinstance(loop, GuestLoop):
        loop = asyncio.get_event_loop_policy().get_event_loop()
        if _always:
            asyncio._set_running_loop(loop)
    return loop


def list_background() -> str:
    """The tasks and timers that earlier cells have left running, each in a few words, as JSON."""
    here = current_loop()
    work = [_describe(task) for task in _tasks(here)]
    timers = len(_timers(here))
    return json.dumps(work if work or not timers else [f"{timers} timer{'s' if timers > 1 else ''} (call_later)"])


def stop_background() -> None:
    """Cancel all of it."""
    here = current_loop()
    for task in _tasks(here):
        task.cancel()
    for timer in _timers(here):
        timer.cancel()


def _tasks(here: GuestLoop) -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks(here) if not task.done() and call_origin.is_leftover(task.get_context())]


def _timers(here: GuestLoop) -> list[asyncio.Handle]:
    return [timer for timer in here.pending_timers() if call_origin.is_leftover(timer._context)]


def _describe(task: asyncio.Task[object]) -> str:
    return f"task {task.get_name()}: {getattr(task.get_coro(), '__qualname__', '?')}"


def install() -> None:
    """Make this the event loop of the interpreter."""
    policy = GuestPolicy()
    asyncio.set_event_loop_policy(policy)
    asyncio._set_running_loop(policy.new_event_loop())
    asyncio.run = asyncio.runners.run = run
    asyncio.Runner.run = _run_in_runner
