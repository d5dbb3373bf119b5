"""Asking for a whole answer."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from cloche.errors import LLMBadReply, LLMUnavailable
from cloche.llm import LLM, Delta, Message, Reply, ToolSpec, ask


class Said(LLM):
    """A model that gives these pieces."""

    model = "said"

    def __init__(self, *deltas: Delta) -> None:
        self.left = list(deltas)
        self.closed = False

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> AsyncGenerator[Delta]:
        try:
            while self.left:
                yield self.left.pop(0)
        finally:
            self.closed = True

    async def close(self) -> None:
        self.left = []


END = Delta(reply=Reply(text="ab"))


async def test_the_text_is_heard_while_it_is_written() -> None:
    heard: list[str] = []
    reply = await ask(Said(Delta("a"), Delta("b"), END), [], on_text=heard.append)
    assert (heard, reply.text) == (["a", "b"], "ab")


async def test_a_restart_is_told_to_whoever_can_take_it() -> None:
    heard: list[str] = []
    said = Said(Delta("x"), Delta(restart="it broke"), Delta("ab"), END)
    await ask(said, [], on_text=heard.append, on_restart=lambda why: heard.append(f"<{why}>"))
    assert heard == ["x", "<it broke>", "ab"]


async def test_a_restart_ends_what_cannot_be_taken_back() -> None:
    said = Said(Delta("x"), Delta(restart="it broke"), END)
    with pytest.raises(LLMUnavailable, match="after part of it was shown: it broke"):
        await ask(said, [], on_text=lambda _: None)
    assert said.closed
    assert said.left == [END]


async def test_a_restart_does_not_matter_to_whoever_has_heard_nothing() -> None:
    assert (await ask(Said(Delta("x"), Delta(restart="it broke"), END), [])).text == "ab"
    assert (await ask(Said(Delta(restart="it broke"), END), [], on_text=lambda _: None)).text == "ab"


async def test_a_stream_without_a_reply_is_an_error() -> None:
    with pytest.raises(LLMBadReply, match="said: the stream ended without a reply"):
        await ask(Said(Delta("x")), [])
