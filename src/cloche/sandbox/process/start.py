"""Starts an engine with files whose hashes are checked; damaged files are built again."""

import asyncio
import errno
import logging
import os
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

from cloche.errors import SandboxUnavailable
from cloche.limits import STARTS_AT_ONCE
from cloche.sandbox.cache import assets, snapshots
from cloche.sandbox.cache.auto_prune import prune_in_background
from cloche.sandbox.cache.snapshots import PreparedStart
from cloche.sandbox.process.engine_process import ChangeFile, EngineProcess, ProvidePack
from cloche.sandbox.process.host_requests import Answerer
from cloche.sandbox.process.launch_plan import LaunchPlan, build_launch
from cloche.sandbox.process.warm_up import warm_up

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""How often a start is tried, if files had to be repaired or another process replaced them."""

_OPEN_FILES = "Raise the limit on open files (ulimit -n), or run fewer sandboxes at once."
_MEMORY = "Free memory or processes, or run fewer sandboxes at once."
_SPACE = "Make room on the disk, or set TMPDIR to a folder on another one."
SHORTAGES = {
    errno.EMFILE: _OPEN_FILES,
    errno.ENFILE: _OPEN_FILES,
    errno.ENOMEM: _MEMORY,
    errno.EAGAIN: _MEMORY,
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
}
"""What to do if the system lacks something."""

_limiter = RunVar[anyio.CapacityLimiter]("_limiter")
"""One for each event loop."""

LaunchEngine = Callable[[PreparedStart], Awaitable[EngineProcess]]


@contextmanager
def explain_shortage() -> Generator[None]:
    """Turn errors about a lack of resources into SandboxUnavailable, which says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in SHORTAGES:
            raise
        advice = SHORTAGES[error.errno]
        raise SandboxUnavailable(f"the sandbox could not be started: {error.strerror}. {advice}") from error


async def start_engine(launch: LaunchEngine) -> EngineProcess:
    """Start an engine; what it needs is built first if it is missing or damaged."""
    for attempt in range(1, ATTEMPTS + 1):
        opened: tuple[int, ...] | None = None
        try:
            prepared = await snapshots.build_prepared(warm_up)
            opened = await to_thread.run_sync(snapshots.identify_files)
            log.debug("starting with %s, code %s", prepared.snapshot.parent.name, prepared.code_cache.parent.name)
            async with _start_limiter():
                process = await _launch_verified(launch, prepared)
            prune_in_background()
            return process
        except (SandboxUnavailable, FileNotFoundError) as error:
            if attempt == ATTEMPTS:
                raise
            log.debug("a start failed; checking whether files in the cache are damaged: %s", error)
            repaired = await assets.repair_assets() | await snapshots.repair_prepared(warm_up)
            replaced = opened is not None and opened != await to_thread.run_sync(snapshots.identify_files)
            if not repaired and not replaced:
                raise
    raise AssertionError


async def launch_engine(
    plan: LaunchPlan, change_file: ChangeFile, answerers: Mapping[str, Answerer], provide: ProvidePack
) -> EngineProcess:
    """Start one process; closes it if that fails."""
    process = EngineProcess(await to_thread.run_sync(build_launch, plan), change_file, answerers, provide)
    try:
        await process.start()
    except BaseException:
        await process.close()
        raise
    return process


def _start_limiter() -> anyio.CapacityLimiter:
    """Lets a few start at once: more would only slow each other down, and the slowest would time out."""
    try:
        return _limiter.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(STARTS_AT_ONCE * (os.cpu_count() or 1))
        _limiter.set(limiter)
        return limiter


async def _launch_verified(launch: LaunchEngine, prepared: PreparedStart) -> EngineProcess:
    """Start one while its files are hashed, and return it only if the hashes are right."""
    compared = asyncio.get_running_loop().run_in_executor(None, snapshots.find_damage, prepared)
    # If the start fails, the result of the check is not read, and asyncio would report its error as unhandled.
    compared.add_done_callback(lambda done: done.cancelled() or done.exception())
    process = await launch(prepared)
    try:
        wrong = await compared
    except BaseException:
        await process.close()
        raise
    if wrong:
        await process.close()
        raise SandboxUnavailable(f"files in the cache are damaged, {wrong[0]} among them: run `cloche cache verify`")
    return process
