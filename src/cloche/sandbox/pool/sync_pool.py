"""The pool for programs that are not async."""

import os
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Self, TypeVar, Unpack

import anyio
from anyio.from_thread import BlockingPortal

from cloche.errors import SandboxUnavailable
from cloche.limits import POOL_WAIT
from cloche.options import SandboxOptions
from cloche.sandbox.loop_thread import LoopThread
from cloche.sandbox.options import show_options
from cloche.sandbox.owner_check import OwnerCheck
from cloche.sandbox.pool.pool import Pool
from cloche.sandbox.pool.stats import PoolStats
from cloche.sandbox.pool.template import Template
from cloche.sandbox.sandbox import UNSET, Sandbox
from cloche.sandbox.sync import SyncSandbox

T = TypeVar("T")


class SyncPool:
    """A Pool with blocking methods and the same options; threads may share it."""

    @show_options
    def __init__(
        self,
        size: int = 4,
        *,
        max_size: int | None = None,
        wait: float | None = POOL_WAIT,
        template: Template | None = None,
        workspaces: str | os.PathLike[str] | None = None,
        **options: Unpack[SandboxOptions],
    ) -> None:
        self._pool = Pool(size, max_size=max_size, wait=wait, template=template, workspaces=workspaces, **options)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._owner = OwnerCheck()
        self._handed_out: set[_LeasedSandbox] = set()
        self._over = anyio.Event()

    def __enter__(self) -> Self:
        self._owner.check_process()
        with ExitStack() as stack:
            portal = stack.enter_context(LoopThread())
            stack.callback(portal.call, self._over.set)
            stack.enter_context(portal.wrap_async_context_manager(self._pool))
            self._stack = stack.pop_all()
        self._portal = portal
        return self

    def __exit__(self, *_: object) -> None:
        """Close all sandboxes, those in use too; threads that wait for one get an error at once."""
        self._portal = None
        if self._owner.forked:
            return
        for box in list(self._handed_out):
            box.close()
        self._stack.close()

    @contextmanager
    @show_options
    def sandbox(
        self, template: Template | None = None, *, wait: float | None = UNSET, **options: Unpack[SandboxOptions]
    ) -> Generator[SyncSandbox]:
        """Get a fresh sandbox; it is closed at the end of the block.

        `timeout`, `output_limit` and `env` are set on a spare. Other options, or a template, need a sandbox made for
        them; the pool keeps spares of these from then on. Raises PoolExhausted after `wait` seconds.
        """
        portal, given = self._open_portal(), Future[Sandbox]()

        async def hold() -> Sandbox:
            async with self._pool.sandbox(template, wait=wait, **options) as box:
                given.set_result(box)
                await self._over.wait()
            return box

        held = portal.start_task_soon(hold)
        try:
            wait_for([given, held], return_when=FIRST_COMPLETED)
            if not given.done():
                held.result()
            box = _LeasedSandbox(given.result(), portal)
            self._handed_out.add(box)
            try:
                yield box
            finally:
                self._handed_out.discard(box)
                box.close()
        finally:
            held.cancel()

    def ready(self, count: int | None = None) -> None:
        """Wait until this many spares are ready (by default all), or the pool is closed; raises if none can be made."""
        self._do(partial(self._pool.ready, count))

    @property
    def stats(self) -> PoolStats:
        """The state of the pool now."""
        return self._pool.stats if self._portal is None else self._portal.call(lambda: self._pool.stats)

    def _do(self, act: Callable[[], Awaitable[T]]) -> T:
        future = self._open_portal().start_task_soon(act)
        try:
            return future.result()
        finally:
            # After Ctrl-C it is not waited for any more.
            future.cancel()

    def _open_portal(self) -> BlockingPortal:
        if self._portal is None:
            raise SandboxUnavailable("this pool is not open: use it in a with statement")
        self._owner.check_process()
        return self._portal


class _LeasedSandbox(SyncSandbox):
    """A sandbox of a pool, which opens and closes it."""

    def __init__(self, box: Sandbox, portal: BlockingPortal) -> None:
        super().__init__()
        self._box = box
        self._portal = portal
