"""What changed in the files of a session: since its beginning, or by one action."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from cloche.events import is_observation
from cloche.sandbox.changes.diff import Diff
from cloche.server.access.callers import Wanted
from cloche.server.problems import Problem
from cloche.server.routes.events import find_event
from cloche.server.wire import answer, describe
from cloche.session.changes import load_action_diff
from cloche.session.hosting.answers import find_answer

router = APIRouter(prefix="/sessions/{sid}", tags=["changes"])


@router.get("/diff", **describe(told=Diff, problems=(404, 409)))
async def show_changes(wanted: Wanted) -> Response:
    """What changed in the workspace since the session began, as a patch for `git apply`, and file by file."""
    async with wanted.use() as session:
        if session.changes is None:
            raise Problem(
                409,
                "not_recorded",
                "what the workspace had at the beginning is not recorded here",
                fix="[server] track_changes turns it on, for sessions whose sandbox is on this server.",
            )
        return answer(await session.changes.diff())


@router.get("/events/{id}/diff", **describe(told=Diff, problems=(404, 409)))
async def show_action_changes(wanted: Wanted, id: Annotated[int, Path(ge=0, le=2**53)]) -> Response:
    """What an action has changed; the event is the action or its observation."""
    event = await find_event(wanted, id)
    observation = event if is_observation(event.body) else await find_answer(wanted.stream, event)
    diff = None if observation is None else await load_action_diff(wanted.stream, observation)
    if diff is None:
        raise Problem(
            409,
            "not_recorded",
            f"what the event {id} has changed is not recorded",
            fix='Only actions that may change files and have ended are, with [server] track_changes = "actions".',
        )
    return answer(diff)
