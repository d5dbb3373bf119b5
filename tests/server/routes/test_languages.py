"""Languages over HTTP."""

from typing import Any

import httpx2
import pytest

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


def by_name(answer: httpx2.Response) -> dict[str, dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    return {each["name"]: each for each in answer.json()}


async def test_languages_are_listed_for_the_server_and_for_a_session(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    known = by_name(await shared_client.get("/api/languages"))
    assert len(known) == 11
    assert not any(each["loaded"] for each in known.values())
    assert known["bash"]["fetched"]
    cell = {"action": "run_ipython", "args": {"code": "kept = 1"}}
    await shared_client.post(f"{session}/actions", json=cell)
    here = by_name(await shared_client.get(f"{session}/languages"))
    assert (here["python"]["loaded"], here["python"]["memory"] > 1_000_000) == (True, True)


async def test_a_language_is_unloaded_with_its_variables_and_that_is_on_record(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    code = {"action": "run_code", "args": {"language": "sql", "code": "create temp table t(a); select 1"}}
    assert (await shared_client.post(f"{session}/actions", json=code)).status_code == 200
    unload = f"{session}/languages/sql/unload"
    assert (await shared_client.post(unload)).json() == {"unloaded": True}
    assert (await shared_client.post(unload)).json() == {"unloaded": False}
    events = (await shared_client.get(f"{session}/events", params={"query": "unloaded", "kind": "status"})).json()
    assert [event["message"] for event in events["events"]] == ["SQL was unloaded, with its variables."]
    unknown = await shared_client.post(f"{session}/languages/klingon/unload")
    assert (unknown.status_code, "klingon" in unknown.json()["detail"]) == (422, True)
