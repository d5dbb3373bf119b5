"""The description of the routes: complete, and true, as schemathesis finds by asking the server what it describes."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
import pytest
from fastapi.routing import APIRoute

from cloche.server.app import API, ROUTERS
from tests.server.conftest import OWNER, RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

SECONDS = 60
"""How long the routes are asked."""
ENDING = r"^/api/sessions/\{sid\}(/stop)?$"
"""Routes that end the session that the others use."""
FREE = (
    "POST /api/policy",
    "POST /api/sessions/{sid}/policy",
    "POST /api/sessions",
    "POST /api/sessions/{sid}/packages",
    "POST /api/sessions/{sid}/calls",
)
"""Bodies with texts whose grammar no schema can say: rules, requirements, base64, names of what is configured."""


@pytest.fixture(scope="module")
async def described(shared_client: httpx2.AsyncClient) -> dict[str, Any]:
    return (await shared_client.get("/api/openapi.json")).json()


async def test_every_route_is_described_with_a_sentence_and_its_answers(described: dict[str, Any]) -> None:
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            for method in route.methods or ():
                path = route.path.replace(":path}", "}")
                operation = described["paths"][f"{API}{path}"][method.lower()]
                assert operation["description"].endswith("."), operation
                assert operation["tags"]
                told = operation["responses"]
                assert {"400", "401", "403", "422", "429", "503"} <= set(told)
                problems = {
                    code for code, each in told.items() if "application/problem+json" in each.get("content", {})
                }
                assert problems == {code for code in told if code >= "400"}


async def test_every_reference_leads_somewhere(described: dict[str, Any]) -> None:
    known = described["components"]["schemas"]
    named = set(re.findall(r'"\$ref":"#/components/schemas/([^"]+)"', msgspec.json.encode(described).decode()))
    assert named <= set(known)
    assert len(named) > 20
    assert "ProblemDetails" in known


async def ask(server: RunningServer, folder: Path, sid: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    """What schemathesis finds, with all its checks."""
    lenient = '["2xx", "401", "403", "404", "409", "422", "429", "5xx"]'
    settings = [f'[parameters]\n"path.sid" = "{sid}"']
    settings += [
        f'[[operations]]\ninclude-name = "{name}"\nchecks.positive_data_acceptance.expected-statuses = {lenient}'
        for name in FREE
    ]
    # A file may turn out to be no text.
    textless = '["2xx", "401", "403", "404", "406", "409", "416", "5xx"]'
    name = "GET /api/sessions/{sid}/files/content"
    settings += [
        f'[[operations]]\ninclude-name = "{name}"\nchecks.positive_data_acceptance.expected-statuses = {textless}'
    ]
    file = anyio.Path(folder / "schemathesis.toml")
    await file.write_text("\n".join(settings))
    program = Path(sys.executable).with_name("schemathesis")
    given: Sequence[str] = (
        *(str(program), "--config-file", str(file), "run", f"{server.url}/api/openapi.json", "--checks", "all"),
        *("--header", f"Authorization: Bearer {OWNER}", "--phases", "examples,coverage,fuzzing", "--seed", "1"),
        *("--request-timeout", "60", "--max-response-time", "60", "--generation-database", "none", "--no-color"),
    )
    return await anyio.run_process([*given, *options], check=False, cwd=folder, stderr=subprocess.STDOUT)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_what_is_asked_as_described_is_answered_as_described(
    shared_server: RunningServer, shared_client: httpx2.AsyncClient, session: str, tmp_path: Path
) -> None:
    await shared_client.put(f"{session}/files/content", params={"path": "a/b.txt"}, content="text\n")
    sid = session.rpartition("/")[2]
    bounded = ("--max-time", str(SECONDS), "--exclude-path-regex", ENDING)
    found = await ask(shared_server, tmp_path, sid, *bounded)
    assert found.returncode == 0, found.stdout.decode()
    found = await ask(shared_server, tmp_path, sid, "--max-examples", "5", "--include-path-regex", ENDING)
    assert found.returncode == 0, found.stdout.decode()
