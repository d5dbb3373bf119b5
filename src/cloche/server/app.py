"""The web application of a server: routes, sockets, MCP and the page, behind one gate."""

import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules
from types import TracebackType
from typing import Any, Self

import anyio
from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from cloche.config import AppConfig
from cloche.errors import ClocheError
from cloche.mcp.host_check import LOCAL
from cloche.server import page, routes
from cloche.server.access.gate import Gate
from cloche.server.access.logins import Logins
from cloche.server.calls.calls import Calls
from cloche.server.late_app import LateApp
from cloche.server.metrics import MeasuredApp, Metrics
from cloche.server.page.engine_files import EngineFiles
from cloche.server.problems import Problem, answer_error, make_problem_response
from cloche.server.services import Services
from cloche.server.sockets import Sockets
from cloche.server.wire import list_schemas
from cloche.session import SessionManager

log = logging.getLogger(__name__)

API = "/api"
VERSION = version("cloche")
ROUTERS: tuple[APIRouter, ...] = tuple(
    import_module(f"{routes.__name__}.{each.name}").router for each in iter_modules(routes.__path__)
)
"""All families of routes; a new one is a file in `routes`."""
HANDLED = (Problem, ClocheError, OSError, ValueError, KeyError)
"""What routes may raise; anything else is a fault of ours, and logged."""


class ServerApp:
    """An ASGI application on sessions, which it opens and closes: use it as an async context manager.

    Lifespan events of ASGI are not needed. `end` is for those who stop a web server while clients are connected.
    """

    def __init__(self, config: AppConfig, manager: SessionManager, logins: Logins) -> None:
        self.manager = manager
        self.stopping = anyio.Event()
        self.sockets = Sockets(manager, logins, self.stopping)
        metrics = Metrics(manager, lambda: len(self.sockets))

        self.calls = Calls()
        self.engine = EngineFiles()
        self._late = {
            path: LateApp(module, config, manager)
            for path, module in {"/mcp": "cloche.server.mcp.app", "/a2a": "cloche.server.agents.app"}.items()
        }
        self.api = _make_api(
            Services(
                config=config,
                manager=manager,
                logins=logins,
                sockets=self.sockets,
                calls=self.calls,
                metrics=metrics,
                stopping=self.stopping,
            )
        )
        # First, because the routes are tried one by one, and a call of a tool would be measurably slower.
        self.api.router.routes[:0] = [
            Route(each, app, include_in_schema=False)
            for path, app in self._late.items()
            for each in (path, f"{path}/{{path:path}}")
        ]
        self.api.router.routes.extend(self.engine.make_routes())
        self._stack = AsyncExitStack()
        settings = config.server
        gate: ASGIApp = Gate(
            self.sockets.wrap(self.api),
            logins,
            names=(*LOCAL, settings.host, *settings.names),
            origins=settings.cors_origins,
            per_second=settings.requests_per_second,
            secure=settings.tls_cert is not None,
        )
        self._app = MeasuredApp(_allow_origins(gate, settings.cors_origins), metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.stopping.is_set() and scope["type"] == "http":
            await make_problem_response(STOPPING, scope["path"])(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.manager)
            await stack.enter_async_context(self.sockets)
            await stack.enter_async_context(self.calls)
            await stack.enter_async_context(self.engine)
            for each in self._late.values():
                await stack.enter_async_context(each)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.end()
        await self._stack.aclose()

    async def end(self) -> None:
        """End streams, connections and sessions; actions that run have their observation. May be called twice."""
        self.stopping.set()
        await self.sockets.close()
        for each in self._late.values():
            await each.end()
        await self.manager.stop_all()


STOPPING = Problem(
    503, "stopping", "the server is being stopped", fix="Try again later.", headers={"retry-after": "10"}
)


def create_app(config: AppConfig, manager: SessionManager, logins: Logins) -> ServerApp:
    """The application on these sessions."""
    return ServerApp(config, manager, logins)


def _make_api(services: Services) -> FastAPI:
    api = FastAPI(
        title="Cloche",
        version=VERSION,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    api.state.services = services
    for kind in HANDLED:
        api.add_exception_handler(kind, answer_error)
    api.add_exception_handler(Exception, answer_error)
    api.add_exception_handler(HTTPException, _answer_http_error)  # pyright: ignore[reportArgumentType] - theirs is wider
    api.add_exception_handler(RequestValidationError, _answer_invalid)  # pyright: ignore[reportArgumentType]
    for router in ROUTERS:
        api.include_router(router, prefix=API)
    api.router.routes.extend(page.make_routes())
    api.openapi = _make_openapi(api)
    return api


def _allow_origins(app: ASGIApp, origins: tuple[str, ...]) -> ASGIApp:
    if not origins:
        return app
    headers = ["authorization", "content-type", "last-event-id"]
    return CORSMiddleware(app, allow_origins=origins, allow_methods=["*"], allow_headers=headers)


async def _answer_http_error(request: Request, error: HTTPException) -> Response:
    """What the framework refuses: unknown paths and methods."""
    code = {404: "not_found", 405: "method"}.get(error.status_code, "invalid")
    words = f"there is no {request.url.path}" if error.status_code == 404 else str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        # The framework names the methods of one route only.
        headers["allow"] = ", ".join(_list_methods(request.url.path)) or headers.get("allow", "")
    problem = Problem(error.status_code, code, words, headers=headers)
    return make_problem_response(problem, request.url.path)


def _list_methods(path: str) -> list[str]:
    """The methods of all routes of a path."""
    known = (route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute))
    fitting = [route for route in known if route.path_regex.match(path.removeprefix(API))]
    return sorted({method for route in fitting for method in route.methods or ()})


async def _answer_invalid(request: Request, error: RequestValidationError) -> Response:
    """What does not fit the path or the query of a route."""
    faults = [f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors()]
    return make_problem_response(Problem(422, "invalid", "; ".join(faults)), request.url.path)


def _make_openapi(api: FastAPI) -> Callable[[], dict[str, Any]]:
    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            made = get_openapi(title=api.title, version=api.version, routes=api.routes, summary="Sessions of Cloche")
            components = made.setdefault("components", {})
            components.setdefault("schemas", {}).update(list_schemas())
            components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            made["security"] = [{"token": []}]
            api.openapi_schema = made
        return api.openapi_schema

    return openapi
