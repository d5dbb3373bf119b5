"""A pool keeps sandboxes ready, so that callers do not wait for a start."""

import logging
import os
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Self, Unpack
from uuid import uuid4

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from cloche.errors import ConfigError, PoolExhausted, SandboxUnavailable
from cloche.limits import POOL_GROWTH, POOL_LEAST, POOL_WAIT
from cloche.options import SandboxOptions
from cloche.sandbox.files.scratch import remove_scratch
from cloche.sandbox.options import show_options
from cloche.sandbox.owner_check import OwnerCheck
from cloche.sandbox.pool.scheduler import PoolScheduler
from cloche.sandbox.pool.stats import PoolCounts, PoolStats
from cloche.sandbox.pool.template import Template, split_options
from cloche.sandbox.pool.template_queue import PoolMember, TemplateQueue
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.sandbox import UNSET

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds between two checks of spares that may have died, and of templates that may be tried again."""

ASK_EVERY = 30.0
"""Seconds after which a spare must show that it still answers."""

ASK_LIMIT = 5.0
"""Seconds it has for that."""

REHEARSALS = 25
"""Rounds of warm-up cells after which a spare does not get faster."""

COURTESY = 0.05
"""Seconds for which a sandbox that was handed out has the processors to itself before its successor starts."""

PAUSE = 0.02
"""Seconds between two rounds of warm-up cells, which leave the processor to others."""


class Pool:
    """Keeps `size` fresh sandboxes ready; each is used once, and closed in the background afterwards.

    Use it as an async context manager, and `pool.sandbox()` inside, from any task. The options are those of Sandbox,
    on top of a Template if one is given. At most `max_size` sandboxes exist at once, spares included (by default four
    times the size, and 16 at least). `wait` is how many seconds a caller waits for one; None for no limit. With
    `workspaces`, each sandbox has a new folder below that one as its /workspace, which stays if it was handed out.
    """

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
        most = max(POOL_GROWTH * size, POOL_LEAST) if max_size is None else max_size
        if size < 1 or most < size:
            raise ConfigError(f"size={size}, max_size={most}: a pool holds one sandbox at least, and all its spares")
        self._wait = wait
        self._size = size
        self._template = (template or Template()).altered(options)
        starts = max(1, (os.cpu_count() or 2) // 2)
        self._scheduler = PoolScheduler(self._template, size=size, most=most, starts=starts)
        self._workspaces = None if workspaces is None else Path(workspaces)
        self._counts = PoolCounts()
        self._group: TaskGroup | None = None
        self._opened = False
        self._owner = OwnerCheck()
        self._changed = anyio.Event()

    async def __aenter__(self) -> Self:
        if self._opened:
            raise SandboxUnavailable("this pool was opened before: make another")
        self._owner.check()
        self._opened = True
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._rehearse_spares)
        self._plan()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all sandboxes, those in use too; callers that wait for one get an error at once."""
        group, self._group = self._group, None
        if group is None or self._owner.forked:
            return
        for queue in self._scheduler.queues:
            queue.refuse(SandboxUnavailable("the pool was closed while this call waited for a sandbox"))
        self._changed.set()
        group.cancel_scope.cancel()
        # Without the error of the body, which the task group would wrap.
        await group.__aexit__(None, None, None)
        for queue in (*self._scheduler.queues, *self._scheduler.dropped):
            await queue.image.close()

    @asynccontextmanager
    @show_options
    async def sandbox(
        self, template: Template | None = None, *, wait: float | None = UNSET, **options: Unpack[SandboxOptions]
    ) -> AsyncGenerator[RecordedSandbox]:
        """Get a fresh sandbox; it is closed at the end of the block.

        `timeout`, `output_limit` and `env` are set on a spare. Other options, or a template, need a sandbox made for
        them; the pool keeps spares of these from then on. Raises PoolExhausted after `wait` seconds.
        """
        late, rest = split_options(options)
        queue = self._scheduler.queue((template or self._template).altered(rest))
        member = await self._acquire(queue, self._wait if wait == UNSET else wait)
        try:
            member.handed_out = True
            await member.box.lease(late)
            yield member.box
        finally:
            member.end()

    async def ready(self, count: int | None = None) -> None:
        """Wait until this many spares are ready (by default all), or the pool is closed; raises if none can be made."""
        wanted = self._size if count is None else min(count, self._size)
        while self._group is not None and len(self._scheduler.own_queue.spares) < wanted:
            if self._scheduler.own_queue.failure is not None:
                raise self._scheduler.own_queue.failure
            await self._changed.wait()

    @property
    def stats(self) -> PoolStats:
        """The state of the pool now."""
        counts, states = self._counts, self._scheduler.states
        return PoolStats(
            spare=states["spare"] + states["tended"],
            busy=states["busy"],
            starting=states["starting"],
            closing=states["closing"],
            waiting=sum(len(queue.waiters) for queue in self._scheduler.queues),
            templates=len(list(self._scheduler.queues)),
            handed_out=counts.handed_out,
            waited=counts.waited,
            failed=counts.failed,
            discarded=counts.discarded,
            refill_rate=counts.refill_rate,
            median_wait=counts.median_wait,
        )

    async def _acquire(self, queue: TemplateQueue, wait: float | None) -> PoolMember:
        if self._group is None:
            raise SandboxUnavailable("this pool is not open: use it in an async with statement")
        self._owner.check()
        waiter = queue.ask()
        try:
            queue.give()
            waited = waiter.member is None
            if waited or queue.short:
                self._plan()
            else:
                self._group.start_soon(self._plan_soon)
            with anyio.move_on_after(wait):
                await waiter.settled.wait()
        except BaseException:
            queue.withdraw(waiter)
            queue.give()
            raise
        if waiter.error is not None:
            raise waiter.error
        if waiter.member is None:
            queue.withdraw(waiter)
            raise PoolExhausted(f"no sandbox became free within {wait} s: {self.stats}", stats=self.stats)
        self._counts.hand_out(time.monotonic() - waiter.since, waited=waited)
        return waiter.member

    def _plan(self) -> None:
        """Start what is missing; called whenever something has changed."""
        while self._group is not None and (member := self._scheduler.next_start()) is not None:
            if self._workspaces is not None and member.queue.template.shareable:
                member.box.keep_workspace(self._workspaces / uuid4().hex)
            self._group.start_soon(self._keep, member)
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    async def _plan_soon(self) -> None:
        await anyio.sleep(COURTESY)
        self._plan()

    async def _keep(self, member: PoolMember) -> None:
        """The life of one sandbox, from its start to its end."""
        try:
            async with AsyncExitStack() as stack:
                if await self._start(member, stack):
                    self._arrive(member)
                    await member.over.wait()
        finally:
            if not member.handed_out and member.box.kept_workspace is not None:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(remove_scratch, member.box.kept_workspace)
            self._scheduler.members.discard(member)
            self._plan()

    async def _start(self, member: PoolMember, stack: AsyncExitStack) -> bool:
        queue, well = member.queue, False
        self._counts.begin_start()
        try:
            await stack.enter_async_context(member.box)
            await self._fill(member)
            # Warm-up cells make V8 compile Python's main loop, which takes as long as the start.
            if not queue.short:
                await member.box.rehearse()
            well = True
            queue.succeeded()
        except Exception as error:  # noqa: BLE001 - whatever it is goes to those who wait, and must not end the pool
            log.warning("a sandbox of a pool could not be started: %s", error)
            self._counts.failed += 1
            member.end()
            queue.image.forget()
            queue.failed(error)
        finally:
            queue.coming -= 1
            self._counts.end_start(well=well)
        return well

    async def _fill(self, member: PoolMember) -> None:
        image = member.queue.image
        if member.restored:
            image.compare(member.born)
            return
        await image.fill(member.box, member.born)
        if not member.queue.waiters:
            await image.keep(member.box)

    def _arrive(self, member: PoolMember) -> None:
        """Give an unused sandbox to a waiting caller, or keep it as a spare."""
        if member.queue.dropped:
            member.end()
            return
        member.queue.put(member)
        member.queue.give()
        self._plan()

    async def _rehearse_spares(self) -> None:
        """Maintain the spares: replace dead ones, warm up cold ones, check silent ones."""
        while True:
            self._counts.discarded += self._scheduler.look()
            self._plan()
            while self._scheduler.dropped:
                await self._scheduler.dropped.pop().image.close()
            if (member := self._scheduler.next_to_rehearse(REHEARSALS, ASK_EVERY)) is None:
                with anyio.move_on_after(LOOK_EVERY):
                    await self._changed.wait()
            else:
                await self._rehearse(member)
                await anyio.sleep(PAUSE)

    async def _rehearse(self, member: PoolMember) -> None:
        try:
            with anyio.fail_after(ASK_LIMIT):
                await member.box.rehearse()
            member.looked = time.monotonic()
            member.rehearsals += 1
        except (SandboxUnavailable, TimeoutError) as error:
            log.warning("a spare of a pool was thrown away: %s", error)
            self._counts.discarded += 1
            member.end()
        finally:
            member.queue.coming -= 1
        if member.state != "closing":
            self._arrive(member)
