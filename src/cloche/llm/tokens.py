"""Estimates tokens and costs."""

from collections.abc import Iterable, Sequence

import msgspec

from cloche.config import LLMConfig
from cloche.llm.messages import Message, ToolSpec, Usage

_WEIGHTS = {b"a": 0.32, b"0": 0.65, b".": 0.34, b"\n": 0.27, b"2": 0.4, b"3": 0.94}
"""Tokens of a letter, a digit, a sign, the end of a line, and of a character of two or more bytes.

Fitted to the tokenizers of three models over code, prose, JSON and outputs of commands; docs/llm.md has the errors.
"""

MESSAGE_TOKENS = 5
"""Tokens that separate one message from the next."""

IMAGE_TOKENS = 1200
"""Tokens of a picture; it depends on its size, which is not known here."""


def _class_of(byte: int) -> bytes:
    char = chr(byte)
    if byte < 0x80:
        return b"a" if char.isalpha() else b"0" if char.isdigit() else b"\n" if char == "\n" else _sign(char)
    # The first byte of a character says how many there are; the others count for nothing.
    return b" " if byte < 0xC0 else b"2" if byte < 0xE0 else b"3"


def _sign(char: str) -> bytes:
    return b"." if char.isprintable() and char != " " else b" "


_CLASSES = b"".join(map(_class_of, range(256)))


def estimate_text(text: str) -> int:
    """About how many tokens a text has."""
    classes = text.encode(errors="replace").translate(_CLASSES)
    return round(sum(weight * classes.count(each) for each, weight in _WEIGHTS.items()))


def estimate_tokens(messages: Iterable[Message], tools: Sequence[ToolSpec] = ()) -> int:
    """About how many tokens a request has; docs/llm.md says how far off this may be."""
    return sum(map(_estimate_message, messages)) + sum(
        estimate_text(f"{tool.name}{tool.description}{msgspec.json.encode(tool.parameters).decode()}") for tool in tools
    )


def _estimate_message(message: Message) -> int:
    calls = sum(estimate_text(call.name) + estimate_text(call.arguments) + 8 for call in message.tool_calls)
    return MESSAGE_TOKENS + estimate_text(message.content) + calls + IMAGE_TOKENS * len(message.image_urls)


def estimate_cost(usage: Usage, config: LLMConfig) -> float | None:
    """What a request costs by the prices of the configuration; None if it has none."""
    price, output = config.input_cost_per_token, config.output_cost_per_token
    cached = config.cached_input_cost_per_token
    if price is None and output is None and cached is None:
        return None
    held = min(usage.cached_tokens, usage.input_tokens)
    sent = (usage.input_tokens - held) * (price or 0.0) + held * (cached if cached is not None else price or 0.0)
    return sent + usage.output_tokens * (output or 0.0)
