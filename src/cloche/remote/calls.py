"""Calls of a sandbox at a server: what is sent, and what comes back line by line as JSON."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from cloche.remote.problems import ProblemDetails
from cloche.remote.verbs import AnyVerb
from cloche.sandbox.network.request_log import NetworkRequest
from cloche.sandbox.packages.package import Package
from cloche.sandbox.results.result import Cleared, Result, Shown, Text

MEDIA_TYPE = "application/x-ndjson"
HEARTBEAT = b"\n"
"""An empty line, which says that the server is still there."""
Key = Annotated[str, Meta(pattern="^[0-9A-Za-z_.-]{1,200}$")]


class CallRequest(Struct, frozen=True, omit_defaults=True):
    """One call; sent again with the same key, it goes on with the same call."""

    key: Key
    call: AnyVerb
    place: str | None = None
    """The sandbox that is meant, as `begun` has named it: in another one, the call is not made."""
    after: Annotated[int, Meta(ge=0, le=2**53)] = 0
    """How many lines the client has already."""
    known: str = ""
    """The stamp of the packages and requests that the client knows."""


class CallLine(Struct, frozen=True, tag_field="event", omit_defaults=True):
    """A line of an answer that is not an event of the sandbox itself."""


class Begun(CallLine, frozen=True, tag="begun"):
    """The first line."""

    place: str
    """Names the sandbox; one with another name lacks what was done in this one."""
    seconds: float | None = None
    """The time limit of the code, if it has one."""
    action: int | None = None
    """The id of the event that records the call."""


class Asked(CallLine, frozen=True, tag="input"):
    """The code asks for a line of input."""

    number: int
    prompt: str
    password: bool = False


class Skipped(CallLine, frozen=True, tag="skipped"):
    """Lines that are not kept any more, because the client was away for long; all of them is in the result."""

    to: int
    """The number of lines after which it goes on."""
    characters: int = 0


class Changed(CallLine, frozen=True, tag="changed"):
    """What the client is told if it is not what it knew."""

    stamp: str
    packages: list[Package]
    requests: list[NetworkRequest]


class Done(CallLine, frozen=True, tag="done"):
    """The end of a call whose answer is no Result."""

    value: Raw


class Failed(CallLine, frozen=True, tag="failed"):
    """The end of a call that raised an error."""

    problem: ProblemDetails


Line = Text | Shown | Cleared | Result | Begun | Asked | Skipped | Changed | Done | Failed
END = (Result, Done, Failed)


class InputAnswer(Struct, frozen=True):
    """The answer to a question."""

    number: int
    line: str | None
    """None for the end of the input."""


class FileAnswer(Struct, frozen=True, omit_defaults=True):
    """A file: its bytes, or the name under which they can be had."""

    data: bytes = b""
    blob: str | None = None
    size: int = 0


class MarkAnswer(Struct, frozen=True):
    """A mark, which stays at the server."""

    name: str
    path: str
    complete: bool


class SaveAnswer(Struct, frozen=True):
    """A saved sandbox."""

    blob: str
    size: int
    without: tuple[str, ...] = ()


class BlobReceipt(Struct, frozen=True):
    """Data that the server has taken in."""

    name: str
    size: int


def encode_line(line: Line) -> bytes:
    """A line with its end."""
    return msgspec.json.encode(line, enc_hook=encode_path) + b"\n"


def decode_line(data: bytes) -> Line:
    """A line; raises ValueError for what is none."""
    try:
        return _DECODER.decode(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def encode_path(value: Any) -> Any:
    """Writes what JSON does not have."""
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


def decode_path(kind: type, value: Any) -> Any:
    """Reads it again."""
    return Path(value) if kind is Path and isinstance(value, str) else value


_DECODER = msgspec.json.Decoder(Line, dec_hook=decode_path)
