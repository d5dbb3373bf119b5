"""The sandbox: bash and ten languages."""

import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, Unpack

import anyio
from anyio import to_thread

from cloche.errors import SandboxUnavailable, SavedStateError
from cloche.limits import MB, QUERY_TIMEOUT
from cloche.options import Confinement, SandboxOptions
from cloche.sandbox.cache import packs
from cloche.sandbox.cache.assets import DownloadProgress, fetch_assets
from cloche.sandbox.cache.snapshots import PreparedStart
from cloche.sandbox.call_turn import CallTurn
from cloche.sandbox.confinement.layers import choose_layer
from cloche.sandbox.confinement.probe import Layer
from cloche.sandbox.files.file_methods import FileMethods
from cloche.sandbox.files.host_folders import HostFolders
from cloche.sandbox.info import SandboxInfo, gather_info, installed_versions
from cloche.sandbox.language_states import LanguageState, language_states, list_used_languages
from cloche.sandbox.languages import check_language
from cloche.sandbox.network.request_log import NetworkRequest
from cloche.sandbox.network.sandbox_network import SandboxNetwork
from cloche.sandbox.options import check_env, check_option, complete_options, show_options
from cloche.sandbox.owner_check import OwnerCheck
from cloche.sandbox.packages.installer import Installer
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.package_archives import PackageArchives
from cloche.sandbox.process.call import Call, OnInput
from cloche.sandbox.process.engine_process import EngineProcess
from cloche.sandbox.process.engine_queries import ask_engine, convert_reply, query_guest
from cloche.sandbox.process.host_requests import Answerer
from cloche.sandbox.process.launch_plan import LaunchPlan
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.process.start import explain_shortage, launch_engine, start_engine
from cloche.sandbox.results.completion import Completeness, Completion
from cloche.sandbox.results.result import Event, Result
from cloche.sandbox.results.transcript import Transcript
from cloche.sandbox.saving.saved import MemoryImage, Saved
from cloche.sandbox.saving.saver import SandboxSaver

log = logging.getLogger(__name__)

UNSET = float("-inf")
"""For `timeout`: the sandbox's own."""


