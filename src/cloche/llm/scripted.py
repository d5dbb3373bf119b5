"""A model that says what it is told to: for tests and demonstrations."""

import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence

from anyio.lowlevel import checkpoint
from msgspec import Struct, structs

from cloche.errors import LLMRecordingEnded
from cloche.llm.messages import Delta, Message, Reply, ToolCall, ToolSpec, Usage
from cloche.llm.model import LLM
from cloche.llm.tokens import estimate_text, estimate_tokens

Turn = Reply | str | ToolCall | Sequence[ToolCall] | Exception
"""One answer: a reply, its text, its tool calls; or what is raised instead."""

Script = Iterable[Turn] | Callable[[Sequence[Message], Sequence[ToolSpec]], Turn]

_WORD = re.compile(r"\S*\s*")


class Asked(Struct, frozen=True):
    """What a scripted model was asked."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]


class ScriptedLLM(LLM):
    """Gives the answers of a script one after the other, or those of a function; `asked` has all requests."""

    def __init__(self, script: Script, *, model: str = "scripted") -> None:
        self.model = model
        self.asked: list[Asked] = []
        self._answer = script if callable(script) else None
        self._turns: Iterator[Turn] = iter(()) if callable(script) else iter(script)

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> AsyncGenerator[Delta]:
        await checkpoint()
        self.asked.append(Asked(tuple(messages), tuple(tools)))
        turn = self._next_turn(messages, tools)
        if isinstance(turn, Exception):
            raise turn
        reply = complete_reply(as_reply(turn), messages, tools, self.model)
        for word in _WORD.findall(reply.text):
            if word:
                yield Delta(word)
                await checkpoint()
        yield Delta(reply=reply)

    async def close(self) -> None:
        await checkpoint()

    def _next_turn(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Turn:
        if self._answer is not None:
            return self._answer(messages, tools)
        for turn in self._turns:
            return turn
        raise LLMRecordingEnded(f"{self.model} has no more answers: {len(self.asked) - 1} were given. {self._advice}")

    _advice = "Add answers to the script"


def as_reply(turn: Reply | str | ToolCall | Sequence[ToolCall]) -> Reply:
    """A turn of a script as a reply."""
    if isinstance(turn, Reply):
        return turn
    if isinstance(turn, str):
        return Reply(text=turn)
    calls = (turn,) if isinstance(turn, ToolCall) else tuple(turn)
    return Reply(tool_calls=calls, finish_reason="tool_calls")


def complete_reply(reply: Reply, messages: Sequence[Message], tools: Sequence[ToolSpec], model: str) -> Reply:
    """The reply with a model, and an estimate of its tokens where it has none."""
    usage = reply.usage
    if not usage.input_tokens and not usage.output_tokens:
        written = reply.text + "".join(call.arguments for call in reply.tool_calls)
        usage = Usage(estimate_tokens(messages, tools), estimate_text(written), estimated=True)
    return structs.replace(reply, usage=usage, model=reply.model or model)
