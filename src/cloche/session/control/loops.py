"""Notices that an agent repeats itself."""

from collections import deque

from msgspec import Struct

from cloche.events import ErrorObservation, Event, MessageAction, is_action, is_observation
from cloche.session.rerun import describe_difference

SAME_RESULT = 4
SAME_ERROR = 3
MESSAGES = 3
ALTERNATING = 6
_KEPT = 2 * ALTERNATING
_VOLATILE = frozenset({"thought", "security_risk", "confirmation_state"})
"""Fields in which the same action may differ."""


class Deed(Struct):
    """An action of the agent, what came of it, and where it began."""

    id: int
    action: str
    result: str = ""
    failed: bool = False


class Loop(Struct, frozen=True):
    """A loop that was found."""

    reason: str
    start: int
    """The id of its first event."""


class LoopWatch:
    """Follows the events of an agent; a user's message begins anew."""

    def __init__(self) -> None:
        self._deeds: deque[Deed] = deque(maxlen=_KEPT)
        self._open: dict[int | None, Deed] = {}
        self._messages: deque[int] = deque(maxlen=MESSAGES)

    def clear(self) -> None:
        """Forget what was seen."""
        self._deeds.clear()
        self._open.clear()
        self._messages.clear()

    def add(self, event: Event) -> None:
        """Take in the next event."""
        if is_observation(event.body):
            deed = self._open.pop(event.cause, None)
            if deed is not None:
                deed.result = str(describe_difference(event.body))
                deed.failed = _has_failed(event)
        elif event.source == "user":
            self.clear()
        elif isinstance(event.body, MessageAction):
            self._messages.append(event.id or 0)
        elif is_action(event.body):
            self._messages.clear()
            deed = Deed(event.id or 0, _describe_action(event))
            self._deeds.append(deed)
            if event.body.runnable:
                self._open[event.id] = deed

    def find_loop(self) -> Loop | None:
        """The loop that the agent is in, if it is in one."""
        if len(self._messages) == MESSAGES:
            return Loop(f"it has sent {MESSAGES} messages to itself in a row", self._messages[0])
        deeds = list(self._deeds)
        if _are_same(deeds[-SAME_RESULT:], SAME_RESULT):
            return Loop(f"the same action had the same result {SAME_RESULT} times in a row", deeds[-SAME_RESULT].id)
        last = deeds[-SAME_ERROR:]
        if len(last) == SAME_ERROR and len({each.action for each in last}) == 1 and all(each.failed for each in last):
            return Loop(f"the same action failed {SAME_ERROR} times in a row", last[0].id)
        last = deeds[-ALTERNATING:]
        if len(last) == ALTERNATING and _are_same(last[::2], 3) and _are_same(last[1::2], 3):
            return Loop(f"two actions have alternated {ALTERNATING} times with the same results", last[0].id)
        return None


def _are_same(deeds: list[Deed], count: int) -> bool:
    return len(deeds) == count and len({(each.action, each.result) for each in deeds}) == 1


def _describe_action(event: Event) -> str:
    body = event.body
    names = getattr(body, "__struct_fields__", ())
    return repr([event.kind, *(getattr(body, name) for name in names if name not in _VOLATILE)])


def _has_failed(event: Event) -> bool:
    body = event.body
    return (
        isinstance(body, ErrorObservation) or getattr(body, "success", True) is False or getattr(body, "refused", False)
    )
