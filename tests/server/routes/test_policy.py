"""Trying the rules over HTTP."""

from pathlib import Path
from typing import Any

import httpx2
import pytest
from msgspec.structs import replace

from tests.server.conftest import StartServer, plain_config

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

OWN = """
[[rule]]
id = "no-frobnicating"
when = {command = "frobnicate"}
verdict = "deny"
reason = "Frobnicating is for experts"
advice = "Ask one."
"""


async def judge(client: httpx2.AsyncClient, path: str = "/api", **question: str) -> dict[str, Any]:
    answer = await client.post(f"{path}/policy", json=question)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_configured_rules_judge(shared_client: httpx2.AsyncClient) -> None:
    allowed = await judge(shared_client, command="ls -la")
    assert (allowed["decision"], allowed["findings"]) == ("allow", [])
    denied = await judge(shared_client, command="cd /; rm -rf *")
    assert (denied["decision"], denied["risk"], denied["findings"][0]["rule"]) == ("deny", "HIGH", "remove-everything")
    inside = await judge(shared_client, command="rm -rf *", cwd="/workspace/build")
    assert inside["decision"] == "allow"
    python = await judge(shared_client, command='import os; os.system("cat ~/.ssh/id_rsa")', language="python")
    assert (python["decision"], python["findings"][0]["rule"]) == ("ask", "keys")


async def test_the_rules_are_shown_in_their_order(
    shared_client: httpx2.AsyncClient, start_server: StartServer, tmp_path: Path
) -> None:
    builtin = (await shared_client.get("/api/policy")).json()
    assert (builtin["file"], builtin["verdict"], builtin["risk"]) == (None, "allow", "LOW")
    assert builtin["rules"][0]["id"] == "fork-bomb"
    file = tmp_path / "policy.toml"
    file.write_text(f'extends = "builtin"\n{OWN}')
    config = plain_config(tmp_path / "data", pool_size=0)
    config = replace(config, security=replace(config.security, policy=str(file)))
    async with start_server(config) as server, server.client() as client:
        own = (await client.get("/api/policy")).json()
    assert own["file"] == str(file)
    assert own["rules"][0] == {
        "id": "no-frobnicating",
        "when": {"command": ["frobnicate"]},
        "verdict": "deny",
        "risk": "HIGH",
        "reason": "Frobnicating is for experts",
        "advice": "Ask one.",
    }
    assert own["rules"][1:] == builtin["rules"]


async def test_rules_that_are_given_judge(shared_client: httpx2.AsyncClient, session: str) -> None:
    for path in ("/api", session):
        denied = await judge(shared_client, path, command="frobnicate --all", policy=OWN)
        assert denied["findings"] == [
            {
                "rule": "no-frobnicating",
                "reason": "Frobnicating is for experts",
                "decision": "deny",
                "risk": "HIGH",
                "excerpt": "frobnicate --all",
                "advice": "Ask one.",
            }
        ]
        assert (await judge(shared_client, path, command="rm -rf /", policy=OWN))["decision"] == "allow"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"command": "x", "policy": "[[rule]]\nid = 1"}, "the policy: rule number 1"),
        ({"command": "x", "policy": "= ="}, "is not TOML"),
        ({"command": "x", "language": "klingon"}, "klingon"),
        ({"command": "x", "cwd": "relative"}, "$.cwd"),
        ({}, "command"),
    ],
)
async def test_a_question_that_is_none_says_why(
    shared_client: httpx2.AsyncClient, question: dict[str, str], said: str
) -> None:
    answer = await shared_client.post("/api/policy", json=question)
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text


async def test_a_session_judges_by_its_analyzer_and_from_its_folder(start_server: StartServer, tmp_path: Path) -> None:
    config = plain_config(tmp_path / "data", pool_size=0)
    config = replace(config, security=replace(config.security, security_analyzer="rules, secrets"))
    async with start_server(config) as server, server.client() as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        key = await judge(client, session, command="export T=ghp_abcdefghijklmnopqrstuvwxyz0123456789")
        assert (key["decision"], key["analyzer"]) == ("ask", "rules, secrets")
        assert (await judge(client, session, command="rm -rf *"))["decision"] == "ask"
        go = {"action": "run", "args": {"command": "mkdir -p build && cd build && alias ls='rm -rf /'"}}
        await client.post(f"{session}/actions", json=go)
        assert (await judge(client, session, command="rm -rf *"))["decision"] == "allow"
        # The shell is asked how it reads a command: with its aliases.
        read = await judge(client, session, command="ls")
        assert (read["decision"], [each["rule"] for each in read["findings"]]) == ("ask", ["unparsable"])
        told = await client.get(f"{session}/security/rules")
        assert (told.status_code, told.headers["content-security-policy"]) == (200, "sandbox")
        assert "remove-everything" in [rule["id"] for rule in told.json()["rules"]]
        assert (await client.post(f"{session}/security/rules", content=b"x")).status_code == 404
        assert (await client.get(f"{session}/security/")).status_code == 404
