"""Runs the command-line tools that download for us, and finds the user's pip."""

import errno
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.limits import MB

POLL = 0.1
"""Seconds between two checks of a tool's progress."""

FULL = 64 * MB
"""Bytes left on a disk below which a tool that failed is assumed to have filled it."""

NOISE = re.compile(r"\s*(([1-9]\d*: |Download |Initialize ).*)?$")
"""Lines of a tool's output that add nothing: Deno's steps, and numbered causes that it has named already."""

PIP_SETTINGS = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"}
"""Options for pip besides the user's own settings."""


class FetchToolFailed(Exception):
    """A tool ended with an error; the text says why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name


class FetchTool(msgspec.Struct, frozen=True):
    """One run of a command-line tool: command, folder, environment."""

    name: str
    command: list[str]
    folder: Path
    env: dict[str, str]
    held: bool = False
    """Whether it ends when its standard input does, so that it does not outlive this process either."""

    @property
    def log(self) -> Path:
        """The file with its output."""
        return self.folder / "log.txt"

    async def run(self, count: Callable[[], int]) -> AsyncGenerator[int]:
        """Run it to its end; yields its progress now and then, as `count` measures it."""
        log = await to_thread.run_sync(self.log.open, "wb")
        with log:
            given = subprocess.PIPE if self.held else subprocess.DEVNULL
            process = await anyio.open_process(
                self.command, stdin=given, stdout=log, stderr=log, cwd=self.folder, env=self.env
            )
        async with process:
            try:
                while process.returncode is None:
                    with anyio.move_on_after(POLL):
                        await process.wait()
                    yield await to_thread.run_sync(count)
            except (Exception, GeneratorExit):
                # Unlike a cancellation, this alone would make the block wait for its end.
                with suppress(ProcessLookupError):
                    process.kill()
                raise
        if process.returncode:
            raise FetchToolFailed(self.name, await to_thread.run_sync(self._reason, process.returncode))

    def _reason(self, code: int) -> str:
        # A full disk truncates the log too, and a tool may have freed some of what it took.
        if shutil.disk_usage(self.folder).free < FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        text = hide_secrets(self.log.read_text(errors="replace").partition("Stack backtrace:")[0])
        lines = [line.strip()[:300] for line in text.splitlines() if not NOISE.match(line)]
        return " | ".join(lines[-4:]).rstrip(".") or f"it ended with code {code}"


def hide_secrets(text: str) -> str:
    """Addresses of private registries may contain a password."""
    return re.sub(r"//[^/@\s]+@", "//***@", text)


def has_pip() -> bool:
    """Whether this Python has a pip of its own."""
    return importlib.util.find_spec("pip") is not None


def bundled_pip() -> Path | None:
    """The pip that Python bundles for new environments."""
    ensurepip = importlib.util.find_spec("ensurepip")
    folders = [Path(ensurepip.origin).parent / "_bundled"] if ensurepip and ensurepip.origin else []
    # Debian and Fedora keep it elsewhere.
    if elsewhere := sysconfig.get_config_var("WHEEL_PKG_DIR"):
        folders.append(Path(elsewhere))
    return next((wheel for folder in folders for wheel in folder.glob("pip-*.whl")), None)


def targeted_pip(script: Path) -> list[str] | None:
    """The start of a command that runs `script`, which imports pip: this Python's, else the bundled one, else one that
    uv provides; None if there is none."""
    if has_pip():
        return [sys.executable, "-P", str(script), ""]
    if bundled := bundled_pip():
        return [sys.executable, "-P", str(script), str(bundled)]
    if uv := shutil.which("uv"):
        isolated = [uv, "run", "--quiet", "--no-project", "--isolated", "--python", sys.executable, "--with", "pip"]
        return [*isolated, "--", "python", "-P", str(script), ""]
    return None


def pip_environment() -> dict[str, str]:
    """The user's environment for pip, including indexes that are set only for uv."""
    same = {
        "PIP_INDEX_URL": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
        "PIP_EXTRA_INDEX_URL": ("UV_INDEX", "UV_EXTRA_INDEX_URL"),
    }
    found = {name: os.environ[each] for name, others in same.items() for each in reversed(others) if each in os.environ}
    return {**found, **os.environ, **PIP_SETTINGS}
