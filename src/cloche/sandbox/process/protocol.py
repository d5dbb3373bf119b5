"""Messages between the host and the engine, and their frames: length, type, body."""

import struct
from typing import Any, Literal

import msgspec

from cloche.errors import SandboxError
from cloche.limits import FRAME_LIMIT

JSON_FRAME = 0
PIECE_FRAME = 3
STREAMS: dict[int, Literal["stdout", "stderr"]] = {1: "stdout", 2: "stderr"}
_HEAD = struct.Struct("<IB")
_LENGTH = struct.Struct("<I")
_PIECE = struct.Struct("<IBI")


class CodeFailure(msgspec.Struct, frozen=True):
    """Why the code failed, in the user's own lines."""

    type: str
    message: str
    line: int | None = None
    column: int | None = None
    traceback: str = ""


class Outcome(msgspec.Struct, frozen=True, rename="camel"):
    value: str | None = None
    error: CodeFailure | None = None
    exit_code: int = 0
    profile: dict[str, Any] | None = None
    cwd: str | None = None
    data: str | None = None
    """The value as JSON, where it is plain data."""


class Display(msgspec.Struct, frozen=True, rename="camel"):
    """A rich output: `data` maps MIME types to content, as in Jupyter."""

    kind: Literal["display", "update", "result"]
    data: dict[str, Any]
    metadata: dict[str, Any] = {}
    display_id: str | None = None


class EngineReady(msgspec.Struct, frozen=True, tag="ready", tag_field="op"):
    languages: list[str]


class CallDone(msgspec.Struct, frozen=True, tag="done", tag_field="op"):
    id: int
    outcome: Outcome
    state: Literal["kept", "lost"]
    interrupted: bool = True
    """Whether an interrupt came before the code had ended."""


class QueryReply(msgspec.Struct, frozen=True, tag="reply", tag_field="op"):
    id: int
    data: Any = None


class DisplayMessage(msgspec.Struct, frozen=True, tag="display", tag_field="op"):
    id: int
    display: Display


class ClearMessage(msgspec.Struct, frozen=True, tag="clear", tag_field="op"):
    id: int
    wait: bool = False


class InputNeeded(msgspec.Struct, frozen=True, tag="input", tag_field="op"):
    id: int
    prompt: str
    password: bool = False
    seconds: float | None = None
    """How long the code waits for an answer."""


class HostFileChange(msgspec.Struct, frozen=True):
    """A change of files that the sandbox may not make itself; `path` is the host's."""

    what: Literal["link", "chmod"]
    path: str
    target: str = ""
    mode: int = 0


class FileChangeNeeded(msgspec.Struct, frozen=True, tag="aid", tag_field="op"):
    id: int
    wish: HostFileChange


class RequestStart(msgspec.Struct, frozen=True, tag="ask", tag_field="op"):
    """A worker wants something that only the host can do; `id` is the call it happens in."""

    ask: int
    id: int
    question: dict[str, Any]
    complete: bool = False
    """Whether no bytes follow."""


class RequestBodyEnd(msgspec.Struct, frozen=True, tag="end", tag_field="op"):
    ask: int


class RequestCredit(msgspec.Struct, frozen=True, tag="more", tag_field="op"):
    """So many bytes of an answer have been taken."""

    ask: int
    bytes: int


class RequestCancel(msgspec.Struct, frozen=True, tag="drop", tag_field="op"):
    """Nobody waits for the answer any more."""

    ask: int


class EngineFailed(msgspec.Struct, frozen=True, tag="failed", tag_field="op"):
    message: str


class PackNeeded(msgspec.Struct, frozen=True, tag="pack", tag_field="op"):
    """The files of a language are needed."""

    language: str


class WorkerStuck(msgspec.Struct, frozen=True, tag="stuck", tag_field="op"):
    """The process must be replaced; `shell` is the state that its shell goes on from."""

    shell: str | None


class BackgroundWork(msgspec.Struct, frozen=True, tag="background", tag_field="op"):
    """All that calls have left running, by language."""

    work: dict[str, list[str]]


