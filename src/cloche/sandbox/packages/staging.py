"""Temporary folders in which packages are prepared."""

import shutil
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread

from cloche.sandbox.cache.assets import cache_dir

LEFT = 86400.0
"""Seconds after which a folder that still exists belongs to a process that died."""


@asynccontextmanager
async def open_stage() -> AsyncGenerator[Path]:
    """A folder of our own, removed at the end."""
    stage = await to_thread.run_sync(_make_stage)
    try:
        yield stage
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(partial(shutil.rmtree, stage, ignore_errors=True))


def _make_stage() -> Path:
    parent = cache_dir() / "packages" / "stages"
    parent.mkdir(parents=True, exist_ok=True)
    for leftover in parent.iterdir():
        # Its owner may be removing it.
        with suppress(OSError):
            if time.time() - leftover.stat().st_mtime > LEFT:
                shutil.rmtree(leftover, ignore_errors=True)
    return Path(tempfile.mkdtemp(dir=parent))
