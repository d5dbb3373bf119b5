"""A sandbox at a server, with the methods of an embedded one."""

import base64
import logging
import os
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import anyio
from anyio import to_thread
from msgspec import convert

from cloche.errors import ConfigError, ServerUnavailable
from cloche.limits import FILES_LIMIT, PACKAGES_LIMIT, TIMEOUT
from cloche.options import OPTIONS, SandboxOptions
from cloche.remote.address import ServerAddress
from cloche.remote.calls import END, FileAnswer, SaveAnswer
from cloche.remote.connection import ServerConnection
from cloche.remote.patience import insist
from cloche.remote.remote_calls import RemoteCalls
from cloche.remote.remote_files import RemoteFiles
from cloche.remote.remote_session import RemoteSession
from cloche.remote.sessions import SandboxWish, SessionRequest
from cloche.remote.verbs import (
    CheckComplete,
    Complete,
    Inspect,
    Install,
    ListLanguages,
    Reset,
    RunCode,
    Save,
    SetEnv,
    ShowInfo,
    Unload,
)
from cloche.sandbox.info import SandboxInfo
from cloche.sandbox.language_states import LanguageState
from cloche.sandbox.network.request_log import NetworkRequest
from cloche.sandbox.options import check_option, check_options
from cloche.sandbox.packages.package import Package
from cloche.sandbox.process.call import OnInput
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.results.completion import Completeness, Completion
from cloche.sandbox.results.result import Event, Result
from cloche.sandbox.sandbox import UNSET
from cloche.sandbox.saving.saved import Saved

log = logging.getLogger(__name__)

CONNECT_PATIENCE = 3.0
"""Seconds in which the server is to be reached for the first time."""
WHEELS = "/tmp/wheels"
"""Where wheels of this machine are put, to be installed from there."""


