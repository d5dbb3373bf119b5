"""Who one is, and staying logged in."""

import pytest

from tests.server.conftest import OWNER, RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def test_a_token_is_kept_in_a_cookie_that_scripts_cannot_read(shared_server: RunningServer) -> None:
    async with shared_server.client(None) as client:
        bearer = {"authorization": f"Bearer {OWNER}"}
        answer = await client.post("/api/login", headers=bearer)
        assert answer.json() == {"name": "", "is_owner": True, "may_run": True}
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert (await client.get("/api/login")).json()["is_owner"]
        assert (await client.delete("/api/login", headers={"origin": shared_server.url})).status_code == 204
        assert (await client.get("/api/login")).status_code == 401
        assert (await client.get("/api/login", headers=bearer)).status_code == 200


async def test_who_may_only_read_may_log_in(shared_server: RunningServer) -> None:
    reader = await shared_server.add_user("reader", "read")
    async with shared_server.client(None) as client:
        answer = await client.post("/api/login", headers={"authorization": f"Bearer {reader}"})
        assert answer.json() == {"name": "reader", "is_owner": False, "may_run": False}
        assert (await client.get("/api/sessions")).status_code == 200


async def test_a_wrong_token_sets_no_cookie(shared_server: RunningServer) -> None:
    async with shared_server.client("wrong") as client:
        answer = await client.post("/api/login")
        assert (answer.status_code, answer.json()["code"]) == (401, "no_token")
        assert "set-cookie" not in answer.headers


async def test_a_cookie_does_not_log_in_again(shared_server: RunningServer) -> None:
    async with shared_server.client(None) as client:
        await client.post("/api/login", headers={"authorization": f"Bearer {OWNER}"})
        answer = await client.post("/api/login", headers={"origin": shared_server.url})
        assert (answer.status_code, answer.json()["code"]) == (400, "no_bearer")
