"""Collects an answer while it arrives."""

from cloche.limits import LLM_ANSWER_LIMIT
from cloche.llm.faults import AnswerCutOff, AnswerTooLarge
from cloche.llm.messages import Reply, Usage
from cloche.llm.tool_calls import Fragment, ToolCallCollector

_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
"""One word for what servers call differently."""


class Answer:
    """What has arrived of an answer so far."""

    def __init__(self) -> None:
        self.id = ""
        self.model = ""
        self.finish_reason = ""
        self.refusal = ""
        """Why the model refuses, in its own words."""
        self.usage: Usage | None = None
        self.ended = False
        """Whether the server has said that this is all."""
        self.size = 0
        """Characters of all that the model has written, its thoughts included."""
        self._texts: list[str] = []
        self._unread = 0
        self._calls = ToolCallCollector()

    def add_text(self, text: str) -> None:
        """Add text that is meant to be read."""
        if text:
            self._texts.append(text)
            self.add_size(len(text))

    def add_call(self, piece: Fragment) -> None:
        """Add a tool call, or a piece of one."""
        self.add_size(self._calls.add(piece) + 1)

    def add_size(self, size: int) -> None:
        """Note that the model has written something: raises AnswerTooLarge if it is too much."""
        self.size += size
        if self.size > LLM_ANSWER_LIMIT:
            raise AnswerTooLarge(f"it is longer than {LLM_ANSWER_LIMIT:,} characters")

    def take_text(self) -> str:
        """The text that has been added since the last time."""
        fresh = "".join(self._texts[self._unread :])
        self._unread = len(self._texts)
        return fresh

    def finish(self) -> Reply:
        """The whole answer; raises AnswerCutOff if it is not whole."""
        calls = self._calls.finish()
        if not self.ended and not self.finish_reason:
            begun = "broke off before its end" if self.size else "is empty"
            raise AnswerCutOff(f"it {begun}")
        counted = self.usage and self.usage.input_tokens + self.usage.output_tokens
        reason = _REASONS.get(self.finish_reason, self.finish_reason) or "stop"
        return Reply(
            text="".join(self._texts),
            tool_calls=calls,
            usage=self.usage if self.usage and counted else Usage(estimated=True),
            finish_reason="tool_calls" if calls and reason == "stop" else reason,
            model=self.model,
            id=self.id,
        )
