"""Runs one piece of code for a command and turns what comes of it into output and an exit code."""

import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.to_thread
import click
import msgspec
from anyio.abc import TaskGroup

from cloche.cli.options import EX_INTERRUPTED, EX_MEMORY, EX_TIMEOUT, EX_UNAVAILABLE, Settings
from cloche.cli.progress import Progress
from cloche.errors import ConfigError, SandboxError
from cloche.sandbox.mounts import parse_mount
from cloche.sandbox.result import Result, Shown, Text
from cloche.sandbox.sandbox import Sandbox


class Job(msgspec.Struct, frozen=True):
    """What to run."""

    language: str
    code: str
    stdin: bytes | None = None
    profile: bool = False


def execute(job: Job, settings: Settings) -> int:
    """Run it, print what it prints, and give the exit code."""
    try:
        result = anyio.run(_execute, job, settings)
    except (SandboxError, ConfigError) as error:
        click.echo(f"cloche: {error}", err=True)
        return 2 if isinstance(error, ConfigError) else EX_UNAVAILABLE
    if settings.json:
        click.echo(msgspec.json.encode(as_json(result)))
    elif result.error is not None:
        click.echo(result.error.traceback.rstrip() or f"{result.error.type}: {result.error.message}", err=True)
    if result.timed_out:
        click.echo(f"cloche: stopped after {settings.timeout:g} s (--timeout)", err=True)
    if result.state == "lost":
        click.echo("cloche: the interpreter had to be replaced; variables are gone, files are kept", err=True)
    return exit_code(result)


def exit_code(result: Result) -> int:
    """The documented exit code of a result."""
    if result.timed_out:
        return EX_TIMEOUT
    if result.error is None:
        return result.exit_code
    match result.error.type:
        case "KeyboardInterrupt":
            return EX_INTERRUPTED
        case "MemoryError" | "SandboxLost":
            return EX_MEMORY
        case _:
            return result.exit_code or 1


def as_json(result: Result) -> dict[str, Any]:
    return {
        "ok": result.ok,
        "language": result.language,
        "value": result.value,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "displays": result.displays,
        "error": result.error,
        "exit_code": result.exit_code,
        "timed_out": result.timed_out,
        "state": result.state,
        "duration_ms": round(result.duration * 1000, 3),
        **({"profile": result.profile} if result.profile else {}),
    }


@asynccontextmanager
async def open_sandbox(settings: Settings, language: str) -> AsyncIterator[Sandbox]:
    """A sandbox as the options say, with progress shown while it is being prepared."""
    with Progress() as progress:
        box = Sandbox(
            workspace=settings.workspace,
            languages=[language],
            mounts=[parse_mount(text) for text in settings.mount],
            env=dict(settings.env),
            memory_mb=settings.memory,
            timeout=settings.timeout or None,
            confinement=msgspec.convert(settings.confinement, Any),
            on_progress=progress,
        )
        try:
            await box.__aenter__()
        except BaseException:
            await box.close()
            raise
    try:
        yield box
    finally:
        await box.close()


async def _execute(job: Job, settings: Settings) -> Result:
    async with open_sandbox(settings, job.language) as box, anyio.create_task_group() as tasks:
        tasks.start_soon(_obey_ctrl_c, box, tasks)
        result = await _run(box, job, settings)
        tasks.cancel_scope.cancel()
    return result


async def _run(box: Sandbox, job: Job, settings: Settings) -> Result:
    if settings.json or job.profile:
        return await box.run(job.code, language=job.language, stdin=job.stdin, profile=job.profile)
    ask = None if job.stdin is not None else _ask
    result: Result | None = None
    async for event in box.stream(job.code, language=job.language, stdin=job.stdin, on_input=ask):
        match event:
            case Text(stream, text):
                await anyio.to_thread.run_sync(_print, stream, text)
            case Shown(display) if display.kind == "display":
                await anyio.to_thread.run_sync(_print, "stdout", _plain(display.data))
            case Result():
                result = event
            case _:
                pass
    assert result is not None
    if result.value is not None:
        _print("stdout", result.value + "\n")
    return result


async def _obey_ctrl_c(box: Sandbox, tasks: TaskGroup) -> None:
    """The first Ctrl-C stops the code, the second ends the program."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if not await box.interrupt():
                tasks.cancel_scope.cancel()


def _plain(data: dict[str, Any]) -> str:
    text = data.get("text/plain")
    return f"{text}\n" if text is not None else f"<{', '.join(data)}>\n"


def _print(stream: str, text: str) -> None:
    target = sys.stdout if stream == "stdout" else sys.stderr
    with suppress(BrokenPipeError):
        target.write(text)
        target.flush()


def _ask(prompt: str) -> str | None:
    click.echo(prompt, nl=False, err=not sys.stdout.isatty())
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