class CallWaiting(msgspec.Struct, frozen=True, tag="waiting", tag_field="op"):
    """A call cannot begin: something that was left running is in its way."""

    id: int


class CallBegun(msgspec.Struct, frozen=True, tag="begun", tag_field="op"):
    """A call that waited has begun."""

    id: int


class Beside(msgspec.Struct, frozen=True, tag="beside", tag_field="op"):
    """What was left running has computed so many seconds beside calls, and `taken` in threads that these needed."""

    seconds: float
    taken: float


class Replaced(msgspec.Struct, frozen=True, tag="replaced", tag_field="op"):
    """The worker of a language was ended, with its state; another has taken its place."""

    language: str


class OutputBlock(msgspec.Struct, frozen=True):
    """A block of raw output; the only message that is not JSON."""

    id: int
    stream: Literal["stdout", "stderr"]
    data: bytes


class RequestPiece(msgspec.Struct, frozen=True):
    """Some bytes that go with a question; not JSON either."""

    ask: int
    data: bytes


_Json = (
    EngineReady
    | CallDone
    | QueryReply
    | DisplayMessage
    | ClearMessage
    | InputNeeded
    | FileChangeNeeded
    | RequestStart
    | RequestBodyEnd
    | RequestCredit
    | RequestCancel
    | EngineFailed
    | WorkerStuck
    | PackNeeded
    | BackgroundWork
    | CallWaiting
    | CallBegun
    | Beside
    | Replaced
)
RequestMessage = RequestStart | RequestBodyEnd | RequestCredit | RequestCancel | RequestPiece
Message = _Json | OutputBlock | RequestPiece
_decoder: msgspec.json.Decoder[_Json] = msgspec.json.Decoder(_Json)


OVERHEAD = 512
"""Bytes that a message takes beside its contents, roughly."""

VALUE = 32
"""Bytes that each comma, colon and bracket of JSON stands for when it is read, roughly."""


def estimate_memory(body: bytes) -> int:
    """How much memory a message of JSON takes, roughly; lists and objects take many times their text."""
    return OVERHEAD + len(body) + VALUE * sum(body.count(mark) for mark in b",:[{")


class BadFrame(SandboxError):
    """The engine sent what it must not send."""

    code = "bad_frame"


def encode_frame(message: dict[str, Any]) -> bytes:
    """A frame to the engine."""
    body = msgspec.json.encode(message)
    if len(body) > FRAME_LIMIT:
        raise ValueError(f"{len(body)} bytes are over the limit of {FRAME_LIMIT} for one message: pass it as a file")
    return _HEAD.pack(len(body) + 1, JSON_FRAME) + body


def encode_piece_frame(ask: int, data: bytes | memoryview) -> bytes:
    """A frame with bytes of an answer."""
    return b"".join((_PIECE.pack(len(data) + 5, PIECE_FRAME, ask), data))


class FrameReader:
    """Takes bytes in any pieces and gives whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def take(self) -> tuple[Message, int] | None:
        """The next whole message and how much memory it takes."""
        if len(self._buffer) < _HEAD.size:
            return None
        length, kind = _HEAD.unpack_from(self._buffer)
        if not 1 <= length <= FRAME_LIMIT + 64:
            raise BadFrame(f"the engine announced a message of {length} bytes")
        end = 4 + length
        if len(self._buffer) < end:
            return None
        body = bytes(memoryview(self._buffer)[_HEAD.size : end])
        del self._buffer[:end]
        return _decode(kind, body)


def _decode(kind: int, body: bytes) -> tuple[Message, int]:
    if kind == JSON_FRAME:
        try:
            return _decoder.decode(body), estimate_memory(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadFrame(f"the engine sent a message that cannot be read: {error}") from error
    if kind in STREAMS and len(body) >= 4:
        (run,) = _LENGTH.unpack_from(body)
        return OutputBlock(run, STREAMS[kind], body[4:]), OVERHEAD + len(body)
    if kind == PIECE_FRAME and len(body) >= 4:
        return RequestPiece(_LENGTH.unpack_from(body)[0], body[4:]), OVERHEAD + len(body)
    raise BadFrame(f"the engine sent a message of unknown type {kind}")