class Sandbox(FileMethods):
    """A sandbox: one process with its own files, bash and ten languages, thrown away at the end.

    Use it as an async context manager. Code that fails gives a Result, not an exception; an exception means that the
    sandbox failed or an argument is wrong. Calls on one sandbox run in order; `interrupt()` stops the running one.
    """

    @show_options
    def __init__(self, **given: Unpack[SandboxOptions]) -> None:
        options = complete_options(given)
        for language in options["languages"]:
            check_language(language)
        super().__init__(HostFolders(options["workspace"], options["mounts"], track=options["track"]))
        self._preload: tuple[str, ...] = tuple(dict.fromkeys(options["languages"]))
        self._env: dict[str, str] = dict(options["env"] or {})
        self._memory_mb: int = options["memory_mb"]
        self._timeout: float | None = options["timeout"]
        self._output_limit: int = options["output_limit"]
        self._confinement: Confinement = options["confinement"]
        self._on_progress: Callable[[DownloadProgress], None] | None = options["on_progress"]
        self._owner = OwnerCheck()
        self._turn = CallTurn(self._owner)
        self._process: EngineProcess | None = None
        self._call: Call | None = None
        self._shell: str | None = None
        self._packages: list[dict[str, str]] = []
        self._provided: set[str] = set()
        """Languages whose files have been seen to be there."""
        self._state_lost = False
        self._notice: str | None = None
        self._layer: Layer | None = None
        self._network = SandboxNetwork(
            options["allow_net"], options["secrets"], options["network_limits"], options["on_request"]
        )
        self._auto_install: bool = options["auto_install"]
        self._installer = Installer(
            self._mount, self._files, allowed=options["allow_install"], automatic=self._auto_install
        )
        self._installer.plan(options["packages"])
        self._saver = SandboxSaver(self._folders, self._installer, self._memory_mb)
        self._from = _find_saved(options["from_"])
        self._answerers: dict[str, Answerer] = {
            **self._network.answerers,
            "save_memory": self._saver.save_memory,
            **self._installer.answerers,
        }

    async def __aenter__(self) -> Self:
        self._owner.check()
        try:
            await self._ready_process()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End everything and remove temporary files; may be called twice, never raises."""
        self._closed = True
        if self._owner.forked:
            return
        process, self._process = self._process, None
        with anyio.CancelScope(shield=True):
            if process is not None:
                await process.close()
            await self._network.close()
            await to_thread.run_sync(self._folders.close)

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
        async with self._calling(language, request, timeout, on_input) as call:
            result = await call.finish()
        return result.check() if check else result

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
        async with self._calling(language, request, timeout, on_input) as call:
            while (event := await call.next()) is not None:
                yield event

    async def interrupt(self) -> bool:
        """Stop the running call, like Ctrl-C; returns whether there was one. Its Result says whether state was kept."""
        self._owner.check()
        if self._call is None or self._call.finished:
            return False
        self._call.interrupt()
        return True

    async def reset(self, language: str = "python") -> None:
        """Replace the interpreter by a fresh one; files and the other languages are not affected."""
        check_language(language)
        async with self._turn:
            await ask_engine(await self._ready_process(), {"op": "reset", "language": language})

    async def complete(self, code: str, cursor: int | None = None, *, language: str = "python") -> Completion:
        """Completions at the cursor (by default the end)."""
        return convert_reply(await self._query("complete", code, cursor, language), Completion)

    async def is_complete(self, code: str, *, language: str = "python") -> Completeness:
        """Whether the code is complete: a prompt should then run it, else ask for more lines."""
        return convert_reply(await self._query("is_complete", code, None, language), Completeness)

    async def inspect(self, code: str, cursor: int | None = None, *, language: str = "python") -> str | None:
        """The signature and docstring of the name at the cursor; None if there is nothing."""
        reply = await self._query("inspect", code, cursor, language)
        return reply.get("data", {}).get("text/plain") if reply.get("found") else None

    async def install(
        self, *packages: str | Path, language: str = "python", upgrade: bool = False, guest: bool = False
    ) -> list[Package]:
        """Install packages by name (`rich`, `attrs>=23`), URL or file; returns what is new, including dependencies.

        A string that ends in .whl is a path in the sandbox; a Path is a wheel or a requirements file of the host.
        For another language, use names as its own tool does: `install("lodash@4", language="javascript")`.
        Pass guest=True if somebody else chose the packages, such as a model: then no URL is opened for them, and errors
        contain no path of the host.
        """
        check_language(language)
        async with self._turn:
            process, began = await self._ready_process(), time.monotonic()
            new = await self._installer.install(
                packages, language=language, upgrade=upgrade, owner=not guest, report=self._on_progress
            )
        figures = (process.pid, language, len(packages), len(new), time.monotonic() - began)
        log.info("pid=%d: install in %s: %d asked for, %d new, after %.3f s", *figures)
        return new

    @property
    def packages(self) -> list[Package]:
        """The installed packages, without those that every sandbox has."""
        return self._installer.installed

    async def languages(self) -> list[LanguageState]:
        """Every language: its version, size, whether it is loaded here, and the memory it uses."""
        self._owner.check()
        reply = {} if self._process is None else await ask_engine(self._process, {"op": "languages"})
        return await to_thread.run_sync(language_states, reply)

    async def unload(self, language: str) -> bool:
        """Unload a language and all its state; returns whether it was loaded. The next use starts it again."""
        check_language(language)
        async with self._turn:
            reply = await ask_engine(await self._ready_process(), {"op": "unload", "language": language})
        return bool(reply.get("unloaded"))

    async def set_env(self, env: Mapping[str, str]) -> None:
        """Add environment variables in every language, from the next call on."""
        async with self._turn:
            check_env({**self._env, **env})
            self._env.update(env)
            (await self._ready_process()).send({"op": "env", "env": dict(env)})

    async def save(self, path: str | Path, *, python: bool = True, files: bool = True) -> Saved:
        """Save variables, files, shell, environment and packages to a file; `Sandbox(from_=path)` continues from it."""
        saved = Saved(Path(path), python, files)
        async with self._turn:
            reply = await ask_engine(await self._ready_process(), {"op": "languages"})
            return await self._saver.save(saved, self._ask_state, self._env, list_used_languages(reply))

    @property
    def info(self) -> SandboxInfo:
        """Versions, memory, folders, and the layers of isolation that hold."""
        if self._process is None or self._layer is None:
            raise SandboxUnavailable("this sandbox is not running")
        return gather_info(self._process, self._memory_mb, self._layer, self._folders.folders)

    @property
    def requests(self) -> list[NetworkRequest]:
        """The latest network requests, including those that were refused."""
        return self._network.requests

    @asynccontextmanager
    async def _calling(
        self,
        language: str,
        request: dict[str, Any],
        seconds: float | None,
        on_input: OnInput | None = None,
        record: Transcript | None = None,
    ) -> AsyncGenerator[Call]:
        """One call, from its turn to its end, however that comes; `record` gets its output."""
        async with self._turn:
            call = await self._open_call(language, seconds, record or Transcript(self._output_limit))
            try:
                call.start(request, on_input)
                yield call
            finally:
                self._call = None
                if not call.finished:
                    await call.abandon()
                call.close()
                await self._drop_dead_process()

    async def _open_call(self, language: str, seconds: float | None, record: Transcript) -> Call:
        limit = self._timeout
        if seconds != UNSET:
            limit = seconds
            check_option("timeout", limit)
        if language not in self._provided:
            # Before the clock starts: a download is none of the code's time.
            await self._provide(language)
        process = await self._ready_process()
        self._call = Call(
            process,
            language,
            timeout=limit,
            record=record,
            state_lost=self._state_lost,
            notice=self._notice,
        )
        self._state_lost, self._notice = False, None
        return self._call

    async def _drop_dead_process(self) -> None:
        """Let go of a process that is gone or has to go; the next call starts another."""
        process = self._process
        if process is not None and (process.lost is not None or process.spent):
            self._process = None
            self._shell = process.shell
            self._notice = process.background.take_notice()
            await process.close()

    async def _query(self, kind: str, code: str, cursor: int | None, language: str) -> dict[str, Any]:
        check_language(language)
        question = {"kind": kind, "code": code, "cursor": len(code) if cursor is None else cursor}
        async with self._turn:
            process = await self._ready_process()
            try:
                return await query_guest(process, language, question, QUERY_TIMEOUT)
            finally:
                self._state_lost |= process.spent or process.lost is not None
                await self._drop_dead_process()

    async def _provide(self, language: str) -> tuple[str, int]:
        """See to it that a language's files are there; gives their folder and the memory that it may use."""
        known = check_language(language)
        folder = str(await packs.ensure_pack(language, self._on_progress)) if known.pack else ""
        self._provided.add(language)
        return folder, known.memory * MB

    async def _ask_state(self, language: str, key: str) -> dict[str, Any]:
        query = {"kind": "save", "code": key, "cursor": 0}
        return await ask_engine(await self._ready_process(), {"op": "query", "language": language, "query": query})

    async def _mount(self, packages: Sequence[Package]) -> None:
        """Make these the packages, all of them, of every language; a call may be running and wait for it."""
        await to_thread.run_sync(self._folders.open)
        archives = PackageArchives(self._folders.packages)
        placed = await to_thread.run_sync(archives.place, packages)
        process = self._process
        if process is not None and process.lost is None:
            await ask_engine(process, {"op": "packages", "packages": placed})
            log.debug("pid=%d: %d packages are there now", process.pid, len(placed))
        # A python3 that is starting may still read those from before: they stay for one more change.
        before, self._packages = self._packages, placed
        await to_thread.run_sync(archives.clean, [*before, *placed])

    async def _ready_process(self) -> EngineProcess:
        self._owner.check()
        if self._closed:
            raise SandboxUnavailable("this sandbox is closed")
        if self._process is not None and (self._process.lost is not None or self._process.spent):
            # It died, or got stuck, between two calls: the next result says so.
            self._state_lost = True
        await self._drop_dead_process()
        if self._process is None:
            with explain_shortage():
                self._process = await self._start_unless_closed()
        return self._process

    async def _start_unless_closed(self) -> EngineProcess:
        try:
            process = await self._start_process()
            if not self._closed:
                return process
            await process.close()
        except SandboxUnavailable:
            # It may have missed the folders that went with the sandbox.
            if not self._closed:
                raise
        await to_thread.run_sync(self._folders.close)
        raise SandboxUnavailable("this sandbox was closed while it started")

    async def _start_process(self) -> EngineProcess:
        began = time.monotonic()
        await fetch_assets(self._on_progress)
        self._layer = await choose_layer(self._confinement)
        if not self._layer.holds and self._confinement == "auto":
            log.warning("this sandbox runs without confinement by the operating system: %s", self._layer.detail)
        await to_thread.run_sync(self._folders.open)
        await to_thread.run_sync(installed_versions)
        images, added = await self._restore()
        await self._installer.prepare(self._on_progress)
        for language in self._preload:
            await self._provide(language)
        try:
            process = await start_engine(lambda prepared: self._launch(prepared, images, added))
        except (SandboxUnavailable, ValueError) as error:
            if self._from is None:
                raise
            raise SavedStateError(f"no sandbox could be started from {self._from.path}: {error}") from error
        log.info(
            "pid=%d: a sandbox started in %.3f s: layer=%s", process.pid, time.monotonic() - began, self._layer.name
        )
        # A process that takes its place begins anew.
        self._from = None
        return process

    async def _restore(self) -> tuple[dict[str, MemoryImage], dict[str, str]]:
        """Take over what was saved; gives the memory to go on from, and the environment that comes on top."""
        if self._from is None:
            return {}, {}
        state, added = await self._saver.restore(self._from), self._env
        self._shell, self._packages = state.shell, state.packages
        self._env = {**state.env, **added}
        return state.images, added

    async def _launch(
        self, prepared: PreparedStart, images: Mapping[str, MemoryImage], added: Mapping[str, str]
    ) -> EngineProcess:
        assert self._layer is not None
        plan = LaunchPlan(
            folders=self._folders.folders,
            control=self._folders.control,
            blobs=self._folders.packages,
            packages=self._packages,
            auto_install=self._auto_install,
            env=self._env,
            preload=self._preload,
            memory_mb=self._memory_mb,
            layer=self._layer.name,
            prepared=prepared,
            images=images,
            added=added,
            shell=self._shell,
        )
        return await launch_engine(plan, self._folders.change_file, self._answerers, self._provide)


def _find_saved(place: str | Path | Saved | None) -> Saved | None:
    return place if place is None or isinstance(place, Saved) else Saved(Path(place))
