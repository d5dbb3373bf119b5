"""The status of a runtime, and how it is reported."""

from collections.abc import Callable
from enum import StrEnum


class RuntimeStatus(StrEnum):
    """The status names that clients know; READY is a blank, as the first clients expect."""

    WAITING_FOR_CLIENT = "STATUS$WAITING_FOR_CLIENT"
    STARTING_RUNTIME = "STATUS$STARTING_RUNTIME"
    SETTING_UP_WORKSPACE = "STATUS$SETTING_UP_WORKSPACE"
    READY = " "
    STOPPED = "STATUS$STOPPED"
    ERROR = "STATUS$ERROR"
    ERROR_RUNTIME_DISCONNECTED = "STATUS$ERROR_RUNTIME_DISCONNECTED"


StatusCallback = Callable[[str, RuntimeStatus, str], None]
"""Takes the level (`info` or `error`), the status and a sentence for a person."""
