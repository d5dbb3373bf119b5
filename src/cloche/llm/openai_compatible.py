"""The API for chats of OpenAI, which most servers of models speak."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from cloche.config import LLMConfig
from cloche.config.plain_values import is_list, is_table
from cloche.llm.answer import Answer
from cloche.llm.event_stream import ServerEvent
from cloche.llm.faults import AnswerFault, ServerFault, stream_fault
from cloche.llm.messages import Message, ToolCall, ToolSpec, Usage
from cloche.llm.model_api import ModelAPI, decode_json, group_messages
from cloche.llm.recording import read_count, write_call
from cloche.llm.tool_calls import Fragment

BASE_URL = "https://api.openai.com/v1"
PATH = "/chat/completions"


class _Function(Struct):
    name: str | None = None
    arguments: Any = None


class _Call(Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Part(Struct):
    content: Any = None
    refusal: str | None = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    delta: _Part | None = None
    message: _Part | None = None
    finish_reason: str | None = None
    index: int | None = None


class _InputDetails(Struct):
    cached_tokens: float | None = None


class _Usage(Struct):
    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    prompt_tokens_details: _InputDetails | None = None


class _Chunk(Struct):
    """A piece of a stream; an answer that came whole has the same fields."""

    id: str | None = None
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None
    message: Any = None
    object: str | None = None


class OpenAIChat(ModelAPI):
    """Chat completions, as OpenAI defines them and others understand them."""

    def __init__(self, model: str, config: LLMConfig) -> None:
        super().__init__(model, config)
        self._asks_usage = True
        # OpenAI's newer models accept only this name, most other servers only the older one.
        self._limit_name = "max_tokens" if config.base_url else "max_completion_tokens"

    def write_request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "messages": list(_write_messages(messages)), "stream": True}
        if self._asks_usage:
            body["stream_options"] = {"include_usage": True}
        if tools:
            body["tools"] = [_write_tool(tool) for tool in tools]
        if self.config.temperature is not None:
            body["temperature"] = self.config.temperature
        if self.config.max_output_tokens is not None:
            body[self._limit_name] = self.config.max_output_tokens
        return body

    def adapt(self, fault: ServerFault) -> bool:
        if fault.status not in (400, 422):
            return False
        if self._asks_usage and fault.says("stream_options"):
            self._asks_usage = False
            return True
        if self._limit_name == "max_tokens" and fault.says("max_completion_tokens"):
            self._limit_name = "max_completion_tokens"
            return True
        return False

    def read_event(self, event: ServerEvent, answer: Answer) -> None:
        if event.data.strip() == b"[DONE]":
            answer.ended = True
        elif event.data.strip():
            self._read_chunk(decode_json(event.data, _Chunk), answer)

    def read_document(self, data: bytes, answer: Answer) -> None:
        chunk = decode_json(data, _Chunk)
        self._read_chunk(chunk, answer)
        if not chunk.choices:
            raise AnswerFault("it has no choices: this is no answer of a chat")
        answer.ended = True

    def _read_chunk(self, chunk: _Chunk, answer: Answer) -> None:
        if chunk.error or chunk.object == "error":
            raise stream_fault(chunk.error or chunk.message)
        answer.id = answer.id or chunk.id or ""
        answer.model = answer.model or chunk.model or ""
        if chunk.usage is not None:
            answer.usage = _read_usage(chunk.usage)
        for choice in chunk.choices or ():
            if not choice.index:
                _read_choice(choice, answer)


def _read_choice(choice: _Choice, answer: Answer) -> None:
    part = choice.delta or choice.message
    if part is not None:
        answer.add_text(_as_text(part.content))
        answer.add_size(len(_as_text(part.reasoning_content)) or len(_as_text(part.reasoning)))
        answer.refusal += part.refusal or ""
        for call in part.tool_calls or ():
            function = call.function or _Function()
            answer.add_call(Fragment(call.index, call.id, function.name, function.arguments))
    answer.finish_reason = choice.finish_reason or answer.finish_reason


def _read_usage(usage: _Usage) -> Usage | None:
    sent, received = read_count(usage.prompt_tokens), read_count(usage.completion_tokens)
    cached = read_count(usage.prompt_tokens_details.cached_tokens) if usage.prompt_tokens_details else 0
    return Usage(sent, received, cached) if sent or received else None


def _as_text(content: object) -> str:
    """Content as text: some servers send a list of parts."""
    if is_list(content):
        return "".join(str(part.get("text") or "") for part in content if is_table(part))
    return content if isinstance(content, str) else ""


def _write_tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _write_messages(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    for group in group_messages(messages):
        yield from map(_write_message, group)
        # A tool can only answer in text here: its pictures follow as the user's.
        images = [url for message in group if message.role == "tool" for url in message.image_urls]
        if images:
            yield {"role": "user", "content": [_write_image(url) for url in images]}


def _write_message(message: Message) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        written["tool_call_id"] = message.tool_call_id or ""
    elif message.image_urls:
        text = [{"type": "text", "text": message.content}] if message.content else []
        written["content"] = [*text, *map(_write_image, message.image_urls)]
    if message.tool_calls:
        written["tool_calls"] = [_write_call(call) for call in message.tool_calls]
        written["content"] = written["content"] or None
    return written


def _write_call(call: ToolCall) -> dict[str, Any]:
    return write_call(call, valid=True)


def _write_image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}
