"""One engine process: started under confinement, reached over its link, reliably ended."""

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import SandboxUnavailable
from cloche.limits import INTERRUPT_GRACE, KILL_GRACE, START_TIMEOUT, WORKER_LIMIT
from cloche.sandbox.languages import languages
from cloche.sandbox.process.background import BackgroundMonitor
from cloche.sandbox.process.exit_reason import describe_end, one_line
from cloche.sandbox.process.host_requests import Answerer, HostRequest, OpenRequests
from cloche.sandbox.process.link import Inbox, Link
from cloche.sandbox.process.process_family import find_family, wait_gone
from cloche.sandbox.process.protocol import (
    BackgroundWork,
    Beside,
    CallBegun,
    CallDone,
    CallWaiting,
    EngineFailed,
    EngineReady,
    Message,
    QueryReply,
    Replaced,
    RequestAbort,
    RequestBodyEnd,
    RequestChunk,
    RequestCredit,
    RequestStart,
    WorkerStuck,
)
from cloche.sandbox.process.spawn import ChildProcess, run_in_spawner, start_child
from cloche.sandbox.process.watchdog import Watchdog
from cloche.sandbox.results.outcome import Outcome

END_GRACE = 2.0
"""Seconds to wait for a killed process to be gone."""

LEFT_RUNNING = "what calls had left running could not be stopped in any other way"

STDERR_KEPT = 16 << 10

END_LOOK = 0.01
"""Seconds between checks whether a process whose link is closed has ended."""

END_LOOKS = 50

log = logging.getLogger(__name__)


ChangeFile = Callable[[dict[str, Any]], str | None]
"""Makes a link or sets a mode for the sandbox, which may not do so itself; returns an error code, or None."""

ProvidePack = Callable[[str], Awaitable[tuple[str, int]]]
"""Makes a language's files available; returns their folder and the bytes of memory that the language may use."""


class Launch(msgspec.Struct, frozen=True):
    """Everything needed to start one engine."""

    argv: Sequence[str]
    env: Mapping[str, str]
    socket: str
    pass_fds: Sequence[int]
    close_after: Sequence[int]
    config: dict[str, Any]
    memory_bytes: int
    """What the whole process may use before the watchdog ends it."""


