"""What the whole application answers: unknown paths, methods, its description, the page."""

import httpx2
import pytest

from tests.server.conftest import RunningServer

NOT_IN_A_FILE = ("sandbox", "frame-ancestors")
"""What a policy may say in a header only."""

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nothing", 404, "not_found"),
        ("GET", "/api/sessions/", 404, "not_found"),
        ("PUT", "/api/sessions", 405, "method"),
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/api/sessions?limit=x", 422, "invalid"),
        ("GET", "/api/sessions?limit=0", 422, "invalid"),
        ("GET", "/api/sessions/%00", 404, "session_unknown"),
        ("GET", "/api/sessions/..%2F..", 404, "not_found"),
    ],
)
async def test_what_is_not_there_is_answered_in_one_shape(
    client: httpx2.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answer = await client.request(method, path)
    told = answer.json()
    assert (answer.status_code, told["code"], told["status"]) == (status, code, status)
    assert answer.headers["content-type"] == "application/problem+json"
    assert told["type"] == f"urn:cloche:error:{code}"
    assert len(told["id"]) == 32


async def test_every_route_is_described(client: httpx2.AsyncClient) -> None:
    told = (await client.get("/api/openapi.json")).json()
    schemas = told["components"]["schemas"]
    assert {"ProblemDetails", "SessionView", "Beginning"} <= schemas.keys()
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (path, method)
            assert "401" in operation["responses"], (path, method)
    text = (await client.get("/api/openapi.json")).text
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= schemas.keys()


async def test_the_frame_for_html_has_no_origin_and_no_network(server: RunningServer) -> None:
    async with server.client(None) as nobody:
        for path in ("/frame", "/frame.html"):
            frame = await nobody.get(path)
            rules = dict(each.strip().split(" ", 1) for each in frame.headers["content-security-policy"].split(";"))
            assert (rules["sandbox"], rules["default-src"]) == ("allow-scripts", "'none'")
            assert not any(
                "http" in each or "self" in each for name, each in rules.items() if name != "frame-ancestors"
            )
            # The policy in the file is for hosts that send none.
            assert all(f"{name} {each}" in frame.text for name, each in rules.items() if name not in NOT_IN_A_FILE)


async def test_the_page_may_run_its_own_scripts_only(server: RunningServer) -> None:
    async with server.client(None) as nobody:
        for path in ("/", "/s/some-session", "/play", "/settings"):
            page = await nobody.get(path)
            assert page.status_code == 200
            rules = dict(each.strip().split(" ", 1) for each in page.headers["content-security-policy"].split(";"))
            assert (rules["default-src"], rules["script-src"]) == ("'none'", "'self' 'wasm-unsafe-eval'")
            assert page.headers["cache-control"] == "no-cache"
        name = page.text.partition('src="./page/')[2].partition('"')[0]
        script = await nobody.get(f"/page/{name}", headers={"accept-encoding": "gzip"})
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        assert script.headers["content-encoding"] == "gzip"
        plain = await nobody.get(f"/page/{name}", headers={"accept-encoding": "identity"})
        assert plain.content == script.content
        for path in ("/page/../app.py", "/page/%2e%2e", "/page/nothing.js", "/page/"):
            assert (await nobody.get(path)).status_code == 404
