"""What a model is to the rest of Cloche, and how to ask it."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Protocol, Self

from cloche.errors import LLMBadReply, LLMUnavailable
from cloche.llm.messages import Delta, Message, Reply, ToolSpec


class LLM(Protocol):
    """A language model. Inherit from this to use it in `async with`."""

    model: str
    """Its name."""

    def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> AsyncGenerator[Delta]:
        """The answer, piece by piece; the last piece has all of it. Raises an LLMError if there is none.

        Closing the generator, or cancelling its reader, ends the request at once.
        """
        ...

    async def close(self) -> None:
        """Release its connections; it answers no more."""
        ...

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()


async def ask(
    llm: LLM,
    messages: Sequence[Message],
    tools: Sequence[ToolSpec] = (),
    *,
    on_text: Callable[[str], None] | None = None,
    on_restart: Callable[[str], None] | None = None,
) -> Reply:
    """The whole answer of a model; `on_text` gets its text while it is written.

    An answer that breaks off is asked for again. If `on_text` has had text of it by then, `on_restart` is told why, and
    that this text is void; without `on_restart` it raises LLMUnavailable instead.
    """
    heard = False
    async with aclosing(llm.stream(messages, tools)) as stream:
        async for delta in stream:
            if delta.restart and heard:
                _begin_again(llm, delta.restart, on_restart)
                heard = False
            if delta.text and on_text:
                on_text(delta.text)
                heard = True
            if delta.reply is not None:
                return delta.reply
    raise LLMBadReply(f"{llm.model}: the stream ended without a reply. Its `stream` must end with a Delta that has one")


def _begin_again(llm: LLM, why: str, on_restart: Callable[[str], None] | None) -> None:
    if on_restart is None:
        raise LLMUnavailable(f"{llm.model}: the answer broke off after part of it was shown: {why}")
    on_restart(why)