class EngineProcess:
    """A running engine. `lost` says why it is gone."""

    def __init__(
        self,
        launch: Launch,
        change_file: ChangeFile,
        answerers: Mapping[str, Answerer] | None = None,
        provide: ProvidePack | None = None,
    ) -> None:
        self._launch = launch
        self._provide_files = provide
        self._packs_coming: set[str] = set()
        self._change_file = change_file
        self._link = Link(self._receive, self._link_lost)
        self._requests = OpenRequests(
            self._link,
            {"pack": self._answer_pack, **({} if answerers is None else answerers)},
            {"input": self._pass_input, "link": self._make_file_change, "chmod": self._make_file_change},
        )
        self._inboxes: dict[int, Inbox] = {}
        self._ready = asyncio.Event()
        self._last = 0
        self._stderr = b""
        self._process: ChildProcess | None = None
        self._spawning: Future[None] | None = None
        self._killed = False
        self._watchdog = Watchdog(launch.memory_bytes, self.kill, self._looked)
        self._file_changes = 0
        self._stopping = False
        self._was_idle = True
        self.background = BackgroundMonitor()
        self.lost: str | None = None
        self._untold: set[str] = set()
        self.spent = False
        """Whether it has a thread that cannot be stopped, so that it must be replaced."""
        self.shell: str | None = None
        """The state that the shell of its replacement starts from."""

    async def start(self) -> None:
        """Spawn, connect, configure, and wait until the first languages are ready."""
        began = time.monotonic()
        try:
            with anyio.fail_after(START_TIMEOUT), socket.socket(socket.AF_UNIX) as listener:
                _bind_socket(listener, self._launch.socket)
                listener.listen(1)
                listener.setblocking(False)
                await self._spawned()
                await self._connect(listener)
                self._link.send({"op": "start", "config": self._launch.config})
                await self._ready.wait()
        except TimeoutError:
            self.lost = f"it did not start within {START_TIMEOUT:.0f} s"
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(_remove_socket, self._launch.socket)
            if self.lost is not None or not self._ready.is_set():
                self.kill()
            if self._spawning is None:
                self._close_given()
        if self.lost is not None:
            raise await self._refusal(self.lost)
        log.debug("pid=%d: ready after %.3f s", self.pid, time.monotonic() - began)
        self._watchdog.start(self.pid)

    def send(self, message: dict[str, Any]) -> None:
        self._link.send(message)

    def interrupt(self) -> None:
        """Stop the running code, at normal priority."""
        self._watchdog.expedite()
        self.send({"op": "interrupt", "grace": INTERRUPT_GRACE})

    def open_inbox(self) -> tuple[int, Inbox]:
        """A number for a new call, and the inbox for its messages."""
        self._last += 1
        self._watchdog.expedite()
        inbox = Inbox(self._link.flow)
        self._inboxes[self._last] = inbox
        if self.lost is not None:
            self._report(self._last, inbox)
        self._count_background()
        return self._last, inbox

    def close_inbox(self, number: int) -> None:
        inbox = self._inboxes.pop(number, None)
        if inbox is not None and inbox.asked:
            self._requests.end_run(number)
        self._count_background()
        self._link.flow(True)

    @property
    def memory(self) -> int:
        """Resident bytes of the engine at the last check, 0 if unknown."""
        return self._watchdog.memory

    def kill(self, why: str = "it was ended") -> None:
        """End it at once; synchronous, so that it cannot be cancelled halfway."""
        self._died(why)
        self._watchdog.stop()
        self._link.close()
        self._requests.cancel()
        self._kill_group()

    async def close(self) -> None:
        """Kill and reap; bounded, never raises."""
        if self._spawning is not None and not self._spawning.done():
            # It is killed as soon as it has been spawned.
            self.kill()
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(partial(wait, [self._spawning], END_GRACE))
        process = self._process
        if process is None:
            self.kill()
            return
        with anyio.CancelScope(shield=True):
            family: list[int] = []
            try:
                family = await to_thread.run_sync(find_family, process.pid)
            finally:
                # A shield does not stop a second cancellation of the task itself, so this comes first.
                self.kill()
            await to_thread.run_sync(wait_gone, process, family[1:], END_GRACE)
            with anyio.move_on_after(END_GRACE):
                await self._requests.ended()
        if process.stderr is not None:
            process.stderr.close()

    async def _spawned(self) -> None:
        self._spawning = run_in_spawner(self._spawn)
        # Not cancelled with the caller: a spawn that has begun must close its descriptors.
        await asyncio.shield(asyncio.wrap_future(self._spawning))

    def _spawn(self) -> None:
        """Start the process; runs in a thread, and `kill` may be called meanwhile."""
        try:
            if self.lost is not None:
                return
            process = start_child(self._launch.argv, self._launch.env, self._launch.pass_fds)
        finally:
            self._close_given()
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        self._process = process
        if self.lost is not None:
            self._kill_group()

    def _close_given(self) -> None:
        """Close the descriptors that were opened for the process."""
        for fd in self._launch.close_after:
            os.close(fd)

    def _kill_group(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._killed = True
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _connect(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        assert self._process is not None
        connected = False
        async with anyio.create_task_group() as group:
            group.start_soon(self._until_ended, group.cancel_scope)
            connection, _ = await loop.sock_accept(listener)
            await loop.connect_accepted_socket(lambda: self._link, connection)
            connected = True
            group.cancel_scope.cancel()
        if not connected:
            raise await self._refusal("the engine ended before it was ready")

    async def _until_ended(self, scope: anyio.CancelScope) -> None:
        # In its own task: cancelling `sock_accept` again and again could lose a connection that was just accepted.
        while self._process is not None and self._process.poll() is None:  # noqa: ASYNC110 - it has no event
            await anyio.sleep(0.05)
        scope.cancel()

    def _receive(self, message: Message, weight: int) -> None:
        match message:
            case EngineReady():
                self._ready.set()
            case EngineFailed(text):
                self.kill(text[:STDERR_KEPT])
            case WorkerStuck() | BackgroundWork() | Beside() | Replaced():
                self._note(message)
            case RequestStart() | RequestBodyEnd() | RequestCredit() | RequestAbort() | RequestChunk():
                self._requests.receive(message, weight)
            case _:
                if (inbox := self._inboxes.get(message.id)) is None:
                    return
                if isinstance(message, CallWaiting | CallBegun):
                    inbox.set_waits(isinstance(message, CallWaiting))
                    self._count_background()
                else:
                    inbox.put(message, weight)

    def _note(self, message: WorkerStuck | BackgroundWork | Beside | Replaced) -> None:
        match message:
            case WorkerStuck(shell):
                self._give_up(shell)
            case BackgroundWork(work):
                self.background.report(work)
            case Beside(seconds, taken):
                self.background.report_beside(seconds, taken)
            case Replaced(language, told):
                if not told:
                    self._untold.add(language)
                log.info("pid=%d: the worker of %s is replaced", self.pid, one_line(language))

    def take_loss(self, language: str) -> bool:
        """Whether a language has lost its state since its last call, without an answer that said so."""
        lost = language in self._untold
        self._untold.discard(language)
        return lost

    def _give_up(self, shell: str | None) -> None:
        self.spent = True
        self.shell = shell
        log.info("pid=%d: it has a thread that cannot be stopped, and is to be replaced", self.pid)
        # If a call is running, it ends first.
        if self._idle:
            self.kill(LEFT_RUNNING)

    def _pass_input(self, request: HostRequest, weight: int) -> None:
        """Pass a question to its call, which reads it after the output that came before it."""
        inbox = self._inboxes.get(request.run)
        if inbox is None or inbox.ended.is_set():
            request.end()
        else:
            inbox.asked = True
            inbox.put(request, weight)

    async def _answer_pack(self, request: HostRequest) -> None:
        """Answer where a language's files are; the engine asks once for each language."""
        language = request.content.get("language")
        if not isinstance(language, str) or language not in languages():
            self.kill("it asked for a language that does not exist")
            return
        if self._provide_files is None:
            raise SandboxUnavailable("languages cannot be fetched here")
        if language in self._packs_coming:
            raise SandboxUnavailable(f"the files of {language} are already being fetched")
        self._packs_coming.add(language)
        try:
            folder, memory_bytes = await self._provide_files(language)
        except OSError as error:
            raise SandboxUnavailable(str(error)) from error
        finally:
            self._packs_coming.discard(language)
        self._watchdog.allow(language, memory_bytes)
        request.answer(folder)

    @property
    def _idle(self) -> bool:
        """Whether no call is running; calls that wait do not count."""
        return all(inbox.waits or inbox.ended.is_set() for inbox in self._inboxes.values())

    def stop_background(self, why: str) -> None:
        """Stop background work; if that fails, end the process."""
        self._stopping = True
        self.background.stopped(why)
        self._watchdog.expedite()
        self.send({"op": "stop_background", "grace": INTERRUPT_GRACE})
        asyncio.get_running_loop().call_later(INTERRUPT_GRACE + KILL_GRACE, self._check_stopped, self.background.work)

    def _check_stopped(self, asked: dict[str, list[str]]) -> None:
        self._stopping = False
        # Each report is a new object: work that a later call has left is not counted here.
        if asked and self.background.work is asked and self._idle:
            self.kill(LEFT_RUNNING)

    def _make_file_change(self, request: HostRequest, _: int) -> None:
        """Make a link or set a mode; not in a task, because a system call of the guest waits for it."""

        def answer(done: asyncio.Future[str | None]) -> None:
            self._file_changes -= 1
            if not done.cancelled():
                request.answer(done.result())
                request.end()

        self._file_changes += 1
        if self._file_changes > WORKER_LIMIT:
            # A worker waits for each change, so there cannot be more changes than workers.
            self.kill("it asked for too many changes of files at once")
            return
        loop = asyncio.get_running_loop()
        loop.run_in_executor(None, self._change_file, request.content).add_done_callback(answer)

    def _died(self, why: str) -> None:
        if self.lost is not None:
            return
        self.lost = why
        log.info("pid=%d: gone: %s", self.pid, why)
        self._ready.set()
        for number, inbox in self._inboxes.items():
            self._report(number, inbox)

    def _report(self, number: int, inbox: Inbox) -> None:
        """Send each waiting caller its one answer."""
        failure = {"type": "SandboxLost", "message": f"the sandbox process is gone: {self.lost}"}
        outcome = msgspec.convert({"error": failure, "exitCode": 137}, Outcome)
        inbox.put(QueryReply(number, {"error": failure["message"]}))
        inbox.put(CallDone(number, outcome, "lost"))

    def _looked(self) -> None:
        """Called after each check of the watchdog."""
        self._drain_stderr()
        self._count_background()

    def _count_background(self) -> None:
        """Charge processor time to background work; called whenever a call begins or ends."""
        if self.lost is not None or not self.background.work:
            return
        idle, self._was_idle = self._was_idle, self._idle
        if (why := self.background.count(self._watchdog.processor_time(), idle=idle)) and not self._stopping:
            self.stop_background(why)

    def _drain_stderr(self) -> None:
        if self._process is None or self._process.stderr is None or self._process.stderr.closed:
            return
        with suppress(BlockingIOError):
            while chunk := os.read(self._process.stderr.fileno(), STDERR_KEPT):
                self._stderr = (self._stderr + chunk)[-STDERR_KEPT:]

    async def _refusal(self, why: str) -> SandboxUnavailable:
        """Why it could not be started, in one line; all of stderr is in the log."""
        with anyio.move_on_after(END_LOOKS * END_LOOK):
            while self._process is not None and self._process.poll() is None:  # noqa: ASYNC110 - it has no event
                await anyio.sleep(END_LOOK)
        return SandboxUnavailable(
            f"the sandbox could not be started: {one_line(why)}{self._end()}. `cloche doctor` looks for the cause."
        )

    def _link_lost(self, why: str, looks: int = END_LOOKS) -> None:
        """Kill the process: at once if it broke a rule; if it ended, as soon as its exit code is known."""
        if self.lost is not None:
            return
        ending = self._link.closed and self._process is not None and self._process.poll() is None
        if ending and looks:
            asyncio.get_running_loop().call_later(END_LOOK, self._link_lost, why, looks - 1)
        else:
            self.kill(why + self._end() if self._link.closed else why)

    def _end(self) -> str:
        self._drain_stderr()
        if self._stderr:
            log.debug("pid=%d: said on stderr: %s", self.pid, self._stderr.decode(errors="replace").strip())
        # If we killed it, its exit code says nothing.
        code = self._process.returncode if self._process is not None and not self._killed else None
        return describe_end(code, self._stderr)

    @property
    def pid(self) -> int:
        """The process id, 0 before it is spawned."""
        return self._process.pid if self._process is not None else 0


def _bind_socket(listener: socket.socket, path: str) -> None:
    try:
        listener.bind(path)
    except OSError as error:
        raise SandboxUnavailable(
            f"the control socket could not be made at {path}: {error}. If the path is too long, set TMPDIR to a "
            "shorter one."
        ) from error


def _remove_socket(path: str) -> None:
    with suppress(FileNotFoundError):
        Path(path).unlink()
