"""The sandbox for scripts that are not async."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self, TypeVar, Unpack

from anyio.from_thread import BlockingPortal

from cloche.errors import SandboxUnavailable
from cloche.limits import FILES_LIMIT, INTERRUPT_GRACE, KILL_GRACE
from cloche.options import SandboxOptions
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.mark import Mark
from cloche.sandbox.files.guest_files import FileInfo
from cloche.sandbox.info import SandboxInfo
from cloche.sandbox.language_states import LanguageState
from cloche.sandbox.loop_thread import LoopThread
from cloche.sandbox.network.request_log import NetworkRequest
from cloche.sandbox.options import show_options
from cloche.sandbox.owner_check import OwnerCheck
from cloche.sandbox.packages.package import Package
from cloche.sandbox.process.call import OnInput
from cloche.sandbox.results.result import Event, Result
from cloche.sandbox.sandbox import UNSET, Completeness, Completion, Sandbox
from cloche.sandbox.saving.saved import Saved

T = TypeVar("T")

PATIENCE = INTERRUPT_GRACE + KILL_GRACE + 1.0
"""Seconds to wait for code that Ctrl-C has interrupted."""

AGAIN = 2.0
"""Seconds after one Ctrl-C in which the next means the whole program."""


class SyncSandbox:
    """A Sandbox with blocking methods and the same options.

    Ctrl-C stops the running code, not the program, and its Result says so. A second Ctrl-C soon after raises
    KeyboardInterrupt as usual.
    """

    @show_options
    def __init__(self, **options: Unpack[SandboxOptions]) -> None:
        self._hold(Sandbox(**options))

    @classmethod
    def around(cls, box: Sandbox) -> Self:
        """The blocking methods of another sandbox, which is not open yet."""
        sync = cls.__new__(cls)
        sync._hold(box)
        return sync

    def _hold(self, box: Sandbox) -> None:
        self._box = box
        self._stack = ExitStack()
        self._thread = LoopThread()
        self._portal: BlockingPortal | None = None
        self._pressed = -AGAIN
        self._owner = OwnerCheck()

    def __enter__(self) -> Self:
        self._owner.check_process()
        with ExitStack() as stack:
            self._thread = LoopThread()
            self._portal = stack.enter_context(self._thread)
            stack.enter_context(self._portal.wrap_async_context_manager(self._box))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything and remove temporary files; may be called twice."""
        if not self._owner.forked:
            self._stack.close()
        self._portal = None

    def run(
        self,
        code: str,
        *,
        language: str = "python",
        timeout: float | None = UNSET,
        stdin: str | bytes | None = None,
        on_input: OnInput | None = None,
        check: bool = False,
        profile: bool = False,
        args: Sequence[str] = (),
        file: str | None = None,
        cwd: str | None = None,
    ) -> Result:
        """Run a cell; state stays for the next. `timeout` is in seconds, None for no limit; `check` raises on failure.

        `args` are the arguments of a program, `file` is its name in tracebacks; Python and bash ignore both and have
        `sys.argv` and `set --` instead. `cwd` is a folder that Python changes to first, if it exists.
        """
        return self._do(
            partial(
                self._box.run,
                code,
                language=language,
                timeout=timeout,
                stdin=stdin,
                on_input=on_input,
                check=check,
                profile=profile,
                args=args,
                file=file,
                cwd=cwd,
            )
        )

    def bash(
        self,
        command: str,
        *,
        timeout: float | None = UNSET,
        stdin: str | bytes | None = None,
        on_input: OnInput | None = None,
        check: bool = False,
    ) -> Result:
        """Run a command in the sandbox's one shell; its folder, variables and functions stay."""
        return self.run(command, language="bash", timeout=timeout, stdin=stdin, on_input=on_input, check=check)

    def stream(
        self,
        code: str,
        *,
        language: str = "python",
        timeout: float | None = UNSET,
        stdin: str | bytes | None = None,
        on_input: OnInput | None = None,
        args: Sequence[str] = (),
        file: str | None = None,
        cwd: str | None = None,
        setup: bool = False,
    ) -> Iterator[Event]:
        """Run a cell and yield what happens as it happens; the last event is the Result."""
        events = self._box.stream(
            code,
            language=language,
            timeout=timeout,
            stdin=stdin,
            on_input=on_input,
            args=args,
            file=file,
            cwd=cwd,
            setup=setup,
        )
        try:
            while (event := self._do(partial(_next_event, events.__anext__))) is not None:
                yield event
        finally:
            self._do(events.aclose)

    def interrupt(self) -> bool:
        """Stop the running call; call this from another thread while `run` blocks."""
        return self._do(self._box.interrupt)

    def reset(self, language: str = "python") -> None:
        """Replace the interpreter by a fresh one; files and the other languages are not affected."""
        self._do(partial(self._box.reset, language))

    def complete(self, code: str, cursor: int | None = None, *, language: str = "python") -> Completion:
        """Completions at the cursor (by default the end)."""
        return self._do(partial(self._box.complete, code, cursor, language=language))

    def is_complete(self, code: str, *, language: str = "python") -> Completeness:
        """Whether the code is complete: a prompt should then run it, else ask for more lines."""
        return self._do(partial(self._box.is_complete, code, language=language))

    def inspect(self, code: str, cursor: int | None = None, *, language: str = "python") -> str | None:
        """The signature and docstring of the name at the cursor; None if there is nothing."""
        return self._do(partial(self._box.inspect, code, cursor, language=language))

    def install(
        self, *packages: str | Path, language: str = "python", upgrade: bool = False, guest: bool = False
    ) -> list[Package]:
        """Install packages by name (`rich`, `attrs>=23`), URL or file; returns what is new, including dependencies.

        A string that ends in .whl is a path in the sandbox; a Path is a wheel or a requirements file of the host.
        Pass guest=True if somebody else chose the packages: then no URL is opened for them.
        """
        return self._do(partial(self._box.install, *packages, language=language, upgrade=upgrade, guest=guest))

    @property
    def packages(self) -> list[Package]:
        """The installed packages, without those that every sandbox has."""
        return self._box.packages

    def languages(self) -> list[LanguageState]:
        """Every language: its version, size, whether it is loaded here, and the memory it uses."""
        return self._do(self._box.languages)

    def unload(self, language: str) -> bool:
        """Unload a language and all its state; returns whether it was loaded. The next use starts it again."""
        return self._do(partial(self._box.unload, language))

    def set_env(self, env: Mapping[str, str]) -> None:
        """Add environment variables in every language, from the next call on."""
        self._do(partial(self._box.set_env, env))

    def save(self, path: str | Path, *, python: bool = True, files: bool = True) -> Saved:
        """Save variables, files, shell, environment and packages to a file; `Sandbox(from_=path)` continues from it."""
        return self._do(partial(self._box.save, path, python=python, files=files))

    @property
    def info(self) -> SandboxInfo:
        """Versions, memory, folders, and the layers of isolation that hold."""
        return self._box.info

    @property
    def requests(self) -> list[NetworkRequest]:
        """The latest network requests, including those that were refused."""
        return self._box.requests

    def read(self, path: str | Path, *, limit: int = FILES_LIMIT) -> bytes:
        """The bytes of a file, at most `limit` of them; a relative path is below /workspace."""
        return self._do(partial(self._box.read, path, limit=limit))

    def write(self, path: str | Path, data: bytes | str) -> None:
        """Create or replace a file, and its parent folders."""
        self._do(partial(self._box.write, path, data))

    def files(self, path: str | Path = "/workspace", *, recursive: bool = False) -> list[FileInfo]:
        """The files and folders in a folder."""
        return self._do(partial(self._box.files, path, recursive=recursive))

    def remove(self, path: str | Path, *, recursive: bool = False) -> None:
        """Remove a file, or with `recursive` a folder."""
        self._do(partial(self._box.remove, path, recursive=recursive))

    def mkdir(self, path: str | Path) -> None:
        """Make a folder and its parents."""
        self._do(partial(self._box.mkdir, path))

    def upload(self, source: str | Path, path: str | Path, *, progress: Callable[[int], None] | None = None) -> None:
        """Copy a file or folder of the host into the sandbox, in pieces."""
        self._do(partial(self._box.upload, source, path, progress=progress))

    def download(self, path: str | Path, dest: str | Path, *, progress: Callable[[int], None] | None = None) -> None:
        """Copy a file or folder of the sandbox to the host, without links that lead outside."""
        self._do(partial(self._box.download, path, dest, progress=progress))

    def mark(self, path: str | Path = "/workspace") -> Mark:
        """Record the state of a folder, for `diff` to compare with."""
        return self._do(partial(self._box.mark, path))

    def diff(self, since: Mark | None = None, *, path: str | Path = "/workspace") -> Diff:
        """What changed in a folder since a mark, as a patch for `git apply`; without one, since the sandbox started."""
        return self._do(partial(self._box.diff, since, path=path))

    def call(self, act: Callable[[Sandbox], Awaitable[T]]) -> T:
        """Wait for an async function that is given the Sandbox behind this one."""
        return self._do(partial(act, self._box))

    async def call_async(self, act: Callable[[Sandbox], Awaitable[T]]) -> T:
        """Await such a function, in any event loop of asyncio; cancelling this stops it."""
        self._check_open()
        return await asyncio.wrap_future(self._thread.submit(partial(act, self._box)))

    def _check_open(self) -> BlockingPortal:
        if self._portal is None:
            raise SandboxUnavailable("this sandbox is not open: use it in a with statement")
        self._owner.check_process()
        return self._portal

    def _do(self, act: Callable[[], Awaitable[T]]) -> T:
        portal = self._check_open()
        future = portal.start_task_soon(act)
        try:
            return future.result()
        except KeyboardInterrupt:
            again = time.monotonic() - self._pressed < AGAIN
            self._pressed = time.monotonic()
            if self._stop(portal, future) and not again:
                return future.result()
            raise

    def _stop(self, portal: BlockingPortal, future: "Future[T]") -> bool:
        """End what runs in the other thread, and say whether it came to its end; one more Ctrl-C does not wait."""
        try:
            if portal.start_task_soon(self._box.interrupt).result():
                wait([future], timeout=PATIENCE)
            return future.done()
        finally:
            future.cancel()


async def _next_event(step: Callable[[], Awaitable[Event]]) -> Event | None:
    try:
        return await step()
    except StopAsyncIteration:
        return None


@show_options
def run(
    code: str,
    *,
    language: str = "python",
    stdin: str | bytes | None = None,
    on_input: OnInput | None = None,
    check: bool = False,
    profile: bool = False,
    **options: Unpack[SandboxOptions],
) -> Result:
    """Run code in its own sandbox and return the result; `options` are those of Sandbox."""
    options.setdefault("languages", [language])
    with SyncSandbox(**options) as box:
        return box.run(code, language=language, stdin=stdin, on_input=on_input, check=check, profile=profile)
