"""The Messages API of Anthropic."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from cloche.limits import LLM_OUTPUT_TOKENS
from cloche.llm.answer import Answer
from cloche.llm.event_stream import ServerEvent
from cloche.llm.faults import AnswerFault, stream_fault
from cloche.llm.messages import Message, ToolSpec, Usage
from cloche.llm.model_api import ModelAPI, decode_json, group_messages, split_image
from cloche.llm.recording import read_count
from cloche.llm.tool_calls import Fragment, read_arguments

BASE_URL = "https://api.anthropic.com"
PATH = "/v1/messages"
VERSION = "2023-06-01"
CACHED = {"cache_control": {"type": "ephemeral"}}
"""Asks the server to keep what is before this, for the next request."""
EMPTY = "(empty)"
"""In place of a message without text, which the API refuses."""

Block = dict[str, Any]


class _Usage(Struct):
    input_tokens: float | None = None
    output_tokens: float | None = None
    cache_read_input_tokens: float | None = None
    cache_creation_input_tokens: float | None = None


class _Block(Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None


class _Delta(Struct):
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Message(Struct):
    id: str | None = None
    model: str | None = None
    type: str | None = None
    content: list[_Block] | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None
    error: Any = None


class _Event(Struct):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    block: _Block | None = field(name="content_block", default=None)
    delta: _Delta | None = None
    usage: _Usage | None = None
    error: Any = None


class AnthropicMessages(ModelAPI):
    """Messages with tools, pictures and prompts that the server caches."""

    def write_request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.config.max_output_tokens or LLM_OUTPUT_TOKENS,
            "messages": _write_turns([each for each in messages if each.role != "system"]),
            "stream": True,
        }
        system = "\n\n".join(each.content for each in messages if each.role == "system" and each.content)
        if system:
            body["system"] = [{"type": "text", "text": system, **CACHED}]
        if tools:
            body["tools"] = [_write_tool(tool) for tool in tools]
        if self.config.temperature is not None:
            # Here it ends at 1.
            body["temperature"] = min(self.config.temperature, 1.0)
        return body

    def read_event(self, event: ServerEvent, answer: Answer) -> None:
        found = decode_json(event.data, _Event)
        match found.type or event.name:
            case "error":
                raise stream_fault(found.error)
            case "message_start":
                _read_head(found.message or _Message(), answer)
            case "content_block_start":
                _read_block(found.index, found.block or _Block(), answer)
            case "content_block_delta":
                _read_piece(found.index, found.delta or _Delta(), answer)
            case "message_delta":
                answer.finish_reason = (found.delta and found.delta.stop_reason) or answer.finish_reason
                _read_usage(found.usage, answer)
            case "message_stop":
                answer.ended = True
            case _:
                # Pings, and what later versions of the API add.
                pass

    def read_document(self, data: bytes, answer: Answer) -> None:
        found = decode_json(data, _Message)
        if found.error or found.type == "error":
            raise stream_fault(found.error)
        if found.content is None:
            raise AnswerFault("it has no content: this is no answer of the Messages API")
        _read_head(found, answer)
        for index, block in enumerate(found.content):
            _read_block(index, block, answer)
        answer.finish_reason = found.stop_reason or ""
        answer.ended = True


def _read_head(message: _Message, answer: Answer) -> None:
    answer.id = message.id or ""
    answer.model = message.model or ""
    _read_usage(message.usage, answer)


def _read_block(index: int, block: _Block, answer: Answer) -> None:
    answer.add_text(block.text or "")
    answer.add_size(len(block.thinking or ""))
    if block.type == "tool_use":
        # In a stream it is empty at first, and follows in pieces.
        answer.add_call(Fragment(index, block.id, block.name, block.input or None))


def _read_piece(index: int, delta: _Delta, answer: Answer) -> None:
    answer.add_text(delta.text or "")
    answer.add_size(len(delta.thinking or ""))
    if delta.partial_json:
        answer.add_call(Fragment(index, arguments=delta.partial_json))


def _read_usage(usage: _Usage | None, answer: Answer) -> None:
    """The start of a stream has the tokens that were sent, its end those that were received, or both."""
    if usage is None:
        return
    before = answer.usage or Usage()
    read = read_count(usage.cache_read_input_tokens)
    sent = read_count(usage.input_tokens) + read + read_count(usage.cache_creation_input_tokens)
    answer.usage = Usage(
        input_tokens=sent or before.input_tokens,
        output_tokens=read_count(usage.output_tokens) or before.output_tokens,
        cached_tokens=read or before.cached_tokens,
    )


def _write_tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _write_turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as turns of user and assistant; the last block is marked to be cached."""
    turns: list[dict[str, Any]] = []
    for group in group_messages(messages):
        role = "assistant" if group[0].role == "assistant" else "user"
        blocks = [block for message in group for block in _write_blocks(message)]
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        turn["content"] = turn["content"] or [_write_text(EMPTY)]
    if turns:
        turns[-1]["content"][-1] |= CACHED
    return turns


def _write_blocks(message: Message) -> Iterable[Block]:
    if message.role == "tool":
        contents = list(_write_contents(message))
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": contents}]
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": read_arguments(call.arguments)}
        for call in message.tool_calls
    ]
    return [*_write_contents(message), *calls]


def _write_contents(message: Message) -> Iterator[Block]:
    # Blank text is refused, and so is white space at the end of the assistant's last message.
    text = message.content.rstrip() if message.role == "assistant" else message.content
    if text.strip():
        yield _write_text(text)
    yield from map(_write_image, message.image_urls)


def _write_text(text: str) -> Block:
    return {"type": "text", "text": text}


def _write_image(url: str) -> Block:
    inline = split_image(url)
    if inline is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    return {"type": "image", "source": {"type": "base64", "media_type": inline[0], "data": inline[1]}}
