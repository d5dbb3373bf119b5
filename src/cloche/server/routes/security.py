"""Requests to the security analyzer of a session, which may have an API of its own."""

import logging
from typing import Annotated

import anyio
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from cloche.limits import ANALYZER_TIMEOUT, SERVER_BODY_LIMIT
from cloche.security import ApiRequest
from cloche.server.access.callers import Caller, Wanted
from cloche.server.files.downloads import ISOLATED
from cloche.server.problems import Problem
from cloche.server.wire import describe, read_body

router = APIRouter(prefix="/sessions/{sid}/security", tags=["security"])

log = logging.getLogger(__name__)


async def forward(
    request: Request, wanted: Wanted, caller: Caller, path: Annotated[str, Path(description="for the analyzer")]
) -> Response:
    """The answer of the session's analyzer; `rules` lists its rules at `GET rules`."""
    body = await read_body(request, SERVER_BODY_LIMIT)
    asked = ApiRequest(
        method=request.method,
        path=path,
        query=dict(request.query_params),
        content_type=request.headers.get("content-type", ""),
        body=body,
        user=caller.name,
    )
    async with wanted.use() as session:
        if session.analyzer is None:
            raise Problem(
                404,
                "no_analyzer",
                "this session has no security analyzer",
                fix="[security] security_analyzer names one.",
            )
        try:
            with anyio.fail_after(ANALYZER_TIMEOUT):
                answered = await session.analyzer.handle_api_request(asked)
        except TimeoutError:
            raise
        except Exception as error:  # an analyzer may be anybody's code
            log.exception("the security analyzer failed at %s", path)
            raise Problem(502, "analyzer_failed", f"the security analyzer failed: {type(error).__name__}") from error
    if answered is None:
        raise Problem(404, "not_found", f"the security analyzer knows no {request.method} {path}")
    return Response(answered.body, answered.status, ISOLATED, answered.content_type)


for _method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    router.add_api_route(
        "/{path:path}",
        forward,
        methods=[_method],
        operation_id=f"forward_{_method.lower()}",
        **describe(media="*/*", problems=(404, 409, 502, 504)),
    )
