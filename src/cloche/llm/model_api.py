"""What differs between the APIs of models."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from cloche.config import LLMConfig
from cloche.llm.answer import Answer
from cloche.llm.event_stream import ServerEvent
from cloche.llm.faults import NOT_JSON, AnswerFault, ServerFault
from cloche.llm.messages import Message, ToolSpec

T = TypeVar("T")


class ModelAPI(ABC):
    """Writes requests and reads answers; knows nothing of connections."""

    def __init__(self, model: str, config: LLMConfig) -> None:
        self.model = model
        self.config = config

    @abstractmethod
    def write_request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        """The body of a request."""

    @abstractmethod
    def read_event(self, event: ServerEvent, answer: Answer) -> None:
        """Add an event of the stream to the answer."""

    @abstractmethod
    def read_document(self, data: bytes, answer: Answer) -> None:
        """Add an answer that came whole."""

    def adapt(self, fault: ServerFault) -> bool:
        """Whether the next request will be written in another way, because this server did not accept this one."""
        return False


def encode_json(value: dict[str, Any]) -> bytes:
    """A request as JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # Names of files and outputs of commands that were not UTF-8 can be in a conversation.
        return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def decode_json(data: bytes, kind: type[T]) -> T:
    """JSON of the API as this type; raises AnswerFault."""
    try:
        return msgspec.json.decode(data, type=kind)
    except NOT_JSON:
        shown = data[:4096].decode(errors="replace").strip() or "nothing"
        page = data.lstrip().startswith(b"<")
        raise AnswerFault(f"it is not what this API sends, it begins with: {shown}", passing=not page) from None


def split_image(url: str) -> tuple[str, str] | None:
    """The type and the base64 of a `data:` URL; None for another address."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return head[len("data:") : -len(";base64")].partition(";")[0] or "image/png", data


def group_messages(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Messages without those of the system, in groups: answers of tools that follow each other are one."""
    group: list[Message] = []
    for message in messages:
        if group and not (message.role == group[-1].role == "tool"):
            yield group
            group = []
        group.append(message)
    if group:
        yield group
