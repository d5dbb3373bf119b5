"""Runs one piece of code for a command and turns its result into output and an exit code."""

import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import click
from anyio import to_thread
from anyio.abc import TaskStatus

from cloche.cli import exit_codes
from cloche.cli.diff_option import collect_patch, write_patch
from cloche.cli.options import RunSettings
from cloche.cli.package_options import find_others, find_packages
from cloche.cli.result_output import (
    as_json,
    exit_code,
    print_end,
    print_message,
    print_profile,
    show_file_name,
    write_output,
)
from cloche.cli.running.code_source import CodeSource
from cloche.cli.running.remote_place import find_remote, open_remote
from cloche.cli.terminal.control_sequences import strip_control
from cloche.cli.terminal.progress import PreparationProgress, prepare_sandbox
from cloche.cli.terminal.stdin import Stdin, read_hidden
from cloche.errors import ConfigError, SandboxError
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.process.call import OnInput
from cloche.sandbox.results.result import Result, Shown, Text
from cloche.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from cloche.cli.any_sandbox import AnySandbox

log = logging.getLogger(__name__)

CLOSE_GRACE = 2.0
"""Seconds that closing a sandbox may take after a second Ctrl-C."""


class RunJob(NamedTuple):
    """What to run."""

    source: CodeSource
    profile: bool = False


