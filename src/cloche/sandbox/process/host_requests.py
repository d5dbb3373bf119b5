"""Answers the sandbox's requests to the host: most in a task of their own, which ends with the process."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol

from cloche.errors import ClocheError
from cloche.limits import HOST_REQUESTS, REQUEST_WINDOW
from cloche.sandbox.process.frames import MessageTooLong
from cloche.sandbox.process.protocol import (
    RequestAbort,
    RequestBodyEnd,
    RequestChunk,
    RequestCredit,
    RequestMessage,
    RequestStart,
)

log = logging.getLogger(__name__)

PIECE = 1 << 20
"""Bytes of an answer that go into one message."""

RESERVED = 16
"""Requests of the engine itself, for the files of languages, that may be open in addition to those of the guest."""

SMALL = 64 << 10
"""A smaller piece of a body is joined with the next one."""


class RequestSender(Protocol):
    """Sends replies to the engine."""

    def send(self, message: dict[str, Any], /) -> None: ...

    def send_chunk(self, number: int, data: memoryview, /) -> None: ...


class HostRequest:
    """One request that is being answered; its contents come from the sandbox and cannot be trusted."""

    def __init__(self, number: int, run: int, content: dict[str, Any], link: RequestSender) -> None:
        self.content = content
        self.run = run
        """The call that it belongs to."""
        self.aborted = False
        """Whether the answer is no longer wanted."""
        self.on_abort: Callable[[], object] = lambda: None
        """Called when that happens."""
        self.on_end: Callable[[], object] = lambda: None
        """Called when everything was sent."""
        self._number = number
        self._link = link
        self._answer: dict[str, Any] = {}
        self._responded = False
        self._ended = False
        self._credit = REQUEST_WINDOW
        self._pieces: deque[bytearray] = deque()
        self._unread = 0
        self._taken = 0
        self._complete = False
        self._changed = asyncio.Event()

    async def body(self) -> AsyncGenerator[bytes]:
        """The bytes that go with the request, in pieces."""
        while self._pieces or not self._complete:
            if not self._pieces:
                await self._change()
                continue
            piece = self._pieces.popleft()
            self._unread -= len(piece)
            self._taken += len(piece)
            if self._taken >= REQUEST_WINDOW // 4:
                self._link.send({"op": "credit", "request": self._number, "bytes": self._taken})
                self._taken = 0
            yield bytes(piece)

    def answer(self, data: Any) -> None:
        """Set the answer, once; it is sent with the end, after all bytes."""
        if not self._answer:
            self._answer = {"data": data}

    def respond(self, data: Any) -> None:
        """Send the answer at once, because its bytes follow."""
        if not self._responded:
            self._responded = True
            self._link.send({"op": "response", "request": self._number, "data": data})

    async def send(self, data: bytes | memoryview) -> None:
        """Send bytes of the answer; waits until the other side has taken the earlier ones."""
        view = memoryview(data)
        for at in range(0, len(view), PIECE):
            while self._credit <= 0:
                await self._change()
            part = view[at : at + PIECE]
            self._credit -= len(part)
            self._link.send_chunk(self._number, part)

    def receive(self, message: RequestBodyEnd | RequestCredit | RequestChunk) -> bool:
        """Take a message for this request; returns False if the other side breaks the rules."""
        match message:
            case RequestBodyEnd():
                self._complete = True
            case RequestCredit(_, count):
                self._credit = min(self._credit + max(count, 0), REQUEST_WINDOW)
            case RequestChunk(_, data):
                self._unread += len(data)
                # Small pieces are joined: each has a cost of its own.
                if self._pieces and len(self._pieces[-1]) < SMALL:
                    self._pieces[-1] += data
                else:
                    self._pieces.append(bytearray(data))
        self._changed.set()
        return self._unread <= 2 * REQUEST_WINDOW

    def end(self, error: tuple[str, str] | None = None) -> None:
        """End the answer, once."""
        if self._ended:
            return
        failure = None if error is None else {"type": error[0], "message": error[1]}
        answer = self._answer if error is None and not self._responded else {}
        # What is too long for a message is tried once: the next end goes without it.
        self._answer = {}
        self._link.send({"op": "end", "request": self._number, "error": failure, **answer})
        self._ended = True
        self.on_end()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


Answerer = Callable[[HostRequest], Awaitable[None]]
"""Answers a request: returning ends the answer; a ClocheError or OSError refuses it, with its name and message."""

Receiver = Callable[[HostRequest, int], None]
"""Receives a request in its order among all messages, with the bytes of memory it takes, and ends it later."""


class OpenRequests:
    """The open requests of one process."""

    def __init__(
        self,
        link: RequestSender,
        answerers: Mapping[str, Answerer],
        receivers: Mapping[str, Receiver] | None = None,
    ) -> None:
        self._link = link
        self._answerers = answerers
        self._receivers: Mapping[str, Receiver] = {} if receivers is None else receivers
        self._open: dict[int, tuple[HostRequest, asyncio.Task[None]]] = {}
        self._held: dict[int, HostRequest] = {}

    def receive(self, message: RequestMessage, weight: int = 0) -> None:
        if isinstance(message, RequestStart):
            self._begin(message, weight)
            return
        if isinstance(message, RequestAbort) and (held := self._held.pop(message.request, None)):
            held.aborted = True
            held.on_abort()
            return
        ask, task = self._open.get(message.request, (None, None))
        if ask is None or task is None:
            return
        if isinstance(message, RequestAbort):
            task.cancel()
        elif not ask.receive(message):
            task.cancel()
            ask.end(("TooMuch", "more bytes came than were asked for"))

    def end_run(self, run: int) -> None:
        """End the requests that wait for the reader of a call, which is gone."""
        for held in [each for each in self._held.values() if each.run == run]:
            held.end()

    def cancel(self) -> None:
        """Stop all requests; synchronous."""
        for _, task in list(self._open.values()):
            task.cancel()

    async def ended(self) -> None:
        """Wait until the stopped requests have ended."""
        while self._open:
            await asyncio.wait([task for _, task in self._open.values()])
            # A task's callbacks run after the tasks that wait for it.
            await asyncio.sleep(0)

    def _begin(self, message: RequestStart, weight: int) -> None:
        ask = HostRequest(message.request, message.run, message.content, self._link)
        if message.complete:
            ask.receive(RequestBodyEnd(message.request))
        kind = message.content.get("kind")
        receiver = self._receivers.get(kind) if isinstance(kind, str) else None
        limit = HOST_REQUESTS + RESERVED if kind == "pack" else HOST_REQUESTS
        known = message.request in self._open or message.request in self._held
        if known or len(self._held if receiver is not None else self._open) >= limit:
            ask.end(("TooMany", f"more than {HOST_REQUESTS} requests are open at once"))
            return
        if receiver is not None:
            self._held[message.request] = ask
            ask.on_end = partial(self._held.pop, message.request, None)
            receiver(ask, weight)
            return
        # It belongs to the process: killing that cancels the task.
        task = asyncio.get_running_loop().create_task(self._work(ask))
        self._open[message.request] = (ask, task)
        task.add_done_callback(lambda _: self._open.pop(message.request, None))

    async def _work(self, ask: HostRequest) -> None:
        kind = ask.content.get("kind")
        answerer = self._answerers.get(kind) if isinstance(kind, str) else None
        if answerer is None:
            ask.end(("Unavailable", f"nobody answers requests for {kind!r} in this sandbox"))
            return
        try:
            await answerer(ask)
            ask.end()
        except MessageTooLong as error:
            ask.end(("TooLong", f"the host's answer is too long: {error}"))
        except ClocheError as error:
            ask.end((type(error).__name__, str(error)))
        except OSError as error:
            # Without the file name, which is a path of the host.
            ask.end((type(error).__name__, error.strerror or "the system refused"))
        except Exception as error:  # the border of a request: the guest must not wait forever
            log.exception("answering a sandbox's request for %r failed", kind)
            ask.end(("InternalError", f"the host failed ({type(error).__name__}); its log says more"))
