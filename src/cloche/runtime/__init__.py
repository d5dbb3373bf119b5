"""Runtimes, which execute actions."""

from typing import TYPE_CHECKING

from cloche.runtime.a2a.manager import A2AManager
from cloche.runtime.base import Runtime
from cloche.runtime.machine import Ended, Machine, Process
from cloche.runtime.mapper import Mapper
from cloche.runtime.plugin import Plugin, PluginRequirement
from cloche.runtime.registry import get_runtime_cls, list_runtimes
from cloche.runtime.status import RuntimeStatus, StatusCallback

if TYPE_CHECKING:
    from cloche.runtime.pyodide import PyodideRuntime

__all__ = [
    "A2AManager",
    "Ended",
    "Machine",
    "Mapper",
    "Plugin",
    "PluginRequirement",
    "Process",
    "PyodideRuntime",
    "Runtime",
    "RuntimeStatus",
    "StatusCallback",
    "get_runtime_cls",
    "list_runtimes",
]


def __getattr__(name: str) -> object:
    """Import the runtime with the sandbox only when it is used."""
    if name != "PyodideRuntime":
        raise AttributeError(f"module 'cloche.runtime' has no attribute {name!r}")
    from cloche.runtime.pyodide import PyodideRuntime  # noqa: PLC0415 - only needed now

    return PyodideRuntime
