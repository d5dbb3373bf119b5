"""The conversation of a session as a model takes it, made from its events and kept within the model's window."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct, structs

from cloche.events import (
    AgentDelegateAction,
    AgentFinishAction,
    AgentThinkAction,
    CmdOutputObservation,
    ErrorObservation,
    Event,
    IPythonRunCellAction,
    MessageAction,
    NullObservation,
    Observation,
    RunCodeObservation,
    TaskTrackingAction,
    UploadAction,
    is_action,
    is_observation,
)
from cloche.llm import Message, estimate_tokens, read_reply
from cloche.llm.recording import reply_key

WINDOW = 100_000
"""Tokens of a conversation, if the configuration does not know the model's window."""
ROOM = 0.7
"""What is left of the window after old parts were folded: not every step has to fold."""
KEPT_WHOLE = 6
"""The latest turns, whose observations are folded only if the others are gone and there is still no room."""
FOLDED = 400
"""Characters that stay of a folded text."""
CUT = "\n[... {} characters are left out here ...]\n"
_CUT = re.compile(CUT.translate({ord(char): f"\\{char}" for char in ".[]"}).format(r"(\d+)"))
INTERRUPTED = "[there is no result: it was interrupted before it was executed]"
LEFT_OUT = "[{} earlier steps are left out here.]"


class Turn(Struct):
    """What belongs together: a message of the user, or an answer of the model with what came of its tool calls."""

    start: int
    """The id of its first event."""
    first: Message
    answers: dict[str, Message] = {}
    """By the id of the tool call."""
    more: list[Message] = []
    key: str = ""
    """Which answer of the model it is."""
    tokens: int = 0
    folded: bool = False

    def list_messages(self) -> Iterator[Message]:
        """The messages in the order in which models want them."""
        yield self.first
        for call in self.first.tool_calls:
            yield self.answers.get(call.id) or Message("tool", INTERRUPTED, tool_call_id=call.id)
        yield from self.more

    def count(self) -> int:
        """Estimate its tokens anew."""
        self.tokens = estimate_tokens(list(self.list_messages()))
        return self.tokens

    def shorten(self, size: int) -> None:
        """Keep so many characters of each result."""
        self.answers = {id: _shorten(message, size) for id, message in self.answers.items()}
        self.more = [_shorten(message, size) for message in self.more]
        self.folded = size <= FOLDED


