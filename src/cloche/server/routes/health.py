"""Whether the server lives, and whether it is ready for work; for everybody."""

from fastapi import APIRouter
from msgspec import Struct
from starlette.responses import Response

from cloche.server.access.callers import Here
from cloche.server.wire import answer, describe

router = APIRouter(tags=["server"])


class Health(Struct, frozen=True):
    """The state of the server."""

    status: str
    sessions: int
    """Sessions that run."""


@router.get("/health", **describe(told=Health, public=True))
async def show_health(here: Here) -> Response:
    """Whether the server answers."""
    return answer(Health("ok", here.manager.count_running()))


@router.get("/ready", **describe(told=Health, public=True))
async def show_readiness(here: Here) -> Response:
    """Whether new sessions can be begun: 503 while the server is being stopped."""
    stopping = here.stopping.is_set()
    return answer(Health("stopping" if stopping else "ok", here.manager.count_running()), 503 if stopping else 200)
