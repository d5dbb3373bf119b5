"""The sandbox behind an adapter: one that was given, or its own."""

import weakref
from collections.abc import Awaitable, Callable
from threading import Lock, Thread
from typing import Any, Self, TypeVar

from anyio import to_thread

from cloche.errors import ConfigError, SandboxUnavailable
from cloche.options import SandboxOptions
from cloche.sandbox.sandbox import Sandbox
from cloche.sandbox.sync import SyncSandbox

T = TypeVar("T")

GivenSandbox = Sandbox | SyncSandbox | None


class HeldSandbox:
    """A sandbox that was given, or one of its own, which starts with the first call and ends with `close`.

    Its own can be used from any thread and any event loop: frameworks run one tool in several of them.
    """

    def __init__(self, given: GivenSandbox, options: SandboxOptions) -> None:
        if given is not None and options:
            raise ConfigError(f"give a sandbox or options for a new one, not both: {', '.join(options)}")
        self._given = given
        self._options = options
        # Made at once, because wrong options are to be reported to whoever wrote them.
        self._own = SyncSandbox(**options)
        self._started = False
        self._users = 0
        self._closed = False
        self._lock = Lock()
        self._dropped: weakref.finalize[Any, Any] | None = None

    def open(self) -> None:
        """Note a user; closed before, it is usable again, and its own sandbox will be a new one."""
        with self._lock:
            self._users += 1
            self._closed = False

    def close(self) -> None:
        """Note that a user leaves; with the last, its own sandbox ends. One that was given stays open."""
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users:
                return
            self._closed = True
            if self._dropped is not None:
                self._dropped.detach()
            if self._started:
                self._own.close()
                self._renew()

    @property
    def shared(self) -> bool:
        """Whether its sandbox is one that others use too: given, or opened for more than one use."""
        return self._given is not None or self._users > 0

    async def close_async(self) -> None:
        """The same for async code."""
        await to_thread.run_sync(self.close)

    def call(self, act: Callable[[Sandbox], Awaitable[T]]) -> T:
        """Wait for what `act` does with the sandbox."""
        return self._ready().call(act)

    async def call_async(self, act: Callable[[Sandbox], Awaitable[T]]) -> T:
        """The same for async code; cancelling this stops it."""
        if isinstance(self._given, Sandbox):
            self._check_open()
            return await act(self._given)
        starts = self._given is None and not self._started
        box = await to_thread.run_sync(self._ready) if starts else self._ready()
        return await box.call_async(act)

    def _ready(self) -> SyncSandbox:
        with self._lock:
            self._check_open()
            if isinstance(self._given, Sandbox):
                raise SandboxUnavailable(
                    "this adapter was given a cloche.Sandbox, which only async code can use: give it a "
                    "cloche.SyncSandbox, or none"
                )
            if self._given is not None:
                return self._given
            if not self._started:
                self._start()
            return self._own

    def _start(self) -> None:
        try:
            self._own.__enter__()
        except BaseException:
            self._renew()
            raise
        self._started = True
        self._dropped = weakref.finalize(self, _close_aside, self._own)
        # A program that ends takes its sandboxes with it.
        self._dropped.atexit = False

    def _renew(self) -> None:
        self._own = SyncSandbox(**self._options)
        self._started = False

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxUnavailable("this adapter is closed: open it in a with statement, or make a new one")


class SandboxHolder:
    """Base of adapters: a `with` block, sync or async, opens and closes their sandbox."""

    _held: HeldSandbox

    def __enter__(self) -> Self:
        self._held.open()
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    async def __aenter__(self) -> Self:
        self._held.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._held.close_async()

    def close(self) -> None:
        """End the sandbox, unless it was given."""
        self._held.close()


def _close_aside(box: SyncSandbox) -> None:
    """Close a sandbox that nothing refers to any more, in a thread, because any thread may notice that."""
    Thread(target=box.close, name="cloche-close", daemon=True).start()
