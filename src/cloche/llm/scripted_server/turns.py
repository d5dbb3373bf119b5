"""What a scripted server answers, and how it misbehaves."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

from cloche.llm.messages import ToolCall, Usage

Fault = Literal["hang", "pings", "endless", "cut", "drop", "reset", "garbage", "error"]


class ServerTurn(Struct, frozen=True, kw_only=True):
    """One answer of a scripted server."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = Usage(12, 5)
    """The tokens that it reports; None to report none."""
    finish_reason: str = ""
    """In the words of the API; by default as it fits."""
    status: int = 200
    """Another than 200 makes it an error."""
    headers: dict[str, str] = {}
    """Headers of the answer besides the usual ones."""
    error: str = "the script says so"
    """What an error says."""
    kind: str = ""
    """The type of an error, in the words of the API."""
    body: bytes | None = None
    """The body as it is, in place of all of the above."""
    streams: bool = True
    """False to send one document although a stream was asked for."""
    calls: Literal["pieces", "whole", "bare"] = "pieces"
    """How a stream has tool calls: in pieces, whole, or whole without index and id."""
    piece: int = 8
    """Characters of a piece of a stream."""
    pause: float = 0.0
    """Seconds before each piece."""
    fault: Fault | None = None
    """What goes wrong:

    - `hang`: it sends nothing more; `pings`: nothing but signs of life; `endless`: text without end;
    - `cut`: the answer has no end; `drop`: nor has the body; `reset`: the connection is reset;
    - `garbage`: a piece is no JSON; `error`: a piece is an error.
    """
    fault_at: int = 2
    """How many pieces come before that; -1 if not even the head of the answer is sent."""


class ReceivedRequest(Struct, frozen=True, kw_only=True, eq=False):
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    """By their names in lower case."""
    body: dict[str, Any]
    """The decoded JSON; empty if it was none."""
    client_port: int
    """Tells connections apart."""
    gone: threading.Event
    """Set when the client leaves before the end of its answer."""


Turn = ServerTurn | str | ToolCall | Iterable[ToolCall]
"""A turn, or its text, or its tool calls."""

Script = Iterable[Turn] | Callable[[ReceivedRequest], Turn]


def as_turn(turn: Turn) -> ServerTurn:
    """The turn of a script in full."""
    if isinstance(turn, ServerTurn):
        return turn
    if isinstance(turn, str):
        return ServerTurn(text=turn)
    return ServerTurn(tool_calls=(turn,) if isinstance(turn, ToolCall) else tuple(turn))


def split_text(text: str, size: int) -> list[str]:
    """A text in pieces of a stream."""
    return [text[start : start + size] for start in range(0, len(text), size)]
