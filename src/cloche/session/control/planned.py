"""What an agent wants to do next; of an answer with several actions, one is begun after the other."""

from collections.abc import Sequence

from msgspec import structs

from cloche.events import AgentFinishAction, AgentRejectAction, Event, MessageAction
from cloche.session.control.history import gets_answer


class Planned:
    """The events of a step that are not in the stream yet: a pause, a stop or a word of the user comes before them."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def __bool__(self) -> bool:
        return bool(self._events)

    def put(self, events: Sequence[Event]) -> None:
        """Plan these; what comes after the end of the task is left out."""
        end = next((number for number, event in enumerate(events, 1) if _ends(event)), len(events))
        # They get their time when they are stored.
        self._events = [structs.replace(event, timestamp="") for event in events[:end]]

    def take(self) -> list[Event]:
        """The next ones, up to the first action that gets an answer."""
        count = next((number for number, event in enumerate(self._events, 1) if gets_answer(event.body)), None)
        taken, self._events = self._events[:count], self._events[count:] if count is not None else []
        return taken

    def clear(self) -> None:
        """Give them up."""
        self._events = []


def _ends(event: Event) -> bool:
    body = event.body
    return isinstance(body, AgentFinishAction | AgentRejectAction) or (
        isinstance(body, MessageAction) and body.wait_for_response
    )
