"""The sandbox as a machine that actions run on."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from math import inf
from typing import cast

import anyio
import msgspec
from anyio import to_thread

from cloche.config import AppConfig
from cloche.errors import ClocheError, ConfigError
from cloche.options import OPTIONS, SandboxOptions
from cloche.runtime.displays import find_bundles, find_pictures
from cloche.runtime.machine import Ended, FolderEntry, Machine, MachineIdentity, Process
from cloche.sandbox.files.guest_files import FileInfo
from cloche.sandbox.files.mounts import parse_mount
from cloche.sandbox.languages import check_language
from cloche.sandbox.recorded_sandbox import RecordedSandbox, SandboxSource
from cloche.sandbox.results.result import Event, Result, Text
from cloche.sandbox.results.transcript import Transcript
from cloche.sandbox.sandbox import Sandbox

IDENTITY = MachineIdentity("user", "cloche", "/usr/bin/python3")
"""What `whoami` and `hostname` say in every sandbox; its environment begins in `engine/languages/environment.ts`."""
WAITING_LINES = 1000
"""Lines of input that may wait for a program to read them."""
INTERRUPT_KEY = "\x03"
"""What a session takes for Ctrl-C at its prompt (`engine/worker/programs/input.ts`)."""
STOP_LOOK = 0.1
"""Seconds between two attempts to stop a call."""


class SandboxMachine(Machine):
    """A machine in WebAssembly, gone when it is closed."""

    def __init__(
        self, config: AppConfig, on_output: Callable[[str, str], None], pool: SandboxSource | None = None
    ) -> None:
        """`on_output` receives what processes write, as it arrives; the sandbox comes from `pool`, if given."""
        self._on_output = on_output
        self._limit = config.sandbox.output_limit
        options = read_options(config)
        self._source: AbstractAsyncContextManager[RecordedSandbox] = (
            RecordedSandbox(**options) if pool is None else pool.sandbox(**options)
        )
        self._lease = AsyncExitStack()
        self._given: RecordedSandbox | None = None
        self._running: set[SandboxProcess] = set()

    @property
    def box(self) -> RecordedSandbox:
        """The sandbox itself, for callers who need more than a machine."""
        assert self._given is not None, "what uses the sandbox comes after `start`"
        return self._given

    async def start(self) -> None:
        self._given = await self._lease.enter_async_context(self._source)

    async def close(self) -> None:
        if self._given is not None:
            # A pool would only close it later.
            await self._given.close()
        await self._lease.aclose()
        for process in list(self._running):
            await process.settle()

    async def run(
        self,
        language: str,
        code: str,
        *,
        stdin: str | None = None,
        timeout: float | None = None,
        folder: str | None = None,
        setup: bool = False,
    ) -> Process:
        check_language(language)
        process = SandboxProcess(self.box, self._limit, self._on_output)
        self._running.add(process)
        asked = process.answer if stdin is None and language == "bash" else None
        call = self.box.follow(
            process.record,
            code,
            language=language,
            stdin=stdin,
            seconds=timeout,
            on_input=asked,
            cwd=folder,
            setup=setup,
        )
        process.start(call, self._running.discard)
        return process

    @property
    def identity(self) -> MachineIdentity:
        return IDENTITY

    async def read(self, path: str, limit: int) -> bytes:
        return await self.box.read(path, limit=limit)

    async def write(self, path: str, data: bytes) -> None:
        await self.box.write(path, data)

    async def list(self, path: str) -> list[FolderEntry]:
        return [_convert_info(info) for info in await self.box.files(path)]

    async def mkdir(self, path: str) -> None:
        await self.box.mkdir(path)

    async def remove(self, path: str, *, recursive: bool) -> None:
        await self.box.remove(path, recursive=recursive)

    async def move(self, path: str, destination: str, *, overwrite: bool) -> None:
        await to_thread.run_sync(partial(self.box.host_files.move, path, destination, overwrite=overwrite))

    async def set_env(self, env: Mapping[str, str]) -> None:
        await self.box.set_env(env)


class SandboxProcess(Process):
    """A call on a sandbox that continues by itself."""

    def __init__(self, box: Sandbox, limit: int, on_output: Callable[[str, str], None]) -> None:
        self._box = box
        self._on_output = on_output
        self.record = Transcript(limit, keeps_cleared=True)
        """What it has written since the last look; its call writes there too."""
        self._news = anyio.Event()
        self._done = anyio.Event()
        self._lines: deque[str | None] = deque()
        self._typed = anyio.Event()
        self._asks = False
        self._in_session = False
        """Whether the question is the prompt of a session, which an interrupt does not end."""
        self._ended: Ended | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def ended(self) -> Ended | None:
        return self._ended

    @property
    def asks(self) -> bool:
        return self._asks and self._ended is None

    def start(self, call: AsyncGenerator[Event], forget: Callable[["SandboxProcess"], None]) -> None:
        """Start; `forget` is called when it has ended."""
        # It outlasts the action that began it, so it belongs to none: the machine is its parent, and waits for its end.
        self._task = asyncio.get_running_loop().create_task(self._follow(call))
        self._task.add_done_callback(lambda _: forget(self))

    def take(self) -> str:
        return self.record.take()

    async def wait(self, seconds: float | None) -> bool:
        with anyio.move_on_after(inf if seconds is None else seconds) as scope:
            await self._news.wait()
        if not scope.cancelled_caught:
            self._news = anyio.Event()
        return not scope.cancelled_caught

    async def send(self, line: str | None) -> None:
        if len(self._lines) >= WAITING_LINES:
            raise BufferError(f"{WAITING_LINES} lines of input wait already for the program to read them")
        self._lines.append(line)
        self._asks = False
        self._typed.set()

    async def interrupt_line(self) -> bool:
        if not self.asks or not self._in_session:
            return False
        await self.send(INTERRUPT_KEY)
        return True

    async def stop(self) -> None:
        # Repeated: a call that still waits for its turn, or for files, cannot be interrupted yet.
        while not self._done.is_set():
            await self._box.interrupt()
            with anyio.move_on_after(STOP_LOOK):
                await self._done.wait()

    async def settle(self) -> None:
        """Wait for the end of a call whose sandbox is closed."""
        await self._done.wait()

    async def answer(self, prompt: str, *, session: bool = False) -> str | None:
        """The next line that was sent, when the program asks for one."""
        self._in_session = session
        if prompt:
            self._write(Text("stdout", prompt))
        if not self._lines:
            self._asks = True
            self._news.set()
        try:
            while not self._lines:
                self._typed = anyio.Event()
                await self._typed.wait()
        finally:
            self._asks = False
        return self._lines.popleft()

    async def _follow(self, call: AsyncGenerator[Event]) -> None:
        try:
            async for event in call:
                if isinstance(event, Text):
                    self._on_output(event.stream, event.text)
                elif isinstance(event, Result):
                    self._ended = convert_result(event)
                self._news.set()
        except ClocheError as error:
            self._write(Text("stderr", f"{error}\n"))
            self._ended = Ended(1, state_lost=not isinstance(error, ConfigError))
        finally:
            self._ended = self._ended or Ended(1, state_lost=True)
            self._news.set()
            self._done.set()

    def _write(self, text: Text) -> None:
        self.record.add(text)
        self._on_output(text.stream, text.text)


def read_options(config: AppConfig) -> SandboxOptions:
    """The options of the sandbox that a configuration asks for."""
    section = config.sandbox
    shared = {name: getattr(section, name) for name, option in OPTIONS.items() if option.in_config}
    options = cast("SandboxOptions", shared)
    options["workspace"] = config.core.workspace_base
    options["timeout"] = section.timeout
    # Bash loads at the same time, so that the first command need not wait for it.
    options["languages"] = (*section.languages, "bash")
    options["mounts"] = [parse_mount(mount) for mount in section.mounts]
    options["secrets"] = section.read_headers()
    # The runtime sets it, together with that of the session.
    del options["env"]
    return options


def _convert_info(info: FileInfo) -> FolderEntry:
    name = info.path.rsplit("/", 1)[-1]
    return FolderEntry(name, info.kind == "dir", info.kind == "file", info.kind == "link", info.size, info.mtime)


def convert_result(result: Result) -> Ended:
    """What a machine tells of a result."""
    shown = result.displays
    return Ended(
        result.exit_code,
        result.value,
        msgspec.structs.asdict(result.error) if result.error else None,
        find_pictures(shown) if shown else (),
        result.state == "lost",
        result.timed_out,
        result.cwd,
        find_bundles(shown) if shown else (),
    )
