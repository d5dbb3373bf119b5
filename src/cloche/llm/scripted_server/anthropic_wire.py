"""Answers of Anthropic's Messages API."""

from collections.abc import Iterator
from typing import Any

from cloche.llm.messages import ToolCall, Usage
from cloche.llm.scripted_server.turns import ServerTurn, split_text
from cloche.llm.scripted_server.wire import Wire, write_event
from cloche.llm.tool_calls import read_arguments

ID = "msg_scripted"
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class AnthropicWire(Wire):
    """The Messages API."""

    ping = write_event({"type": "ping"}, "ping")

    def write_stream(self, turn: ServerTurn, model: str) -> Iterator[bytes]:
        usage = turn.usage or Usage()
        head = _write_message([], None, _write_usage(_at_the_start(usage)), model)
        yield _event("message_start", message=head)
        if turn.text:
            yield from _write_block(0, {"type": "text", "text": ""}, _text_pieces(turn))
        for index, call in enumerate(turn.tool_calls, 1 if turn.text else 0):
            block: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            yield from _write_block(index, block, _call_pieces(call, turn))
        delta = {"stop_reason": _reason(turn), "stop_sequence": None}
        yield _event("message_delta", delta=delta, usage={"output_tokens": usage.output_tokens})
        yield _event("message_stop")

    def write_text(self, text: str) -> bytes:
        return _event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def write_document(self, turn: ServerTurn, model: str) -> dict[str, Any]:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": read_arguments(call.arguments)}
            for call in turn.tool_calls
        ]
        return _write_message(blocks, _reason(turn), _write_usage(turn.usage or Usage()), model)

    def write_error(self, turn: ServerTurn) -> dict[str, Any]:
        kind = turn.kind or _KINDS.get(turn.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": turn.error}, "request_id": "req_scripted"}

    def write_error_event(self, turn: ServerTurn) -> bytes:
        return write_event(self.write_error(turn), "error")

    def has_key(self, headers: dict[str, str], key: str) -> bool:
        # Newer clients send it as a bearer token.
        return headers.get("x-api-key", headers.get("authorization", "").removeprefix("Bearer ")) == key


def _event(kind: str, **fields: object) -> bytes:
    return write_event({"type": kind, **fields}, kind)


def _write_block(index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[bytes]:
    yield _event("content_block_start", index=index, content_block=block)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _text_pieces(turn: ServerTurn) -> list[dict[str, Any]]:
    return [{"type": "text_delta", "text": text} for text in split_text(turn.text, turn.piece)]


def _call_pieces(call: ToolCall, turn: ServerTurn) -> list[dict[str, Any]]:
    texts = split_text(call.arguments, turn.piece) if turn.calls == "pieces" else [call.arguments]
    return [{"type": "input_json_delta", "partial_json": text} for text in texts]


def _reason(turn: ServerTurn) -> str:
    return turn.finish_reason or ("tool_use" if turn.tool_calls else "end_turn")


def _write_message(blocks: list[dict[str, Any]], reason: str | None, usage: object, model: str) -> dict[str, Any]:
    head = {"id": ID, "type": "message", "role": "assistant", "model": model, "content": blocks}
    return {**head, "stop_reason": reason, "stop_sequence": None, "usage": usage}


def _at_the_start(usage: Usage) -> Usage:
    """The tokens that are known when an answer begins."""
    return Usage(usage.input_tokens, 0, usage.cached_tokens)


def _write_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens - usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "cache_creation_input_tokens": 0,
    }
