"""Answers actions that nobody will execute any more, so that each has its one observation."""

import logging

from cloche.events import (
    AgentDelegateAction,
    AgentThinkAction,
    ErrorObservation,
    Event,
    EventStream,
    TaskTrackingAction,
    Unknown,
    is_action,
    is_observation,
    new_event,
)
from cloche.events.risk import AWAITING_CONFIRMATION
from cloche.runtime.codes import DISPATCHER
from cloche.session.dispatcher import LOST

log = logging.getLogger(__name__)


def gets_answer(event: Event) -> bool:
    """Whether an event is answered by an observation."""
    body = event.body
    if isinstance(body, Unknown):
        return "action" in body.raw
    if isinstance(body, AgentDelegateAction):
        return event.source == "agent"
    if isinstance(body, AgentThinkAction | TaskTrackingAction):
        return True
    return is_action(body) and body.runnable and getattr(body, "confirmation_state", "") != AWAITING_CONFIRMATION


async def answer_open_actions(stream: EventStream, after_id: int, why: str, begun: str = LOST) -> int:
    """Answer what came after an event and has no observation; returns how many these were.

    The caller holds the session's lock, and nothing runs. `why` is about actions that were not begun, `begun` about
    the others.
    """
    open_actions: dict[int | None, Event] = {}
    async for event in stream.get_events(after_id + 1):
        if is_observation(event.body):
            open_actions.pop(event.cause, None)
        elif gets_answer(event):
            open_actions[event.id] = event
    for event in open_actions.values():
        assert event.id is not None, "what is stored has an id"
        unbegun = await stream.claim(event.id)
        text = f"was not executed: {why}" if unbegun else f"did not come to its end: {begun}"
        answer = ErrorObservation(f"`{event.kind}` {text}", DISPATCHER)
        await stream.add_event(new_event(answer, event.source or "agent", answers=event))
        if isinstance(event.body, AgentDelegateAction):
            await answer_open_actions(stream.open_beside(f"{stream.sid}.{event.id}"), -1, why, begun)
    if open_actions:
        log.info("%d actions of the session %s were still open, and are answered now", len(open_actions), stream.sid)
    return len(open_actions)