class History:
    """Takes events in order; the task and the latest turns stay, older ones are folded, then left out."""

    def __init__(self, window: int = WINDOW) -> None:
        self.task = ""
        """What the user said last."""
        self.task_id = -1
        """The event in which that was."""
        self._task_turn: Turn | None = None
        self._window = window
        self._turns: list[Turn] = []
        self._left_out = 0
        self._tokens = 0
        self._of_action: dict[int | None, Turn] = {}

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation."""
        messages: list[Message] = []
        for number, turn in enumerate(self._turns):
            messages.extend(turn.list_messages())
            if number == 0 and self._left_out:
                messages.append(Message("user", LEFT_OUT.format(self._left_out)))
        return tuple(messages)

    @property
    def has_more_than_task(self) -> bool:
        """Whether anything has come after what the user said last."""
        return any(turn.start > self.task_id for turn in self._turns)

    def add(self, event: Event) -> None:
        """Take in the next event."""
        body = event.body
        if is_observation(body):
            self._add_observation(event, body)
        elif is_action(body):
            self._add_action(event)
        if self._tokens > self._window:
            self.shrink(self._window)

    def shrink(self, window: int | None = None) -> bool:
        """Make room; False if nothing more can go. Without a window it is not known, and half of this is too much."""
        before = self._tokens
        if window is None:
            window = self._window = before // 2
        target = int(window * ROOM)
        for turn in self._turns[:-KEPT_WHOLE]:
            if self._tokens > target:
                self._fold(turn)
        self._drop_old(target, KEPT_WHOLE)
        for turn in self._turns[:-1]:
            if self._tokens > window:
                self._fold(turn)
        self._drop_old(window, 1)
        self._shorten_last(window)
        return self._tokens < before

    def _drop_old(self, target: int, kept: int) -> None:
        """Leave out the oldest turns; the first one, the task and the latest stay."""
        for turn in self._turns[1:-kept]:
            if self._tokens <= target:
                break
            if turn is not self._task_turn:
                self._turns.remove(turn)
                self._tokens -= turn.tokens
                self._left_out += 1

    def _shorten_last(self, limit: int) -> None:
        """Shorten the latest results until there is room, if there can be."""
        turn = self._turns[-1] if self._turns else None
        if turn is None or turn is self._task_turn:
            return
        size = max((len(each.content) for each in (*turn.answers.values(), *turn.more)), default=0)
        while self._tokens > limit and size > FOLDED:
            size = max(size // 2, FOLDED)
            self._change(turn, partial(turn.shorten, size))

    def _fold(self, turn: Turn) -> None:
        if not turn.folded:
            self._change(turn, partial(turn.shorten, FOLDED))

    def forget(self, start: int) -> None:
        """Go back to before this event."""
        for turn in [each for each in self._turns if each.start >= start]:
            self._tokens -= turn.tokens
            self._turns.remove(turn)
        self._of_action = {id: turn for id, turn in self._of_action.items() if turn in self._turns}

    def _add_action(self, event: Event) -> None:
        body = event.body
        metadata = event.tool_call_metadata or {}
        if isinstance(body, MessageAction) and event.source == "user":
            self.task, self.task_id = body.content, event.id or 0
            said = Message("user", body.content, image_urls=tuple(body.image_urls or ()))
            self._task_turn = self._begin(event, said)
            return
        turn = None
        if metadata:
            turn = self._find_turn(event, metadata)
        elif event.source == "agent" and (text := _describe_own(event)):
            turn = self._begin(event, Message("assistant", text))
        elif isinstance(body, UploadAction):
            turn = self._begin(event, Message("user", f"[from the user] {event.message}"))
        elif event.source == "user" and getattr(body, "runnable", False):
            turn = self._begin(event, Message("user", f"[the user ran this] {event.message}"))
        if turn is not None and gets_answer(body):
            self._of_action[event.id] = turn

    def _add_observation(self, event: Event, body: Observation) -> None:
        if isinstance(body, NullObservation):
            return
        metadata = event.tool_call_metadata or {}
        turn = self._of_action.pop(event.cause, None) if event.cause is not None else None
        if turn is None and metadata:
            turn = self._find_turn(event, metadata)
        if turn is None:
            return
        text, pictures = describe_observation(body)
        call = str(metadata.get("tool_call_id") or "")

        def take() -> None:
            if call:
                turn.answers[call] = Message("tool", text, tool_call_id=call)
            else:
                turn.more.append(Message("user", text))
            if pictures:
                turn.more.append(Message("user", "[the pictures of this result]", image_urls=pictures))
            turn.folded = False

        self._change(turn, take)

    def _find_turn(self, event: Event, metadata: dict[str, Any]) -> Turn:
        """The turn of the model's answer that an event belongs to."""
        response: dict[str, Any] = metadata.get("model_response") or {}
        key = reply_key(response)
        for turn in reversed(self._turns[-KEPT_WHOLE:]):
            if turn.key == key:
                return turn
        return self._begin(event, read_reply(response).message, key)

    def _begin(self, event: Event, first: Message, key: str = "") -> Turn:
        turn = Turn(event.id or 0, first, {}, [], key)
        self._turns.append(turn)
        self._tokens += turn.count()
        return turn

    def _change(self, turn: Turn, change: Callable[[], None]) -> None:
        before = turn.tokens
        change()
        self._tokens += turn.count() - before


def describe_observation(body: Observation) -> tuple[str, tuple[str, ...]]:
    """An observation as a model reads it: its text, and its pictures."""
    text = body.content
    if isinstance(body, CmdOutputObservation):
        text = f"{body.metadata.prefix}{text}{body.metadata.suffix}".rstrip()
        if body.exit_code not in (-1, 0) and not body.metadata.suffix:
            text += f"\n[exit code {body.exit_code}]"
    elif isinstance(body, RunCodeObservation) and body.error is not None:
        text = f"{text}\n{body.error.get('traceback') or body.error.get('message') or ''}".strip()
    elif isinstance(body, ErrorObservation):
        text = f"ERROR: {text}"
    return text or "[no output]", tuple(getattr(body, "image_urls", None) or ())


def _describe_own(event: Event) -> str:
    """An action of an agent that calls no tools, in its own words."""
    match event.body:
        case MessageAction(content=text):
            return text
        case AgentFinishAction(final_thought=text):
            return text
        case IPythonRunCellAction(code=code, thought=thought):
            return f"{thought}\n```python\n{code.rstrip()}\n```".strip()
        case body:
            return str(event.message or "") if getattr(body, "runnable", False) else ""


def gets_answer(body: object) -> bool:
    """Whether an action of the agent is answered by an observation."""
    if isinstance(body, AgentThinkAction | TaskTrackingAction | AgentDelegateAction):
        return True
    return is_action(body) and body.runnable


def _shorten(message: Message, size: int) -> Message:
    """The beginning and the end of a message, and no pictures."""
    text = message.content
    if len(text) > size + len(CUT):
        half = size // 2
        gone = text[half:-half]
        earlier = list(_CUT.finditer(gone))
        count = len(gone) + sum(int(each[1]) - len(each[0]) for each in earlier)
        text = f"{text[:half]}{CUT.format(count)}{text[-half:]}"
    return structs.replace(message, content=text, image_urls=())
