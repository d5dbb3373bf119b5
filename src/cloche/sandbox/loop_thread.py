"""An event loop in a separate thread, for callers that are not async."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

import anyio
from anyio.from_thread import BlockingPortal

T = TypeVar("T")


class LoopThread:
    """Runs the loop from `with` to the end of it.

    anyio's own context manager is a generator, which Python ends when it is collected: in a child that was forked,
    where the thread does not exist, it would wait forever.
    """

    def __init__(self) -> None:
        self._opened: Future[BlockingPortal] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = Thread(target=self._run, name="cloche-loop", daemon=True)

    def __enter__(self) -> BlockingPortal:
        self._thread.start()
        return self._opened.result()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        portal = self._opened.result()
        # Work that an error, such as Ctrl-C during a start, has left half done is not waited for.
        portal.call(portal.stop, kind is not None)
        self._thread.join()

    def submit(self, act: Callable[[], Awaitable[T]]) -> Future[T]:
        """Start an async function without waiting for this thread: for callers that have a loop of their own."""
        assert self._loop is not None, "it is used in a with statement"
        return asyncio.run_coroutine_threadsafe(_call(act), self._loop)

    def _run(self) -> None:
        try:
            anyio.run(self._serve)
        except BaseException as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)

    async def _serve(self) -> None:
        async with BlockingPortal() as portal:
            self._loop = asyncio.get_running_loop()
            self._opened.set_result(portal)
            await portal.sleep_until_stopped()


async def _call(act: Callable[[], Awaitable[T]]) -> T:
    return await act()
