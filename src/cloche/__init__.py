"""Cloche runs bash and ten languages in a WebAssembly sandbox."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloche.config import AppConfig
    from cloche.errors import (
        AssetsUnavailable,
        ClocheError,
        CodeError,
        CodeTimeout,
        ConfigError,
        ConfinementUnavailable,
        EventError,
        PackageConflict,
        PackageDamaged,
        PackageError,
        PackageNotFound,
        PackagesUnreachable,
        PackageUnsupported,
        PoolExhausted,
        RuntimeFailed,
        RuntimeUnavailable,
        SandboxError,
        SandboxUnavailable,
        SavedStateError,
        ServerUnauthorized,
        ServerUnavailable,
    )
    from cloche.events import (
        BrowseInteractiveAction,
        BrowserOutputObservation,
        BrowseURLAction,
        CmdOutputObservation,
        CmdRunAction,
        ErrorObservation,
        EventStream,
        FileEditAction,
        FileEditObservation,
        FileReadAction,
        FileReadObservation,
        FileStore,
        FileWriteAction,
        FileWriteObservation,
        IPythonRunCellAction,
        IPythonRunCellObservation,
        MCPAction,
        MCPObservation,
        MkdirAction,
        MkdirObservation,
        RmAction,
        RmdirAction,
        RmdirObservation,
        RmObservation,
        RunCodeAction,
        RunCodeObservation,
    )
    from cloche.remote.connect import connect, connect_sync
    from cloche.remote.remote_sandbox import RemoteSandbox
    from cloche.runtime import (
        PluginRequirement,
        Runtime,
        RuntimeStatus,
        get_runtime_cls,
    )
    from cloche.sandbox.changes.diff import Diff, FileChange
    from cloche.sandbox.changes.mark import Mark
    from cloche.sandbox.files.guest_files import FileInfo
    from cloche.sandbox.files.mounts import Mount
    from cloche.sandbox.info import SandboxInfo
    from cloche.sandbox.network.network_limits import NetworkLimits
    from cloche.sandbox.network.request_log import NetworkRequest
    from cloche.sandbox.packages.package import Package
    from cloche.sandbox.pool.pool import Pool
    from cloche.sandbox.pool.stats import PoolStats
    from cloche.sandbox.pool.sync_pool import SyncPool
    from cloche.sandbox.pool.template import Template
    from cloche.sandbox.results.completion import Completeness, Completion
    from cloche.sandbox.results.outcome import CodeFailure, Display
    from cloche.sandbox.results.result import Cleared, Event, Result, Shown, Text
    from cloche.sandbox.sandbox import Sandbox
    from cloche.sandbox.saving.saved import Saved
    from cloche.sandbox.sync import SyncSandbox, run

    __version__: str
    """The version of Cloche that is installed."""

__all__ = [
    "AppConfig",
    "AssetsUnavailable",
    "BrowseInteractiveAction",
    "BrowseURLAction",
    "BrowserOutputObservation",
    "Cleared",
    "ClocheError",
    "CmdOutputObservation",
    "CmdRunAction",
    "CodeError",
    "CodeFailure",
    "CodeTimeout",
    "Completeness",
    "Completion",
    "ConfigError",
    "ConfinementUnavailable",
    "Diff",
    "Display",
    "ErrorObservation",
    "Event",
    "EventError",
    "EventStream",
    "FileChange",
    "FileEditAction",
    "FileEditObservation",
    "FileInfo",
    "FileReadAction",
    "FileReadObservation",
    "FileStore",
    "FileWriteAction",
    "FileWriteObservation",
    "IPythonRunCellAction",
    "IPythonRunCellObservation",
    "MCPAction",
    "MCPObservation",
    "Mark",
    "MkdirAction",
    "MkdirObservation",
    "Mount",
    "NetworkLimits",
    "NetworkRequest",
    "Package",
    "PackageConflict",
    "PackageDamaged",
    "PackageError",
    "PackageNotFound",
    "PackageUnsupported",
    "PackagesUnreachable",
    "PluginRequirement",
    "Pool",
    "PoolExhausted",
    "PoolStats",
    "RemoteSandbox",
    "Result",
    "RmAction",
    "RmObservation",
    "RmdirAction",
    "RmdirObservation",
    "RunCodeAction",
    "RunCodeObservation",
    "Runtime",
    "RuntimeFailed",
    "RuntimeStatus",
    "RuntimeUnavailable",
    "Sandbox",
    "SandboxError",
    "SandboxInfo",
    "SandboxUnavailable",
    "Saved",
    "SavedStateError",
    "ServerUnauthorized",
    "ServerUnavailable",
    "Shown",
    "SyncPool",
    "SyncSandbox",
    "Template",
    "Text",
    "connect",
    "connect_sync",
    "get_runtime_cls",
    "run",
]

_ERRORS = "cloche.errors"
_HOMES = {
    "cloche.config.app_config": ("AppConfig",),
    "cloche.events": (
        "BrowseInteractiveAction",
        "BrowseURLAction",
        "BrowserOutputObservation",
        "CmdOutputObservation",
        "CmdRunAction",
        "ErrorObservation",
        "EventStream",
        "FileEditAction",
        "FileEditObservation",
        "FileReadAction",
        "FileReadObservation",
        "FileStore",
        "FileWriteAction",
        "FileWriteObservation",
        "IPythonRunCellAction",
        "IPythonRunCellObservation",
        "MCPAction",
        "MCPObservation",
        "MkdirAction",
        "MkdirObservation",
        "RmAction",
        "RmObservation",
        "RmdirAction",
        "RmdirObservation",
        "RunCodeAction",
        "RunCodeObservation",
    ),
    "cloche.remote.connect": ("connect", "connect_sync"),
    "cloche.remote.remote_sandbox": ("RemoteSandbox",),
    "cloche.runtime": (
        "PluginRequirement",
        "Runtime",
        "RuntimeStatus",
        "get_runtime_cls",
    ),
    "cloche.sandbox.changes.diff": ("Diff", "FileChange"),
    "cloche.sandbox.changes.mark": ("Mark",),
    "cloche.sandbox.files.guest_files": ("FileInfo",),
    "cloche.sandbox.info": ("SandboxInfo",),
    "cloche.sandbox.files.mounts": ("Mount",),
    "cloche.sandbox.pool.pool": ("Pool",),
    "cloche.sandbox.pool.stats": ("PoolStats",),
    "cloche.sandbox.pool.sync_pool": ("SyncPool",),
    "cloche.sandbox.network.request_log": ("NetworkRequest",),
    "cloche.sandbox.network.network_limits": ("NetworkLimits",),
    "cloche.sandbox.packages.package": ("Package",),
    "cloche.sandbox.results.result": ("Cleared", "Event", "Result", "Shown", "Text"),
    "cloche.sandbox.results.completion": ("Completeness", "Completion"),
    "cloche.sandbox.sandbox": ("Sandbox",),
    "cloche.sandbox.saving.saved": ("Saved",),
    "cloche.sandbox.sync": ("SyncSandbox", "run"),
    "cloche.sandbox.pool.template": ("Template",),
    "cloche.sandbox.results.outcome": ("CodeFailure", "Display"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `cloche --help` loads nothing."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - only needed now

        return version("cloche")
    if name not in __all__:
        raise AttributeError(f"module 'cloche' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only needed now

    home = next((module for module, names in _HOMES.items() if name in names), _ERRORS)
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return __all__
