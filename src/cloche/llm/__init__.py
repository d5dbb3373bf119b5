"""Language models: one protocol, clients for the APIs of OpenAI and Anthropic, recordings and scripts."""

from cloche.llm.messages import Delta, Message, Reply, ToolCall, ToolSpec, Usage
from cloche.llm.model import LLM, ask
from cloche.llm.opening import open_llm
from cloche.llm.recording import read_reply, record_reply
from cloche.llm.retries import Retry
from cloche.llm.scripted import ScriptedLLM
from cloche.llm.tokens import estimate_cost, estimate_text, estimate_tokens

__all__ = [
    "LLM",
    "Delta",
    "Message",
    "Reply",
    "Retry",
    "ScriptedLLM",
    "ToolCall",
    "ToolSpec",
    "Usage",
    "ask",
    "estimate_cost",
    "estimate_text",
    "estimate_tokens",
    "open_llm",
    "read_reply",
    "record_reply",
]