def execute_job(job: RunJob, settings: RunSettings) -> int:
    """Run the job, print its output, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    run = _Run(job, settings)
    try:
        code = anyio.run(run.execute)
    except ConfigError as error:
        raise click.UsageError(strip_control(str(error))) from None
    except SandboxError as error:
        print_message(str(error))
        return exit_codes.UNAVAILABLE
    if run.forced or code == exit_codes.PIPE:
        # Threads that still use a pipe without another end must not delay the exit.
        os._exit(code)
    return code


@asynccontextmanager
async def open_sandbox(
    settings: RunSettings, language: str, source: CodeSource | None = None
) -> "AsyncGenerator[AnySandbox]":
    """Open a sandbox with these options, here or at a server; shows progress while it is prepared, and warnings."""
    remote = await to_thread.run_sync(find_remote, settings)
    if remote is not None:
        async with open_remote(remote, settings, language, source) as box:
            yield box
        return
    async with AsyncExitStack() as stack:
        with PreparationProgress() as progress:
            await prepare_sandbox(progress)
            log.info("opening a sandbox for %s; the cache is %s", language, cache_dir())
            packages = await to_thread.run_sync(find_packages, settings, language, source)
            wanted = settings.alter(
                languages=[language], packages=packages, track=settings.diff is not None, on_progress=progress
            )
            box = await stack.enter_async_context(Sandbox(**wanted.options))
            log.info("the sandbox is open")
            if others := find_others(settings, language):
                await box.install(*others, language=language)
        yield box
        log.info("closing the sandbox")
    log.info("the sandbox is closed")


class _Run:
    """One run that handles Ctrl-C."""

    def __init__(self, job: RunJob, settings: RunSettings) -> None:
        self._job = job
        self._settings = settings
        self._box: AnySandbox | None = None
        self._stdin: Stdin | None = None
        self._scope: anyio.CancelScope | None = None
        self._error: ConfigError | SandboxError | None = None
        self.forced = False

    async def execute(self) -> int:
        code = exit_codes.INTERRUPTED
        stopped: list[int] = []
        async with anyio.create_task_group() as tasks:
            self._scope = tasks.cancel_scope
            stopped = await tasks.start(self._obey_signals)
            try:
                code = await self._perform()
            except (ConfigError, SandboxError) as error:
                # Not through the task group, which would wrap it.
                self._error = error
            tasks.cancel_scope.cancel()
        if stopped:
            return exit_codes.SIGNAL + stopped[-1] if self.forced else code
        if self._error is not None:
            raise self._error
        return code

    async def _obey_signals(self, *, task_status: TaskStatus[list[int]]) -> None:
        """The first Ctrl-C stops the code, the second the program; so does SIGTERM."""
        seen: list[int] = []
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started(seen)
            async for number in signals:
                seen.append(int(number))
                if number == signal.SIGINT and len(seen) == 1 and self._box and await self._box.interrupt():
                    continue
                self.forced = True
                if len(seen) > 2 or (self._box is None and len(seen) > 1):
                    os._exit(exit_codes.SIGNAL + number)
                await self._end()

    async def _end(self) -> None:
        if self._box is not None:
            with anyio.move_on_after(CLOSE_GRACE, shield=True):
                await self._box.close()
        if self._scope is not None:
            self._scope.cancel()

    async def _perform(self) -> int:
        source, settings = self._job.source, self._settings
        self._stdin = Stdin() if source.reads_stdin and sys.stdin else None
        async with open_sandbox(settings, source.language, source) as box:
            self._box = box
            try:
                cell = await _set_arguments(box, source, settings)
                stdin, ask = await self._input()
                result = await self._run(box, stdin, ask)
            except BrokenPipeError:
                await box.close()
                return exit_codes.PIPE
            if source.file is not None and source.language == "python":
                result = show_file_name(result, source.file, cell)
            patch = await collect_patch(box, settings)
        try:
            if not self.forced:
                self._tell(result, patch)
                write_patch(patch, settings)
        except BrokenPipeError:
            return exit_codes.PIPE
        return exit_code(result)

    async def _input(self) -> tuple[bytes | None, OnInput | None]:
        """Send available input with the code; a terminal, or a pipe that is still open, is asked for lines."""
        if self._stdin is None:
            return b"", None
        if self._job.source.language != "bash":
            data = self._stdin.whole
            return (data, None) if data is not None else (None, self._ask)
        if self._stdin.terminal:
            return None, self._ask
        with anyio.move_on_after(self._settings.timeout or None):
            return await self._stdin.all(), None
        raise ConfigError("standard input did not end within --timeout; add `< /dev/null` if it is not meant")

    async def _ask(self, prompt: str, *, password: bool = False) -> str | None:
        assert self._stdin is not None
        visible = sys.stdout.isatty() or not self._stdin.terminal
        secret = password and self._stdin.terminal
        # Echo is off before the prompt appears, so that fast typing is not shown either.
        with read_hidden() if secret else nullcontext():
            write_output("stdout" if visible and not self._settings.as_json else "stderr", prompt)
            line = await self._stdin.line()
        if secret:
            write_output("stderr", "\n")
        return line

    async def _run(self, box: "AnySandbox", stdin: bytes | None, ask: OnInput | None) -> Result:
        source = self._job.source
        language, args = source.language, source.args
        file = None if source.file is None else _guest_path(source.file, self._settings)
        if self._settings.as_json or self._job.profile:
            profile = self._job.profile
            return await box.run(
                source.code, language=language, stdin=stdin, on_input=ask, profile=profile, args=args, file=file
            )
        streamed = box.stream(source.code, language=language, stdin=stdin, on_input=ask, args=args, file=file)
        async with aclosing(streamed) as events:
            async for event in events:
                match event:
                    case Text(stream, text):
                        await to_thread.run_sync(write_output, stream, text, abandon_on_cancel=True)
                    case Shown(display) if display.kind == "display":
                        await to_thread.run_sync(
                            write_output, "stdout", _plain_text(display.data), abandon_on_cancel=True
                        )
                    case Result():
                        return event
                    case _:
                        pass
        raise SandboxError("the sandbox gave no result")

    def _tell(self, result: Result, patch: str | None) -> None:
        if self._settings.as_json:
            return write_output("stdout", as_json(result, patch).decode() + "\n")
        if self._job.profile:
            for stream, text in result.output:
                write_output(stream, text)
        if result.value is not None and self._job.source.file is None:
            write_output("stdout", result.value + "\n")
        print_end(result, self._settings.timeout)
        if result.profile is not None:
            print_profile(result.profile, self._job.source.code)
        return None


async def _set_arguments(box: "AnySandbox", source: CodeSource, settings: RunSettings) -> str:
    """Set the name and arguments of the program as Python and bash do; returns the name of its cell."""
    if source.file is None and not source.args:
        return "Cell In[1]"
    if source.language not in ("python", "bash"):
        return ""
    if source.language == "bash":
        from shlex import join

        await box.bash(f"set -- {join(source.args)}")
        return ""
    name = "-c" if source.file is None else _guest_path(source.file, settings)
    line = f"import sys; sys.argv[:] = {[name, *source.args]!r}; del sys"
    await box.run(line if source.file is None else f"{line}; __file__ = {name!r}", check=True)
    return "Cell In[2]"


def _guest_path(file: str, settings: RunSettings) -> str:
    """The path at which the guest sees a file, or would see it in its workspace."""
    from pathlib import Path

    path = Path(file).resolve()
    workspace = settings.options.get("workspace")
    root = Path(workspace).resolve() if workspace else path.parent
    return f"/workspace/{path.relative_to(root) if path.is_relative_to(root) else path.name}"


def _plain_text(data: dict[str, Any]) -> str:
    text = data.get("text/plain")
    return f"{text}\n" if text is not None else f"<{', '.join(data)}>\n"
