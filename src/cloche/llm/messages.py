"""What goes to a model, and what comes back."""

from typing import Any, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(Struct, frozen=True):
    """A tool that the model wants to use."""

    id: str
    name: str
    arguments: str
    """As the model wrote them: this should be a JSON object, and may be anything."""


class Message(Struct, frozen=True):
    """One message of a conversation."""

    role: Role
    content: str
    image_urls: tuple[str, ...] = ()
    """Pictures beside the text: addresses, or `data:` URLs."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant."""
    tool_call_id: str | None = None
    """Of a tool: the call that it answers."""


class ToolSpec(Struct, frozen=True):
    """A tool that the model may use."""

    name: str
    description: str
    parameters: dict[str, Any]
    """The JSON schema of its arguments."""


class Usage(Struct, frozen=True):
    """Tokens of one request; 0 where unknown."""

    input_tokens: int = 0
    """All that were sent, including those that the server had cached."""
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input that the server had cached."""
    estimated: bool = False
    """Whether the server did not say, and this is an estimate from the length of the texts."""


class Reply(Struct, frozen=True, kw_only=True):
    """A whole answer."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: str = "stop"
    """`stop`, `tool_calls`, `length` if the limit of tokens has cut it off, or what else the server says."""
    model: str = ""
    """The model that answered, as its server calls it."""
    id: str = ""
    cost: float | None = None
    """An estimate from the prices in the configuration; None if there are none."""

    @property
    def message(self) -> Message:
        """The answer as a message of the conversation."""
        return Message("assistant", self.text, tool_calls=self.tool_calls)


class Delta(Struct, frozen=True):
    """A piece of an answer. The last one, and no other, has the whole `reply`."""

    text: str = ""
    restart: str = ""
    """If the answer broke off and starts again: why. All text before this is void."""
    reply: Reply | None = None
