"""Puts the tool calls of an answer together from the pieces in which servers send them."""

import re
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import Struct

from cloche.limits import LLM_TOOL_CALLS
from cloche.llm.faults import NOT_JSON, AnswerTooLarge
from cloche.llm.messages import ToolCall

_ID = re.compile(r"[A-Za-z0-9_-]+")


class Fragment(Struct, frozen=True):
    """A piece of a tool call; every field may be missing."""

    index: int | None = None
    id: str | None = None
    name: str | None = None
    arguments: Any = None


class _OpenCall:
    def __init__(self, id: str, name: str) -> None:
        self.id = id
        self.name = name
        self.arguments: list[str] = []


class ToolCallCollector:
    """Collects the tool calls of one answer.

    Servers differ: some send a call whole, some in pieces; some leave out its index, or its id, or both; some give all
    calls the index 0, some a new id to each piece.
    """

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}

    def add(self, piece: Fragment) -> int:
        """Add a piece; returns how many characters of arguments it has."""
        call = self._find(piece) or self._begin(piece)
        call.id = call.id or piece.id or ""
        call.name = call.name or piece.name or ""
        text = _as_text(piece.arguments)
        call.arguments.append(text)
        return len(text)

    def finish(self) -> tuple[ToolCall, ...]:
        """All calls, each with an id of its own."""
        taken: set[str] = set()
        return tuple(ToolCall(_pick_id(call.id, taken), call.name, "".join(call.arguments)) for call in self._calls)

    def _find(self, piece: Fragment) -> _OpenCall | None:
        if piece.index is not None:
            call = self._by_index.get(piece.index)
        elif piece.id:
            call = next((each for each in self._calls if each.id == piece.id), None)
        else:
            call = None if piece.name or not self._calls else self._calls[-1]
        begins = bool(call and piece.id and call.id and piece.id != call.id and piece.name)
        return None if begins else call

    def _begin(self, piece: Fragment) -> _OpenCall:
        if len(self._calls) == LLM_TOOL_CALLS:
            raise AnswerTooLarge(f"it has more than {LLM_TOOL_CALLS} tool calls")
        call = _OpenCall(piece.id or "", piece.name or "")
        self._calls.append(call)
        if piece.index is not None:
            self._by_index[piece.index] = call
        return call


def _as_text(arguments: object) -> str:
    """Arguments as text: some servers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()


def _pick_id(id: str, taken: set[str]) -> str:
    # Anthropic's API accepts no other characters, and no id twice.
    chosen = id if _ID.fullmatch(id) and id not in taken else f"call_{uuid4().hex[:16]}"
    taken.add(chosen)
    return chosen


def read_arguments(text: str) -> dict[str, Any]:
    """Arguments as an object, to be sent back: servers refuse what is none."""
    try:
        found: object = msgspec.json.decode(text or "{}")
    except NOT_JSON:
        found = None
        text = text.encode(errors="replace").decode()
    return msgspec.convert(found, dict[str, Any]) if isinstance(found, dict) else {"invalid_json": text}
