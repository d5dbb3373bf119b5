"""What users do in a session: actions, messages, answers to questions, interrupts."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from msgspec import Meta, Raw, Struct
from starlette.responses import Response

from cloche.events import ChangeAgentStateAction, MessageAction, encode_event, event_from_dict, is_observation
from cloche.remote.sessions import Interrupted
from cloche.server.access.callers import Wanted
from cloche.server.action_schema import make_action_schema
from cloche.server.session import put_event
from cloche.server.wire import answer, body_of, describe

router = APIRouter(prefix="/sessions/{sid}", tags=["actions"])

WireEvent = dict[str, Any]
"""An event as it is stored; docs/events.md describes it."""


class Saying(Struct, frozen=True, forbid_unknown_fields=True):
    """A message for the agent."""

    content: Annotated[str, Meta(min_length=1)]


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """What the agent shall do."""

    state: Literal["running", "paused", "stopped", "awaiting_user_input", "finished"]


class Confirmation(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to a question about an action."""

    confirm: bool


@router.post(
    "/actions",
    **describe(
        told=WireEvent,
        body="application/json",
        schema=make_action_schema(),
        also={202: "The stored action"},
        problems=(404, 409, 415, 504),
    ),
)
async def act(
    wanted: Wanted,
    given: Annotated[WireEvent, Depends(body_of(WireEvent))],
    wait: Annotated[bool, Query(description="for the observation; without it, the answer is the stored action")] = True,
) -> Response:
    """Have an action executed; the answer is its observation. With the same `cloche.key` it is executed once."""
    event = await put_event(wanted, event_from_dict(given), wait=wait)
    return answer(Raw(encode_event(event)), 200 if is_observation(event.body) else 202)


@router.post("/messages", **describe(Saying, WireEvent, status=202, problems=(404, 409)))
async def say(wanted: Wanted, given: Annotated[Saying, Depends(body_of(Saying))]) -> Response:
    """Say something to the agent, which begins or goes on."""
    return answer(Raw(encode_event(await wanted.send(MessageAction(given.content)))), 202)


@router.post("/state", **describe(Wish, WireEvent, status=202, problems=(404, 409)))
async def change_state(wanted: Wanted, given: Annotated[Wish, Depends(body_of(Wish))]) -> Response:
    """Pause, continue or stop the agent."""
    return answer(Raw(encode_event(await wanted.send(ChangeAgentStateAction(given.state)))), 202)


@router.post("/confirmations", **describe(Confirmation, WireEvent, status=202, problems=(404, 409)))
async def confirm(wanted: Wanted, given: Annotated[Confirmation, Depends(body_of(Confirmation))]) -> Response:
    """Allow or refuse the action that the agent is waiting for."""
    state = "user_confirmed" if given.confirm else "user_rejected"
    return answer(Raw(encode_event(await wanted.send(ChangeAgentStateAction(state)))), 202)


@router.post("/interrupt", **describe(told=Interrupted, problems=(404,)))
async def interrupt(wanted: Wanted) -> Response:
    """Stop the action that is being executed."""
    return answer(Interrupted(await wanted.interrupt()))
