"""Errors of the A2A and HTTP libraries in our words."""

from collections.abc import Iterator

import httpx
from a2a.utils.errors import (
    A2AError,
    MethodNotFoundError,
    TaskNotFoundError,
    UnsupportedOperationError,
    VersionNotSupportedError,
)

from cloche.config.secret import mask_address
from cloche.errors import ClocheError, ConfigError, RemoteAgentError, RemoteAgentLost
from cloche.runtime.a2a.updates import clean_name

REFUSED = {
    401: "the key was refused. Set api_key, or api_key_env, of its entry in [a2a]",
    403: "access was refused. Set api_key, or api_key_env, of its entry in [a2a]",
    404: "there is nothing at this path. Check the address in [a2a]",
}
PASSING = (408, 425, 429)
"""Status codes that may pass, like all from 500 on."""


def explain_error(error: BaseException) -> RemoteAgentError:
    """The error as one of ours: RemoteAgentLost if the connection was lost."""
    for each in _list_causes(error):
        if isinstance(each, RemoteAgentError):
            return type(each)(str(each))
        if isinstance(each, httpx.HTTPStatusError):
            return _explain_status(each.response.status_code)
        if isinstance(each, httpx.TransportError | OSError):
            return RemoteAgentLost(f"{type(each).__name__}: {_shown(each) or 'it went away'}")
    if isinstance(error, VersionNotSupportedError):
        return RemoteAgentError(f"it does not speak A2A 1.0: {_shown(error)}")
    if isinstance(error, UnsupportedOperationError):
        return RemoteAgentError(f"it cannot do that: {_shown(error)}")
    if isinstance(error, ConfigError | A2AError):
        return RemoteAgentError(_shown(error))
    if isinstance(error, ClocheError):
        return RemoteAgentError(str(error))
    return RemoteAgentError(f"its answer could not be read: {type(error).__name__}: {_shown(error)}")


def is_unsupported(error: BaseException) -> bool:
    """Whether the server cannot stream the updates of this task."""
    return isinstance(error, UnsupportedOperationError | MethodNotFoundError | TaskNotFoundError | NotImplementedError)


def _explain_status(status: int) -> RemoteAgentError:
    if status in REFUSED:
        return RemoteAgentError(f"it answered {status}: {REFUSED[status]}")
    kind = RemoteAgentLost if status in PASSING or status >= 500 else RemoteAgentError
    return kind(f"it answered {status}")


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was raised from."""
    found: BaseException | None = error
    for _ in range(10):
        if found is None:
            return
        yield found
        found = found.__cause__


def _shown(error: BaseException) -> str:
    return mask_address(clean_name(str(error), 300))
