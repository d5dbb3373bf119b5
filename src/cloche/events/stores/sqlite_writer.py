"""The one thread that writes to a SQLite store: all waiting events are committed together."""

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import anyio
from anyio import WouldBlock, to_thread

from cloche.errors import ClocheError, StoreClosed, StoreError, StoreLocked
from cloche.events.stores import sqlite_queries
from cloche.events.stores.feeds import FeedHub
from cloche.events.stores.sqlite_errors import explain_error
from cloche.limits import EVENT_QUEUE, STORE_POLL

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class WriteJob(Generic[Result]):
    """A write, and the task that waits for it."""

    __slots__ = ("future", "then", "work")

    def __init__(
        self, work: Callable[[sqlite3.Connection], Result], then: Callable[[Result], None] | None, future: Any
    ) -> None:
        self.work = work
        self.then = then
        self.future: asyncio.Future[Result] = future

    def settle(self, result: Result | None, error: Exception | None) -> None:
        """Report the outcome, on the loop; followers get the events even if the caller has stopped waiting."""
        if error is None and self.then is not None:
            self.then(result)  # pyright: ignore[reportArgumentType]: there is a result where there is no error
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)  # pyright: ignore[reportArgumentType]: as above
        else:
            self.future.set_exception(error)


_Outcome = tuple[WriteJob[Any], Any, Exception | None]


class WriterThread:
    """Takes jobs from the loop and runs them in transactions; jobs that wait share one."""

    def __init__(self, db: sqlite3.Connection, path: Path, hub: FeedHub):
        self._db = db
        self._path = path
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[WriteJob[Any] | None] = SimpleQueue()
        self._room = anyio.Semaphore(EVENT_QUEUE, fast_acquire=True)
        self._closing = False
        self._seen = -1
        self._looked = 0.0
        self._thread = threading.Thread(target=self._run, name=f"events {path.name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    async def write(
        self, work: Callable[[sqlite3.Connection], Result], then: Callable[[Result], None] | None = None
    ) -> Result:
        """Run `work` in a transaction, then `then` on the loop; returns when it is committed."""
        try:
            self._room.acquire_nowait()
        except WouldBlock:
            await self._room.acquire()
        try:
            if self._closing:
                raise StoreClosed(f"The events in {self._path} cannot be written: the store is closed.")
            future: asyncio.Future[Result] = self._loop.create_future()
            self._queue.put(WriteJob(work, then, future))
            return await future
        finally:
            self._room.release()

    def wake(self) -> None:
        """Check from now on what other processes write."""
        self._queue.put(None)

    async def close(self) -> None:
        """Finish the waiting jobs and end the thread."""
        self._closing = True
        self._queue.put(None)
        await to_thread.run_sync(self._thread.join)

    def _run(self) -> None:
        while not (self._closing and self._queue.empty()):
            jobs = self._gather()
            if jobs:
                self._tell(_settle_jobs, self._attempt(jobs))
            self._look()
        self._db.close()

    def _gather(self) -> list[WriteJob[Any]]:
        """All waiting jobs; none if it is only time to check for other writers."""
        try:
            first = self._queue.get(timeout=STORE_POLL if self._hub.followed else None)
            waiting = [first, *(self._queue.get_nowait() for _ in range(min(self._queue.qsize(), EVENT_QUEUE)))]
        except Empty:
            return []
        if None in waiting:
            self._seen = -1
        return [job for job in waiting if job is not None]

    def _attempt(self, jobs: Sequence[WriteJob[Any]]) -> list[_Outcome]:
        """Commit jobs together; if that fails, each alone, so that one does not affect the others."""
        try:
            return [(job, result, None) for job, result in zip(jobs, self._commit(jobs), strict=True)]
        except ClocheError as error:
            if len(jobs) == 1 or isinstance(error, StoreLocked):
                return [(job, None, error) for job in jobs]
        return [outcome for job in jobs for outcome in self._attempt([job])]

    def _commit(self, jobs: Sequence[WriteJob[Any]]) -> list[Any]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            results = [job.work(self._db) for job in jobs]
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo()
            raise explain_error(error, self._path) from error
        except Exception as error:  # The border of a worker: the caller gets the error, and the thread goes on.
            self._undo()
            logger.exception("writing events to %s failed", self._path)
            raise StoreError(f"Events could not be written to {self._path}: {error!r}.") from error
        return results

    def _undo(self) -> None:
        try:
            self._db.rollback()
        except sqlite3.Error:
            logger.exception("a transaction in %s could not be undone", self._path)

    def _look(self) -> None:
        """Notice what other connections, that is other processes, have committed."""
        now = time.monotonic()
        if not self._hub.followed or now - self._looked < STORE_POLL:
            return
        self._looked = now
        try:
            version: int = self._db.execute("PRAGMA data_version").fetchone()[0]
            if version != self._seen:
                self._seen = version
                followed = list(self._hub.followed)
                self._tell(self._hub.notice, {sid: sqlite_queries.read_feed_mark(self._db, sid) for sid in followed})
        except sqlite3.Error:
            logger.exception("%s could not be looked at", self._path)

    def _tell(self, act: Callable[..., None], *what: object) -> None:
        try:
            self._loop.call_soon_threadsafe(act, *what)
        except RuntimeError:
            logger.debug("the loop of the store in %s has ended", self._path)


def _settle_jobs(outcomes: Sequence[_Outcome]) -> None:
    for job, result, error in outcomes:
        job.settle(result, error)
