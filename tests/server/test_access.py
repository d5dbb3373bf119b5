"""Every route, from the routing table: what it says to those who may not use it. A new route is asked by itself."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx2
import pytest
from fastapi.routing import APIRoute

from cloche.server.access.gate import HARMLESS, LOGIN, OPEN
from cloche.server.app import API, ROUTERS
from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


class Route(NamedTuple):
    """A route with one of its methods."""

    method: str
    path: str

    def fill(self, sid: str) -> str:
        """Its path, for this session."""
        return re.sub(r"\{[^}]*\}", "1", self.path.replace("{sid}", sid))


def list_routes() -> Iterator[Route]:
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute), f"{route} is of no kind that this test knows"
            for method in sorted(route.methods or ()):
                yield Route(method, f"{API}{route.path}")


ROUTES = [route for route in list_routes() if route.path not in OPEN]
OF_SESSIONS = [route for route in ROUTES if "{sid}" in route.path]
CHANGING = [route for route in ROUTES if route.method not in HARMLESS and route.path != LOGIN]
FOR_THE_OWNER = {"/api/tokens", "/api/tokens/{name}", "/api/config", "/api/config/settings"}


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


async def ask(server: RunningServer, route: Route, token: str | None, sid: str) -> httpx2.Response:
    # From an address of its own: failed logins of one address are slowed down.
    transport = httpx2.AsyncHTTPTransport(local_address=f"127.0.1.{1 + ROUTES.index(route) % 254}")
    async with server.client(token, transport=transport) as client:
        return await client.request(route.method, route.fill(sid))


def refused(answer: httpx2.Response, status: int, code: str) -> bool:
    told: dict[str, Any] = answer.json()
    return (answer.status_code, told["status"], told["code"]) == (status, status, code) and bool(told["detail"])


def test_the_routing_table_is_seen() -> None:
    assert len(ROUTES) > 40
    assert Route("DELETE", "/api/sessions/{sid}") in OF_SESSIONS
    assert {route.path for route in ROUTES} >= FOR_THE_OWNER


@pytest.fixture(scope="module")
async def tokens(shared_server: RunningServer) -> dict[str, str]:
    """The tokens of some users; that of bob is revoked."""
    made = {name: await shared_server.add_user(name) for name in ("ada", "bob", "carl")}
    made["eve"] = await shared_server.add_user("eve", "read")
    assert shared_server.tokens.revoke("bob")
    return made


@pytest.fixture(scope="module")
async def adas(shared_server: RunningServer, tokens: dict[str, str]) -> str:
    """A session of ada."""
    async with shared_server.client(tokens["ada"]) as client:
        return (await client.post("/api/sessions", json={"title": "ada's own"})).json()["id"]


@pytest.mark.parametrize("route", ROUTES, ids=named)
async def test_nobody_without_a_valid_token_is_answered(
    shared_server: RunningServer, route: Route, tokens: dict[str, str], adas: str
) -> None:
    for token in (None, "wrong", tokens["bob"], tokens["ada"][:-1]):
        assert refused(await ask(shared_server, route, token, adas), 401, "no_token")


@pytest.mark.parametrize("route", CHANGING, ids=named)
async def test_who_may_only_read_changes_nothing(
    shared_server: RunningServer, route: Route, tokens: dict[str, str], adas: str
) -> None:
    assert refused(await ask(shared_server, route, tokens["eve"], adas), 403, "read_only")


@pytest.mark.parametrize("route", OF_SESSIONS, ids=named)
async def test_the_session_of_another_user_is_as_if_it_were_not_there(
    shared_server: RunningServer, route: Route, tokens: dict[str, str], adas: str
) -> None:
    others = await ask(shared_server, route, tokens["carl"], adas)
    nothing = await ask(shared_server, route, tokens["carl"], "0" * 32)
    assert refused(others, 404, "session_unknown"), others.text
    assert refused(nothing, 404, "session_unknown")
    assert others.json()["detail"].replace(adas, "") == nothing.json()["detail"].replace("0" * 32, "")


@pytest.mark.parametrize("route", [route for route in ROUTES if route.path in FOR_THE_OWNER], ids=named)
async def test_what_is_the_owners_is_refused_to_users(
    shared_server: RunningServer, route: Route, tokens: dict[str, str], adas: str
) -> None:
    assert refused(await ask(shared_server, route, tokens["ada"], adas), 403, "owner_only")


async def test_the_session_of_ada_is_as_it_was(shared_server: RunningServer, tokens: dict[str, str], adas: str) -> None:
    async with shared_server.client(tokens["ada"]) as client:
        found = (await client.get(f"/api/sessions/{adas}")).json()
    assert (found["title"], found["owner"]) == ("ada's own", "ada")
