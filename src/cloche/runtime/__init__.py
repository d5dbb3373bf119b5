"""Where actions are executed."""

from cloche.runtime.base import Runtime
from cloche.runtime.machine import Ended, Machine, Process
from cloche.runtime.mapper import Mapper
from cloche.runtime.plugin import Plugin, PluginRequirement
from cloche.runtime.registry import get_runtime_cls
from cloche.runtime.status import RuntimeStatus, StatusCallback

__all__ = [
    "Ended",
    "Machine",
    "Mapper",
    "Plugin",
    "PluginRequirement",
    "Process",
    "Runtime",
    "RuntimeStatus",
    "StatusCallback",
    "get_runtime_cls",
]
