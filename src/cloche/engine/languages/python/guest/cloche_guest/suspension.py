"""Suspends a running interpreter so that its memory can be saved, and resumes it, here or in another sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import os
import sys
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.programs import program_state, streams
from cloche_guest.protection import guard
from cloche_guest.waiting import event_loop

_import_module = importlib.import_module
_hidden: dict[str, Any] = {}
_folder: str | None = None
_NAMED = 3


def hide_modules() -> None:
    """Hide our own modules, and the one that restoring a memory needs, from the guest."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("cloche_guest", "_pyodide_core")]:
        _hidden[name] = sys.modules.pop(name)


def suspend() -> str:
    """Let go of everything outside this memory; return why that is not possible, or an empty string."""
    global _folder
    guard.restore_interpreter()
    reason = _obstacle()
    if reason:
        return reason
    program_state.flush_output()
    _folder = "/workspace"
    with contextlib.suppress(OSError):
        _folder = os.getcwd()  # noqa: PTH109 - the plain string is what chdir wants back
    importlib.import_module = _import_module
    gc.collect()
    engine_calls.disconnect()
    sys.modules.update(_hidden)
    return ""


def _obstacle() -> str:
    tasks = [task for task in asyncio.all_tasks(event_loop.current_loop()) if not task.done()]
    if tasks:
        names = ", ".join(str(task.get_coro()) for task in tasks[:_NAMED])
        return f"{len(tasks)} asyncio tasks are still running ({names}); await or cancel them first"
    return ""


def is_suspended() -> bool:
    """Whether this memory was suspended and not resumed since."""
    return _folder is not None


def wake(env: dict[str, str]) -> None:
    """Resume; add these variables to the environment."""
    global _folder
    folder, _folder = _folder or "/workspace", None
    os.environ.update(env)
    for place in (folder, "/workspace", "/"):
        with contextlib.suppress(OSError):
            os.chdir(place)
            break
    streams.remember_descriptors()
    guard.restore_interpreter()