class RemoteSandbox(RemoteFiles):
    """A sandbox at a server; `cloche.connect` makes one. Use it as an async context manager."""

    def __init__(
        self, address: ServerAddress, options: SandboxOptions, *, session: str | None = None, keep: bool, title: str
    ) -> None:
        """With `session`, one that exists is used, and is left as it is at the end."""
        check_remote_options(options, attached=session is not None)
        request = make_request(options, title)
        super().__init__(RemoteCalls(RemoteSession(ServerConnection(address), request, sid=session, keep=keep)))
        self._packages = tuple(options.get("packages", ()))
        self._timeout: float | None = options.get("timeout", TIMEOUT)
        self._info: SandboxInfo | None = None

    async def __aenter__(self) -> Self:
        self._calls.owner.check()
        try:
            await self._open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End it, with all that runs in it, unless it was there before; may be called twice, never raises."""
        if not self._calls.owner.forked:
            await self._calls.session.close()

    @property
    def session(self) -> str:
        """The id of its session at the server."""
        if self._calls.session.sid is None:
            raise ServerUnavailable("this sandbox is not open: use it in an async with statement")
        return self._calls.session.sid

    async def run(
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
        request = build_run_request(
            code, stdin=stdin, interactive=on_input is not None, profile=profile, args=args, file=file, cwd=cwd
        )
        events = self._run(request, language, timeout, on_input)
        try:
            async for event in events:
                if isinstance(event, Result):
                    return event.check() if check else event
        finally:
            await events.aclose()
        raise ServerUnavailable(f"{self._calls.connection.place} gave no result")

    async def bash(
        self,
        command: str,
        *,
        timeout: float | None = UNSET,
        stdin: str | bytes | None = None,
        on_input: OnInput | None = None,
        check: bool = False,
    ) -> Result:
        """Run a command in the sandbox's one shell; its folder, variables and functions stay."""
        return await self.run(command, language="bash", timeout=timeout, stdin=stdin, on_input=on_input, check=check)

    async def stream(
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
    ) -> AsyncGenerator[Event]:
        """Run a cell and yield what happens as it happens; the last event is the Result.

        With `setup`, Python keeps the names that it defines, but counts no cell and shows no value.
        """
        interactive = on_input is not None
        request = build_run_request(
            code, stdin=stdin, interactive=interactive, profile=False, args=args, file=file, cwd=cwd, setup=setup
        )
        events = self._run(request, language, timeout, on_input)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def interrupt(self) -> bool:
        """Stop the running call, like Ctrl-C; returns whether there was one. Its Result says whether state was kept."""
        return await self._calls.interrupt()

    async def reset(self, language: str = "python") -> None:
        """Replace the interpreter by a fresh one; files and the other languages are not affected."""
        await self._calls.ask(Reset(language), object)

    async def complete(self, code: str, cursor: int | None = None, *, language: str = "python") -> Completion:
        """Completions at the cursor (by default the end)."""
        return await self._calls.ask(Complete(code, cursor, language), Completion)

    async def is_complete(self, code: str, *, language: str = "python") -> Completeness:
        """Whether the code is complete: a prompt should then run it, else ask for more lines."""
        return await self._calls.ask(CheckComplete(code, language), Completeness)

    async def inspect(self, code: str, cursor: int | None = None, *, language: str = "python") -> str | None:
        """The signature and docstring of the name at the cursor; None if there is nothing."""
        return await self._calls.ask(Inspect(code, cursor, language), str | None)

    async def install(
        self, *packages: str | Path, language: str = "python", upgrade: bool = False, guest: bool = False
    ) -> list[Package]:
        """Install packages by name (`rich`, `attrs>=23`) or file; returns what is new, including dependencies.

        A string that ends in .whl is a path in the sandbox; a Path is a wheel of this machine. A server opens no URL
        for packages, and reads no file of its own, so that `guest` makes no difference.
        """
        names = [await self._bring_wheel(each) if isinstance(each, Path) else each for each in packages]
        return await self._calls.ask(Install(names, language, upgrade), list[Package])

    @property
    def packages(self) -> list[Package]:
        """The installed packages, without those that every sandbox has, as of the last call."""
        return self._calls.packages

    async def languages(self) -> list[LanguageState]:
        """Every language: its version, size, whether it is loaded here, and the memory it uses."""
        return await self._calls.ask(ListLanguages(), list[LanguageState])

    async def unload(self, language: str) -> bool:
        """Unload a language and all its state; returns whether it was loaded. The next use starts it again."""
        return await self._calls.ask(Unload(language), bool)

    async def set_env(self, env: Mapping[str, str]) -> None:
        """Add environment variables in every language, from the next call on."""
        await self._calls.ask(SetEnv(dict(env)), object)

    async def save(self, path: str | Path, *, python: bool = True, files: bool = True) -> Saved:
        """Save variables, files, shell, environment and packages to a file of this machine.

        `Sandbox(from_=path)` continues from it, with the same version of Cloche.
        """
        answer: SaveAnswer = await self._calls.ask(Save(python, files), SaveAnswer)
        target = Path(path)
        beside = await to_thread.run_sync(_make_beside, target)
        try:
            with await to_thread.run_sync(beside.open, "w+b") as file:
                found = FileAnswer(blob=answer.blob, size=answer.size)
                await self._fetch(found, file, 2 * FILES_LIMIT + PACKAGES_LIMIT)
            await to_thread.run_sync(beside.replace, target)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(partial(beside.unlink, missing_ok=True))
        return Saved(target, python, files, answer.without)

    @property
    def info(self) -> SandboxInfo:
        """Versions, memory, and the layers of isolation that hold, as of the beginning."""
        if self._info is None:
            raise ServerUnavailable("this sandbox is not running")
        return self._info

    @property
    def requests(self) -> list[NetworkRequest]:
        """The latest network requests, including those that were refused, as of the last call."""
        return self._calls.requests

    async def _open(self) -> None:
        session = self._calls.session
        await insist(session.begin, session.connection.place, CONNECT_PATIENCE, repeats=False)
        self._info = await self._calls.ask(ShowInfo(), SandboxInfo)
        if self._packages:
            await self.install(*self._packages)

    async def _run(
        self, request: dict[str, Any], language: str, timeout: float | None, on_input: OnInput | None
    ) -> AsyncGenerator[Event]:
        """Run what `build_run_request` has checked."""
        seconds = self._timeout if timeout == UNSET else timeout
        check_option("timeout", seconds)
        verb = RunCode(
            code=request["code"],
            language=language,
            seconds=seconds,
            stdin=None if request["stdin"] is None else base64.b64decode(request["stdin"]),
            interactive=request["interactive"],
            profile=request["profile"],
            args=request.get("args", []),
            file=request.get("file"),
            cwd=request.get("cwd"),
            setup="mode" in request,
        )
        async with self._calls.calling(verb, on_input) as call:
            line = None
            while not isinstance(line, END):
                line = await call.next()
                event = self._calls.note(line)
                if event is not None:
                    yield event

    async def _bring_wheel(self, path: Path) -> str:
        """Put a wheel of this machine into the sandbox; returns its path there."""
        if path.suffix != ".whl":
            raise ConfigError(f"{path} is no wheel: at a server, install wheels, or packages by name")
        target = f"{WHEELS}/{path.name}"
        await self.write(target, await to_thread.run_sync(path.read_bytes))
        return target


def make_request(options: SandboxOptions, title: str) -> SessionRequest:
    """What a server is asked for."""
    given: dict[str, Any] = {**options}
    wanted = {name: given[name] for name in SandboxWish.__struct_fields__ if name in given}
    wish = convert(wanted, SandboxWish) if wanted else None
    return SessionRequest(title=title, env=dict(options.get("env") or {}), sandbox=wish)


def check_remote_options(given: SandboxOptions, *, attached: bool) -> None:
    """Raise ConfigError for an option that a client cannot choose."""
    for name in given.keys() - OPTIONS.keys():
        raise TypeError(f"a sandbox has no option {name!r}")
    for name, value in given.items():
        if not OPTIONS[name].remote:
            if is_default(name, value):
                continue
            known = ", ".join(each.name for each in OPTIONS.values() if each.remote)
            raise ConfigError(
                f"{name}= is not possible at a server, where its owner decides: leave it out. Possible are {known}"
            )
        if attached and name != "timeout":
            raise ConfigError(
                f"{name}= is for a new session, and session= names one that exists: leave one of them out"
            )
    check_options(given)


def _make_beside(target: Path) -> Path:
    """An empty file in the folder of another one, which it will replace."""
    handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}-")
    os.close(handle)
    return Path(name)


def is_default(name: str, value: object) -> bool:
    """Whether an option has the value that it has by itself; an empty list is as good as none."""
    default = OPTIONS[name].default
    return value == default or (not value and not default)
