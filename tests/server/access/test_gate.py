"""What the gate refuses, and whom it lets in."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import httpx
import pytest
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from cloche.server.access.gate import Gate
from cloche.server.access.logins import Logins
from cloche.server.access.token_file import TokenFile

pytestmark = pytest.mark.anyio

OWNER = "the-owner's-token"
HERE = "http://127.0.0.1:8484"
ORIGIN = "https://notes.example.com"


async def echo(scope: object, receive: object, send: object) -> None:
    """Answers with the user that the gate has found."""
    request = Request(scope)  # pyright: ignore[reportArgumentType] - what ASGI gives
    user = request.scope.get("user")
    answer = PlainTextResponse("nobody" if user is None else user.name or "owner")
    await answer(scope, receive, send)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path)


@pytest.fixture
async def client(tokens: TokenFile) -> AsyncGenerator[httpx.AsyncClient]:
    gate = Gate(echo, Logins(OWNER, tokens), names=("127.0.0.1", "localhost"), origins=(ORIGIN,), per_second=1000)
    transport = httpx.ASGITransport(gate)
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        bearer("wrong"),
        {"authorization": "Bearer"},
        {"authorization": f"Basic {OWNER}"},
        {"cookie": "cloche=wrong"},
        {"cookie": "cloche"},
    ],
)
@pytest.mark.parametrize("path", ["/api/sessions", "/mcp", "/a2a/x", "/metrics", "/api", "/api/health/x"])
async def test_nothing_is_served_without_a_valid_token(
    client: httpx.AsyncClient, path: str, headers: dict[str, str]
) -> None:
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "no_token"


async def test_the_owner_and_users_are_let_in(client: httpx.AsyncClient, tokens: TokenFile) -> None:
    ada = await to_thread.run_sync(tokens.create, "ada")
    assert (await client.post("/api/sessions", headers=bearer(OWNER))).text == "owner"
    assert (await client.post("/api/sessions", headers=bearer(ada))).text == "ada"
    assert (await client.get("/api/sessions", headers={"x-session-api-key": ada})).text == "ada"
    await to_thread.run_sync(tokens.revoke, "ada")
    assert (await client.post("/api/sessions", headers=bearer(ada))).status_code == 401


async def test_readers_change_nothing(client: httpx.AsyncClient, tokens: TokenFile) -> None:
    reader = bearer(await to_thread.run_sync(tokens.create, "reader", ("read",)))
    assert (await client.get("/api/sessions", headers=reader)).status_code == 200
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = await client.request(method, "/api/sessions", headers=reader)
        assert (answer.status_code, answer.json()["code"]) == (403, "read_only")


@pytest.mark.parametrize("host", ["evil.example.com", "127.0.0.1.evil.example.com", "", "127.0.0.1:0", "a b", "[::2]"])
async def test_other_names_are_refused_for_everything(client: httpx.AsyncClient, host: str) -> None:
    for path in ("/api/sessions", "/", "/api/health"):
        answer = await client.get(path, headers={**bearer(OWNER), "host": host})
        assert answer.status_code == 421


@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://127.0.0.1:9999", "file://"])
async def test_pages_of_others_are_refused(client: httpx.AsyncClient, origin: str) -> None:
    for headers in (bearer(OWNER), {"cookie": f"cloche={OWNER}"}):
        answer = await client.get("/api/sessions", headers={**headers, "origin": origin})
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")


async def test_a_configured_origin_is_let_in_by_its_token_and_never_by_the_cookie(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/sessions", headers={**bearer(OWNER), "origin": ORIGIN})).status_code == 200
    by_cookie = {"cookie": f"cloche={OWNER}", "origin": ORIGIN}
    assert (await client.get("/api/sessions", headers=by_cookie)).status_code == 401


async def test_the_page_gets_a_cookie_that_scripts_and_other_sites_cannot_use(client: httpx.AsyncClient) -> None:
    answer = await client.get("/s/1", params={"token": OWNER, "tab": "files"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/s/1?tab=files")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert (await client.get("/api/sessions")).text == "owner"
    assert (await client.post("/api/sessions", headers={"origin": HERE})).text == "owner"
    assert (await client.post("/api/sessions")).json()["code"] == "no_origin"


async def test_a_login_leads_to_no_other_server(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{HERE}//evil.example.com/", params={"token": OWNER})
    assert answer.headers["location"] == "/evil.example.com/"


async def test_a_wrong_token_in_the_address_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.get("/", params={"token": "wrong"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


async def test_a_browser_with_a_wrong_token_in_the_address_is_led_to_the_page_that_asks_for_one(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.get("/s/1", params={"token": "wrong"}, headers={"accept": "text/html,*/*"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?refused")
    assert "set-cookie" not in answer.headers


async def test_a_token_in_the_address_does_not_open_the_api(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/sessions", params={"token": OWNER})).status_code == 401


async def test_everybody_may_ask_whether_it_lives_and_see_the_page(client: httpx.AsyncClient) -> None:
    for path in ("/api/health", "/api/ready", "/", "/page/index.js"):
        answer = await client.get(path)
        assert (answer.status_code, answer.text) == (200, "nobody")
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-embedder-policy"] == "require-corp"


async def test_too_many_failed_logins_of_an_address_wait_and_are_refused_at_last(client: httpx.AsyncClient) -> None:
    codes: list[int] = []

    async def log_in() -> None:
        codes.append((await client.get("/api/sessions", headers=bearer("wrong"))).status_code)
        if codes[-1] == 429:
            tasks.cancel_scope.cancel()

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            for _ in range(60):
                tasks.start_soon(log_in)
    assert set(codes) == {401, 429}
    assert codes.count(401) < 20


async def test_a_user_beyond_the_rate_is_refused_with_the_time_to_wait(tokens: TokenFile) -> None:
    gate = Gate(echo, Logins(OWNER, tokens), names=("127.0.0.1",), per_second=0.01)
    transport = httpx.ASGITransport(gate)
    async with httpx.AsyncClient(transport=transport, base_url=HERE, headers=bearer(OWNER)) as client:
        assert (await client.get("/api/sessions")).status_code == 200
        answer = await client.get("/api/sessions")
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limit")
    assert 0 < int(answer.headers["retry-after"]) <= 100
