"""Answers of OpenAI's API for chats."""

from collections.abc import Iterator
from typing import Any

from cloche.llm.messages import ToolCall, Usage
from cloche.llm.recording import write_call
from cloche.llm.scripted_server.turns import ServerTurn, split_text
from cloche.llm.scripted_server.wire import Wire, write_event

ID = "chatcmpl-scripted"


class OpenAIWire(Wire):
    """Chat completions."""

    ping = b": keep-alive\n\n"

    def write_stream(self, turn: ServerTurn, model: str) -> Iterator[bytes]:
        def write(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
            return write_event({**_head(model, "chat.completion.chunk"), "choices": [choice]})

        yield write({"role": "assistant", "content": ""})
        for text in split_text(turn.text, turn.piece):
            yield write({"content": text})
        for index, call in enumerate(turn.tool_calls):
            for piece in _split_call(index, call, turn):
                yield write({"tool_calls": [piece]})
        yield write({}, _reason(turn))
        if turn.usage is not None:
            usage = _write_usage(turn.usage)
            yield write_event({**_head(model, "chat.completion.chunk"), "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def write_text(self, text: str) -> bytes:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        return write_event({**_head("", "chat.completion.chunk"), "choices": [choice]})

    def write_document(self, turn: ServerTurn, model: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": turn.text or None, "refusal": None}
        if turn.tool_calls:
            message["tool_calls"] = [write_call(call) for call in turn.tool_calls]
        choice = {"index": 0, "message": message, "finish_reason": _reason(turn), "logprobs": None}
        usage = {"usage": _write_usage(turn.usage)} if turn.usage else {}
        return {**_head(model, "chat.completion"), "choices": [choice], **usage}

    def write_error(self, turn: ServerTurn) -> dict[str, Any]:
        kind = turn.kind or ("invalid_request_error" if turn.status < 500 else "server_error")
        return {"error": {"message": turn.error, "type": kind, "param": None, "code": turn.kind or None}}

    def write_error_event(self, turn: ServerTurn) -> bytes:
        return write_event(self.write_error(turn))

    def has_key(self, headers: dict[str, str], key: str) -> bool:
        return headers.get("authorization") == f"Bearer {key}"


def _head(model: str, kind: str) -> dict[str, Any]:
    return {"id": ID, "object": kind, "created": 1_700_000_000, "model": model}


def _reason(turn: ServerTurn) -> str:
    return turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")


def _split_call(index: int, call: ToolCall, turn: ServerTurn) -> Iterator[dict[str, Any]]:
    whole = write_call(call)
    if turn.calls == "bare":
        yield {"function": whole["function"]}
    elif turn.calls == "whole":
        yield {"index": index, **whole}
    else:
        yield {"index": index, **whole, "function": {"name": call.name, "arguments": ""}}
        for text in split_text(call.arguments, turn.piece):
            yield {"index": index, "function": {"arguments": text}}


def _write_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
