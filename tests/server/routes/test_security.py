"""Requests that are forwarded to an analyzer of somebody."""

from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from cloche.events import Action, ActionSecurityRisk
from cloche.security import ActionContext, ApiAnswer, ApiRequest, Decision, SecurityAnalyzer, Verdict
from tests.server.conftest import StartServer, plain_config

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


class Talking(SecurityAnalyzer):
    """Answers with what it was asked."""

    name = "talking"

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        return Verdict(decision=Decision.ALLOW, risk=ActionSecurityRisk.LOW, analyzer=self.name)

    async def handle_api_request(self, request: ApiRequest) -> ApiAnswer | None:
        match request.path:
            case "fail":
                raise LookupError("with a key in it")
            case "sleep":
                await anyio.sleep_forever()
            case "nothing":
                return None
            case _:
                pass
        told = f"{request.user} {request.method} {request.path} {request.query} {request.body!r}"
        return ApiAnswer(told.encode(), 299, "text/plain")


async def test_any_method_and_path_reach_the_analyzer_with_the_user(start_server: StartServer, tmp_path: Path) -> None:
    config = plain_config(tmp_path / "data", pool_size=0)
    here = f"{Talking.__module__}.{Talking.__name__}"
    config = replace(config, security=replace(config.security, security_analyzer=here))
    async with start_server(config) as server, server.client(await server.add_user("ada")) as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            body = b"" if method == "GET" else b"\0x"
            answer = await client.request(method, f"{session}/security/a/b?c=d", content=body)
            assert (answer.status_code, answer.text) == (299, f"ada {method} a/b {{'c': 'd'}} {body!r}")
        failed = await client.get(f"{session}/security/fail")
        assert (failed.status_code, failed.json()["code"]) == (502, "analyzer_failed")
        assert "key" not in failed.text
        assert (await client.get(f"{session}/security/nothing")).status_code == 404


async def test_an_analyzer_that_does_not_answer_costs_nobody_the_server(
    start_server: StartServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.server.routes.security.ANALYZER_TIMEOUT", 0.1)
    config = plain_config(tmp_path / "data", pool_size=0)
    here = f"{Talking.__module__}.{Talking.__name__}"
    config = replace(config, security=replace(config.security, security_analyzer=here))
    async with start_server(config) as server, server.client() as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        late = await client.get(f"{session}/security/sleep")
        assert (late.status_code, late.json()["code"]) == (504, "timeout")


async def test_a_session_without_an_analyzer_says_so(start_server: StartServer) -> None:
    async with start_server(pool_size=0) as server, server.client() as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        answer = await client.get(f"{session}/security/rules")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_analyzer")
