"""Messages from the engine to the host."""

from typing import Any, Literal

import msgspec

from cloche.sandbox.results.outcome import Display, Outcome


class EngineReady(msgspec.Struct, frozen=True, tag="ready", tag_field="op"):
    languages: list[str]


class CallDone(msgspec.Struct, frozen=True, tag="done", tag_field="op"):
    id: int
    outcome: Outcome
    state: Literal["kept", "lost"]
    interrupted: bool = True
    """Whether an interrupt arrived before the code had ended."""


class QueryReply(msgspec.Struct, frozen=True, tag="reply", tag_field="op"):
    id: int
    data: Any = None


class DisplayMessage(msgspec.Struct, frozen=True, tag="display", tag_field="op"):
    id: int
    display: Display


class ClearMessage(msgspec.Struct, frozen=True, tag="clear", tag_field="op"):
    id: int
    wait: bool = False


class RequestStart(msgspec.Struct, frozen=True, tag="request", tag_field="op"):
    """Code needs something that only the host can do; `run` is its call."""

    request: int
    run: int
    content: dict[str, Any]
    """Its `kind` says who answers."""
    complete: bool = False
    """Whether no bytes follow."""


class RequestBodyEnd(msgspec.Struct, frozen=True, tag="end", tag_field="op"):
    request: int


class RequestCredit(msgspec.Struct, frozen=True, tag="credit", tag_field="op"):
    """The worker has taken this many bytes of an answer."""

    request: int
    bytes: int


class RequestAbort(msgspec.Struct, frozen=True, tag="abort", tag_field="op"):
    """The answer is no longer wanted."""

    request: int


class EngineFailed(msgspec.Struct, frozen=True, tag="failed", tag_field="op"):
    message: str


class WorkerStuck(msgspec.Struct, frozen=True, tag="stuck", tag_field="op"):
    """The process must be replaced; `shell` is the state that the next shell starts from."""

    shell: str | None


class BackgroundWork(msgspec.Struct, frozen=True, tag="background", tag_field="op"):
    """All background work, by language."""

    work: dict[str, list[str]]


class CallWaiting(msgspec.Struct, frozen=True, tag="waiting", tag_field="op"):
    """A call cannot begin, because background work is in its way."""

    id: int


class CallBegun(msgspec.Struct, frozen=True, tag="begun", tag_field="op"):
    """A call that waited has begun."""

    id: int


class Beside(msgspec.Struct, frozen=True, tag="beside", tag_field="op"):
    """Seconds that background work has computed during calls; `taken` are those in threads that the calls needed."""

    seconds: float
    taken: float


class Replaced(msgspec.Struct, frozen=True, tag="replaced", tag_field="op"):
    """The worker of a language was replaced, and its state is lost."""

    language: str
    told: bool
    """Whether the answer to a call says so."""


class OutputBlock(msgspec.Struct, frozen=True):
    """A block of raw output; not JSON."""

    id: int
    stream: Literal["stdout", "stderr"]
    data: bytes


class RequestChunk(msgspec.Struct, frozen=True):
    """Bytes of a request; not JSON."""

    request: int
    data: bytes


JsonMessage = (
    EngineReady
    | CallDone
    | QueryReply
    | DisplayMessage
    | ClearMessage
    | RequestStart
    | RequestBodyEnd
    | RequestCredit
    | RequestAbort
    | EngineFailed
    | WorkerStuck
    | BackgroundWork
    | CallWaiting
    | CallBegun
    | Beside
    | Replaced
)
RequestMessage = RequestStart | RequestBodyEnd | RequestCredit | RequestAbort | RequestChunk
Message = JsonMessage | OutputBlock | RequestChunk
