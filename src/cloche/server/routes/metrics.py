"""The figures of the server, for Prometheus."""

from fastapi import APIRouter
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from cloche.server.access.callers import Here
from cloche.server.wire import describe

router = APIRouter(tags=["server"])


@router.get("/metrics", **describe(media="text/plain"))
async def show_metrics(here: Here) -> Response:
    """Sessions, sandboxes, clients, events, actions and requests, in the text format of Prometheus.

    A token that may only read is enough; nothing of what sessions do is told.
    """
    return Response(generate_latest(here.metrics.registry), media_type=CONTENT_TYPE_LATEST)
