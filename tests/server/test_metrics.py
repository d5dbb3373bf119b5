"""Figures for Prometheus, read by its own parser."""

import anyio
import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

Figures = dict[tuple[str, tuple[str, ...]], float]


async def read(client: httpx2.AsyncClient) -> Figures:
    answer = await client.get("/api/metrics")
    assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, "text/plain")
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_requests_events_actions_and_sessions_are_counted(server: RunningServer) -> None:
    reader = await server.add_user("prometheus", "read")
    async with server.client() as client, server.client(reader) as prometheus:
        before = await read(prometheus)
        assert before["cloche_sessions", ()] == 0
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        action = {"action": "run", "args": {"command": "echo counted"}}
        for _ in range(3):
            assert (await client.post(f"{session}/actions", json=action)).status_code == 200
        await client.get(f"{session}/events/99999")
        await client.get("/api/secret-of-a-client")
        await client.request("PROPFIND", "/api/sessions")
        after = await read(prometheus)
    assert after["cloche_sessions", ()] == 1
    assert after["cloche_clients", ()] == 0
    assert after["cloche_requests_total", ("POST", "/api/sessions/{sid}/actions", "200")] == 3
    assert after["cloche_requests_total", ("GET", "/api/sessions/{sid}/events/{id}", "404")] == 1
    assert after["cloche_request_seconds_count", ("/api/sessions/{sid}/actions",)] == 3
    assert after["cloche_action_seconds_count", ("run",)] == 3
    assert 0 < after["cloche_action_seconds_sum", ("run",)] < 60
    assert after["cloche_events_total", ("run", "user")] == 6
    assert {state[0] for name, state in after if name == "cloche_pool_sandboxes"} == {
        "spare",
        "busy",
        "starting",
        "closing",
    }
    labels = {label for _, values in after for label in values}
    assert not {label for label in labels if "secret" in label or "PROPFIND" in label or "echo" in label}
    assert session.rpartition("/")[2] not in str(labels)


async def test_two_servers_count_apart(server: RunningServer, shared_server: RunningServer) -> None:
    async with server.client() as one, shared_server.client() as other:
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(one.get, "/api/choices")
        assert (await read(one))["cloche_requests_total", ("GET", "/api/choices", "200")] == 5
        assert ("cloche_requests_total", ("GET", "/api/choices", "200")) not in await read(other)
