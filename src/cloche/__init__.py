"""Cloche: code under glass."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloche.errors import (
        AssetsUnavailable,
        ClocheError,
        CodeError,
        CodeTimeout,
        ConfigError,
        ConfinementUnavailable,
        SandboxError,
        SandboxUnavailable,
    )
    from cloche.sandbox.folders import FileInfo
    from cloche.sandbox.mounts import Mount
    from cloche.sandbox.result import Cleared, Event, Result, Shown, Text
    from cloche.sandbox.sandbox import Sandbox
    from cloche.sandbox.sync import SyncSandbox, run
    from cloche.sandbox.wire import CodeFailure, Display

__all__ = [
    "AssetsUnavailable",
    "Cleared",
    "ClocheError",
    "CodeError",
    "CodeFailure",
    "CodeTimeout",
    "ConfigError",
    "ConfinementUnavailable",
    "Display",
    "Event",
    "FileInfo",
    "Mount",
    "Result",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Shown",
    "SyncSandbox",
    "Text",
    "run",
]

_HOMES = {
    "cloche.errors": ("AssetsUnavailable", "ClocheError", "CodeError", "CodeTimeout", "ConfigError",
                      "ConfinementUnavailable", "SandboxError", "SandboxUnavailable"),
    "cloche.sandbox.folders": ("FileInfo",),
    "cloche.sandbox.mounts": ("Mount",),
    "cloche.sandbox.result": ("Cleared", "Event", "Result", "Shown", "Text"),
    "cloche.sandbox.sandbox": ("Sandbox",),
    "cloche.sandbox.sync": ("SyncSandbox", "run"),
    "cloche.sandbox.wire": ("CodeFailure", "Display"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `cloche --help` loads nothing."""
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'cloche' has no attribute {name!r}")
