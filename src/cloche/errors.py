"""Every error this package raises.

ClocheError
├── SandboxError                the sandbox, not the code in it, is at fault
│   ├── SandboxUnavailable          it could not be started, is closed, or died
│   │   ├── PoolExhausted               no sandbox of a pool became free in time
│   │   └── ServerUnavailable           its server could not be reached, was lost, or refused
│   │       └── ServerUnauthorized          the server does not accept the token, or it may not do this
│   ├── SavedStateError             it cannot be saved, or what was saved cannot be used
│   ├── AssetsUnavailable           the engine's files are missing and could not be fetched
│   ├── ConfinementUnavailable      no layer of the operating system holds, and one was required
│   └── PackageError                a package could not be installed
│       ├── PackageNotFound             no index and no distribution has it, or not in that version
│       ├── PackageUnsupported          it exists, but not for this Python: native, only source, another version
│       ├── PackageConflict             what is asked for conflicts with itself or with what is installed
│       ├── PackageDamaged              a file is not what it should be: wrong hash, wrong platform, hostile
│       └── PackagesUnreachable         the index or the distribution could not be reached
├── CodeError                   the code failed and the caller asked for `check=True`
│   └── CodeTimeout                 it was stopped at its time limit
├── RuntimeUnavailable          a runtime could not be reached, or was lost
├── RuntimeFailed               a method of a runtime that returns no observation failed
├── RemoteAgentError            a remote agent could not be reached, or did not do what was asked
│   ├── RemoteAgentUnknown          no configured server has an agent of this name
│   └── RemoteAgentLost             the connection to it was lost
├── SessionError                a session could not be started, or does not run
│   ├── SessionTaken                it runs in another process
│   ├── SessionUnknown              there is no session of this id
│   ├── SessionLimit                as many sessions run as may
│   ├── DiskLimit                   the files of a user's sessions take more than they may
│   └── ServerTaken                 another server uses the same data folder
├── BinaryFile                  a file that should be text is not
├── EventError                  an event does not fit the wire format
├── StoreError                  events or files could not be kept or read
│   ├── StoreClosed                 the store is not open
│   ├── StoreFull                   there is no space left on the disk
│   ├── StoreLocked                 another process has kept the store locked for too long
│   ├── StoreDamaged                the stored data is damaged, or not ours
│   └── StoreTooNew                 a newer version of Cloche has written it
├── LLMError                    a model gave no answer
│   ├── LLMUnavailable              its server could not be reached, failed, or fell silent
│   ├── LLMRateLimited              its server wants fewer requests
│   ├── LLMUnauthorized             the key is missing, wrong, or not allowed to use the model
│   ├── LLMOutOfCredits             the account has no credit left
│   ├── LLMContextExceeded          the messages are too long for the model
│   ├── LLMRefused                  a content policy does not allow the request or the answer
│   ├── LLMRequestInvalid           the server does not accept the address, the model or a parameter
│   ├── LLMBadReply                 the answer is garbage, too large, or cut off
│   └── LLMRecordingEnded           a recording or a script has no more answers
└── ConfigError                 an option or a setting is wrong
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloche.sandbox.pool.stats import PoolStats
    from cloche.sandbox.results.result import Result


class ClocheError(Exception):
    """Base of every error raised on purpose. `code` is stable and goes on the wire."""

    code = "internal"


class SandboxError(ClocheError):
    code = "sandbox"


class SandboxUnavailable(SandboxError):
    code = "sandbox_unavailable"


class PoolExhausted(SandboxUnavailable):
    """`stats` has the state of the pool at that moment."""

    code = "pool_exhausted"

    def __init__(self, message: str, *, stats: "PoolStats") -> None:
        super().__init__(message)
        self.stats = stats


class ServerUnavailable(SandboxUnavailable):
    code = "server_unavailable"


class ServerUnauthorized(ServerUnavailable):
    code = "server_unauthorized"


class SavedStateError(SandboxError):
    code = "saved_state"


class AssetsUnavailable(SandboxError):
    code = "assets_unavailable"


class ConfinementUnavailable(SandboxError):
    code = "confinement_unavailable"


class PackageError(SandboxError):
    code = "package"
    source: str | None = None
    """The requirement whose source may be built in the sandbox instead."""


class PackageNotFound(PackageError):
    code = "package_not_found"


class PackageUnsupported(PackageError):
    code = "package_unsupported"


class PackageConflict(PackageError):
    code = "package_conflict"


class PackageDamaged(PackageError):
    code = "package_damaged"


class PackagesUnreachable(PackageError):
    code = "packages_unreachable"


class CodeError(ClocheError):
    """The code failed; `result` is its Result."""

    code = "code_failed"

    def __init__(self, message: str, *, result: "Result") -> None:
        super().__init__(message)
        self.result = result


class CodeTimeout(CodeError):
    code = "timeout"


class ConfigError(ClocheError):
    code = "config"


class RuntimeUnavailable(ClocheError):
    code = "runtime_unavailable"


class RuntimeFailed(ClocheError):
    code = "runtime_failed"


class RemoteAgentError(ClocheError):
    code = "remote_agent"


class RemoteAgentUnknown(RemoteAgentError):
    code = "remote_agent_unknown"


class RemoteAgentLost(RemoteAgentError):
    code = "remote_agent_lost"


class SessionError(ClocheError):
    code = "session"


class SessionTaken(SessionError):
    code = "session_taken"


class SessionUnknown(SessionError):
    code = "session_unknown"


class SessionLimit(SessionError):
    code = "session_limit"


class DiskLimit(SessionError):
    code = "quota"


class ServerTaken(SessionError):
    code = "server_taken"


class BinaryFile(ClocheError):
    code = "binary_file"


class EventError(ClocheError):
    code = "event"


class StoreError(ClocheError):
    code = "store"


class StoreClosed(StoreError):
    code = "store_closed"


class StoreFull(StoreError):
    code = "store_full"


class StoreLocked(StoreError):
    code = "store_locked"


class StoreDamaged(StoreError):
    code = "store_damaged"


class StoreTooNew(StoreError):
    code = "store_too_new"


class LLMError(ClocheError):
    """`passing` says whether the same request may succeed later; `retry_after` in how many seconds, if it is known."""

    code = "llm"
    passing = False

    def __init__(self, message: str, *, passing: bool | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        if passing is not None:
            self.passing = passing


class LLMUnavailable(LLMError):
    code = "llm_unavailable"
    passing = True


class LLMRateLimited(LLMError):
    code = "llm_rate_limited"
    passing = True


class LLMUnauthorized(LLMError):
    code = "llm_unauthorized"


class LLMOutOfCredits(LLMError):
    code = "llm_out_of_credits"


class LLMContextExceeded(LLMError):
    code = "llm_context_exceeded"


class LLMRefused(LLMError):
    code = "llm_refused"


class LLMRequestInvalid(LLMError):
    code = "llm_request_invalid"


class LLMBadReply(LLMError):
    code = "llm_bad_reply"


class LLMRecordingEnded(LLMError):
    code = "llm_recording_ended"
