"""Asks a scripted server with the official clients; run by a Python that has them: `official_clients.py ORIGIN`."""

import json
import sys
from importlib import import_module
from typing import Any

# They are not installed where this file is checked.
openai: Any = import_module("openai")
anthropic: Any = import_module("anthropic")

MESSAGES = [{"role": "user", "content": "Hello?"}]
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
OPENAI_TOOLS = [{"type": "function", "function": {"name": "bash", "description": "Runs.", "parameters": SCHEMA}}]
ANTHROPIC_TOOLS = [{"name": "bash", "description": "Runs.", "input_schema": SCHEMA}]


def read_openai(message: Any, usage: Any, reason: str) -> list[Any]:
    """What matters of an answer."""
    calls = [[call.id, call.function.name, json.loads(call.function.arguments)] for call in message.tool_calls or ()]
    cached = usage.prompt_tokens_details.cached_tokens
    return [message.content or "", calls, reason, [usage.prompt_tokens, usage.completion_tokens, cached]]


def ask_openai(origin: str) -> list[Any]:
    """Whole and in a stream; then an error."""
    client = openai.OpenAI(base_url=f"{origin}/v1", api_key="k", max_retries=0)
    options: dict[str, Any] = {"model": "m", "messages": MESSAGES, "tools": OPENAI_TOOLS}
    whole = client.chat.completions.create(**options)
    found = [read_openai(whole.choices[0].message, whole.usage, whole.choices[0].finish_reason)]
    with client.chat.completions.stream(**options, stream_options={"include_usage": True}) as stream:
        texts = "".join(event.delta for event in stream if event.type == "content.delta")
        last = stream.get_final_completion()
    found.append(read_openai(last.choices[0].message, last.usage, last.choices[0].finish_reason))
    assert texts == (last.choices[0].message.content or "")
    return [*found, fail(lambda: client.chat.completions.create(**options)), client.models.list().data[0].id]


def read_anthropic(message: Any) -> list[Any]:
    """What matters of an answer."""
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [[block.id, block.name, block.input] for block in message.content if block.type == "tool_use"]
    usage = message.usage
    counts = [usage.input_tokens + usage.cache_read_input_tokens, usage.output_tokens, usage.cache_read_input_tokens]
    return [text, calls, message.stop_reason, counts]


def ask_anthropic(origin: str) -> list[Any]:
    """Whole and in a stream; then an error."""
    client = anthropic.Anthropic(base_url=origin, api_key="k", max_retries=0)
    options: dict[str, Any] = {"model": "m", "messages": MESSAGES, "tools": ANTHROPIC_TOOLS, "max_tokens": 9}
    found = [read_anthropic(client.messages.create(**options))]
    with client.messages.stream(**options) as stream:
        texts = "".join(stream.text_stream)
        found.append(read_anthropic(stream.get_final_message()))
    assert texts == found[-1][0]
    return [*found, fail(lambda: client.messages.create(**options)), client.models.list().data[0].id]


def fail(act: Any) -> list[Any]:
    """The kind and the words of an error."""
    try:
        act()
    except (openai.APIStatusError, anthropic.APIStatusError) as error:
        return [
            type(error).__name__,
            error.status_code,
            "slow down" in str(error),
            error.response.headers["retry-after"],
        ]
    return ["no error"]


if __name__ == "__main__":
    json.dump({"openai": ask_openai(sys.argv[1]), "anthropic": ask_anthropic(sys.argv[1])}, sys.stdout)
