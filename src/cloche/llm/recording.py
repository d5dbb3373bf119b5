"""Replies as they are recorded: in the form of OpenAI's API, as OpenHands keeps them with its actions."""

from typing import Any

import msgspec
from msgspec import structs

from cloche.config.plain_values import is_list, is_table
from cloche.llm.messages import Reply, ToolCall, Usage
from cloche.llm.tool_calls import Fragment, ToolCallCollector, read_arguments


def write_call(call: ToolCall, *, valid: bool = False) -> dict[str, Any]:
    """A tool call in the form of OpenAI's API; `valid` replaces arguments that are no JSON object."""
    arguments = msgspec.json.encode(read_arguments(call.arguments)).decode() if valid else call.arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def record_reply(reply: Reply) -> dict[str, Any]:
    """A reply as the `model_response` of an event's `tool_call_metadata`."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        message["tool_calls"] = [write_call(call) for call in reply.tool_calls]
    usage = reply.usage
    return {
        "id": reply.id,
        "object": "chat.completion",
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
        "usage": {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.input_tokens + usage.output_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        },
    }


def record_call(reply: Reply, call: ToolCall) -> dict[str, Any]:
    """The same for a later action of a reply: of the other calls only their names, or many calls would be large."""
    others = tuple(each if each is call else ToolCall(each.id, each.name, "") for each in reply.tool_calls)
    return record_reply(structs.replace(reply, text="", tool_calls=others))


def reply_key(response: dict[str, Any]) -> str:
    """Tells recorded replies apart, whichever of a reply's actions has recorded it."""
    choices = response.get("choices")
    choice: Any = choices[0] if is_list(choices) and choices else None
    message: Any = choice.get("message") if is_table(choice) else None
    calls = message.get("tool_calls") if is_table(message) else None
    if not is_list(calls):
        return repr(response)
    return repr([response.get("id"), *(call.get("id") if is_table(call) else None for call in calls)])


def read_reply(found: dict[str, Any]) -> Reply:
    """A recorded reply: an answer of OpenAI's API, its message alone, or the fields of a Reply.

    Raises ValueError if it is none of these.
    """
    choices = found.get("choices")
    if not is_list(choices):
        return _read_message(found, found)
    choice: Any = choices[0] if choices else None
    message = choice.get("message") if is_table(choice) else None
    if not is_table(choice) or not is_table(message):
        raise ValueError("it has no message in its first choice")
    return _read_message(message, {**found, **choice})


def _read_message(message: dict[str, Any], around: dict[str, Any]) -> Reply:
    if not message.keys() & {"content", "text", "tool_calls"}:
        raise ValueError("it has neither `choices` nor `content` nor `tool_calls`")
    calls = _read_calls(message.get("tool_calls"))
    return Reply(
        text=_read_text(message.get("content") or message.get("text")),
        tool_calls=calls,
        usage=_read_usage(around.get("usage")),
        finish_reason=str(around.get("finish_reason") or ("tool_calls" if calls else "stop")),
        model=str(around.get("model") or ""),
        id=str(around.get("id") or ""),
    )


def _read_calls(found: object) -> tuple[ToolCall, ...]:
    collector = ToolCallCollector()
    for index, call in enumerate(found if is_list(found) else ()):
        function: Any = call.get("function", call) if is_table(call) else None
        if not is_table(call) or not is_table(function):
            raise ValueError("one of its tool calls is no table")
        fragment = Fragment(index, str(call.get("id") or ""), str(function.get("name") or ""))
        collector.add(structs.replace(fragment, arguments=function.get("arguments")))
    return collector.finish()


def _read_text(content: object) -> str:
    if is_list(content):
        return "".join(str(part.get("text") or "") for part in content if is_table(part))
    return str(content or "")


def _read_usage(found: object) -> Usage:
    if not is_table(found):
        return Usage()
    details = found.get("prompt_tokens_details")
    cached: object = details.get("cached_tokens") if is_table(details) else 0
    return Usage(read_count(found.get("prompt_tokens")), read_count(found.get("completion_tokens")), read_count(cached))


def read_count(value: object) -> int:
    """A number of tokens, whatever a server says."""
    return int(value) if isinstance(value, int | float) and 0 < value < 1e15 else 0
