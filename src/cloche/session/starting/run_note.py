"""A note in the details of a session that it runs, which a process that is killed leaves behind."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from cloche.errors import SessionTaken, StoreError
from cloche.events import SessionInfo, Store
from cloche.session.starting.session_lock import SessionLock

RUNNING_SINCE = "running_since"
"""The first event of a run that has not come to its end."""


@asynccontextmanager
async def noting_run(store: Store, sid: str, first: int) -> AsyncGenerator[None]:
    """Note that a session runs, until the end of the block; the caller holds its lock."""
    await store.create(sid, {})
    info = await store.session(sid)
    # What an earlier run has left open comes before this one.
    since = first if info is None else info.details.get(RUNNING_SINCE, first)
    await store.update_details(sid, {RUNNING_SINCE: since})
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await _forget(store, sid)


async def _forget(store: Store, sid: str) -> None:
    try:
        await store.update_details(sid, {RUNNING_SINCE: None})
    except StoreError:
        # The note stays: it says too much, and the next start finds that out.
        return


def is_interrupted(info: SessionInfo, root: Path | None) -> bool:
    """Whether the process in which a session ran was killed; blocks."""
    if info.details.get(RUNNING_SINCE) is None:
        return False
    lock = SessionLock(info.sid, root)
    try:
        lock.take()
    except SessionTaken:
        return False
    lock.release()
    return True
