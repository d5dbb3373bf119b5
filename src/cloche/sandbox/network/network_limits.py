"""Network settings besides the policy."""

import msgspec

from cloche import limits
from cloche.errors import ConfigError


class NetworkLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, sizes in bytes; limits.py explains each."""

    connect: float = limits.NET_CONNECT_TIMEOUT
    answer: float = limits.NET_ANSWER_TIMEOUT
    stall: float = limits.NET_STALL_TIMEOUT
    total: float = limits.NET_TOTAL_TIMEOUT
    slowest: int = limits.NET_SLOWEST
    slow_window: float = limits.NET_SLOW_WINDOW
    request_bytes: int = limits.NET_REQUEST_LIMIT
    answer_bytes: int = limits.NET_ANSWER_LIMIT
    at_once: int = limits.NET_AT_ONCE

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not getattr(self, name) > 0 and name != "slowest":
                raise ConfigError(f"network_limits: {name}={getattr(self, name)} must be above 0")
