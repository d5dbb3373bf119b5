"""Every error this package raises.

ClocheError
├── SandboxError                the sandbox, not the code in it, is at fault
│   ├── SandboxUnavailable          it could not be started, is closed, or died
│   │   └── PoolExhausted               no sandbox of a pool became free in time
│   ├── AssetsUnavailable           the engine's files are missing and could not be fetched
│   └── ConfinementUnavailable      no layer of the operating system holds, and one was required
├── CodeError                   the code failed and the caller asked for `check=True`
│   └── CodeTimeout                 it was stopped at its time limit
└── ConfigError                 an option or a setting is wrong
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloche.sandbox.poolstats import PoolStats
    from cloche.sandbox.result import Result


class ClocheError(Exception):
    """Base of every error raised on purpose. `code` is stable and goes on the wire."""

    code = "internal"


class SandboxError(ClocheError):
    code = "sandbox"


class SandboxUnavailable(SandboxError):
    code = "sandbox_unavailable"


class PoolExhausted(SandboxUnavailable):
    """`stats` tells how the pool stood."""

    code = "pool_exhausted"

    def __init__(self, message: str, *, stats: "PoolStats") -> None:
        super().__init__(message)
        self.stats = stats


class AssetsUnavailable(SandboxError):
    code = "assets_unavailable"


class ConfinementUnavailable(SandboxError):
    code = "confinement_unavailable"


class CodeError(ClocheError):
    """The code failed; `result` holds what came of it."""

    code = "code_failed"

    def __init__(self, message: str, *, result: "Result") -> None:
        super().__init__(message)
        self.result = result


class CodeTimeout(CodeError):
    code = "timeout"


class ConfigError(ClocheError):
    code = "config"
