"""Packages over HTTP, from an index of the test."""

import os

import httpx2
import pytest

from tests.sandbox.packages.conftest import index
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

__all__ = ["index"]

NAME = f"cloche-served-{os.getpid()}"
"""Another one each time, since what is resolved is kept in the user's cache."""
LATER = f"{NAME}-later"

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def list_statuses(client: httpx2.AsyncClient, session: str) -> list[tuple[str, str]]:
    found = await client.get(f"{session}/events", params={"kind": "status", "query": NAME})
    return [(event["extras"]["level"], event["message"]) for event in found.json()["events"]]


async def test_packages_are_installed_listed_and_on_record(client: httpx2.AsyncClient, index: WheelIndex) -> None:
    session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
    make_wheel(index.folder, NAME, "1.0")
    make_wheel(index.folder, LATER.replace("-", "_"), "2.0", requires=[NAME])
    assert (await client.get(f"{session}/packages")).json() == {"packages": []}
    both = [
        {"name": NAME, "version": "1.0", "language": "python"},
        {"name": LATER, "version": "2.0", "language": "python"},
    ]
    answer = await client.post(f"{session}/packages", json={"packages": [LATER]})
    assert (answer.status_code, answer.json()) == (200, {"packages": both}), answer.text
    assert (await client.get(f"{session}/packages")).json() == {"packages": both}
    cell = {"action": "run_ipython", "args": {"code": f"import {NAME.replace('-', '_')} as m; print(m.version)"}}
    assert (await client.post(f"{session}/actions", json=cell)).json()["content"].startswith("1.0\n")
    again = await client.post(f"{session}/packages", json={"packages": [LATER]})
    assert again.json() == {"packages": []}
    missing = await client.post(f"{session}/packages", json={"packages": [f"{NAME}-nowhere"]})
    assert (missing.status_code, missing.json()["code"]) == (404, "package_not_found")
    assert await list_statuses(client, session) == [
        ("info", f"Installing {LATER} for python..."),
        ("info", f"Installed {NAME} 1.0, {LATER} 2.0."),
        ("info", f"Installing {LATER} for python..."),
        ("info", f"{LATER}: it was installed already."),
        ("info", f"Installing {NAME}-nowhere for python..."),
        ("error", f"{NAME}-nowhere could not be installed: {missing.json()['detail']}"),
    ]


@pytest.mark.parametrize("wanted", [[], [""], ["https://example.com/x.whl"], ["/etc/passwd"], ["../x.whl"]])
async def test_what_cannot_be_installed_is_refused(
    shared_client: httpx2.AsyncClient, session: str, wanted: list[str]
) -> None:
    answer = await shared_client.post(f"{session}/packages", json={"packages": wanted})
    assert 400 <= answer.status_code < 500, answer.text
    assert "/root" not in answer.text
