"""Tokens of users, over HTTP."""

import pytest

from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def test_the_owner_creates_lists_and_revokes_tokens(shared_server: RunningServer) -> None:
    async with shared_server.client() as owner:
        made = await owner.post("/api/tokens", json={"name": "ada"})
        assert (made.status_code, made.json()["name"]) == (201, "ada")
        viewer = (await owner.post("/api/tokens", json={"name": "viewer", "read_only": True})).json()["token"]
        listed = await owner.get("/api/tokens")
        assert [(each["name"], each["scopes"]) for each in listed.json()] == [
            ("ada", ["read", "run"]),
            ("viewer", ["read"]),
        ]
        assert made.json()["token"] not in listed.text
        assert "hash" not in listed.text
        async with shared_server.client(made.json()["token"]) as ada, shared_server.client(viewer) as other:
            assert (await ada.post("/api/sessions", json={})).status_code == 201
            assert (await other.get("/api/sessions")).json()["sessions"] == []
            assert (await other.post("/api/sessions", json={})).status_code == 403
            again = await owner.post("/api/tokens", json={"name": "ada"})
            assert (again.status_code, again.json()["code"]) == (409, "conflict")
            assert (await owner.delete("/api/tokens/ada")).status_code == 204
            assert (await ada.get("/api/sessions")).status_code == 401
        assert (await owner.delete("/api/tokens/ada")).status_code == 404
        bad = await owner.post("/api/tokens", json={"name": "../x"})
        assert bad.status_code == 422
