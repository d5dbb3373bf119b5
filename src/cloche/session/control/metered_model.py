"""A model that counts what it takes."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from cloche.llm import LLM, Delta, Message, ToolSpec
from cloche.session.control.budget import Spending


class MeteredModel(LLM):
    """Passes everything on, and adds tokens and cost of each answer to a session's spending."""

    def __init__(self, llm: LLM, spending: Spending) -> None:
        self.model = llm.model
        self._llm = llm
        self._spending = spending

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> AsyncGenerator[Delta]:
        async with aclosing(self._llm.stream(messages, tools)) as deltas:
            async for delta in deltas:
                if delta.reply is not None:
                    self._spending.add(delta.reply.usage, delta.reply.cost)
                yield delta

    async def close(self) -> None:
        await self._llm.close()
