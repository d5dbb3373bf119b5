"""The engine for Play as the server gives it: to everybody, kept for ever, and nothing else than its files."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from cloche.sandbox.embedding.site import site_key
from tests.sandbox.conftest import prepared
from tests.server.conftest import RunningServer, open_server, plain_config

__all__ = ["prepared"]


@pytest.fixture(scope="module")
async def served(assets: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningServer]:
    """A server for the tests of this module."""
    async with open_server(plain_config(tmp_path_factory.mktemp("engine"), pool_size=0)) as running:
        yield running


async def test_the_index_names_a_root_below_which_files_never_change(served: RunningServer) -> None:
    async with served.client(None) as client:
        index = (await client.get("/engine/site.json")).json()
        worker = await client.get(f"/{index['root']}worker.js")
    assert index["root"] == f"engine/{site_key()}/"
    assert "immutable" in worker.headers["cache-control"]
    assert worker.headers["content-encoding"] == "gzip"
    assert worker.headers["cross-origin-embedder-policy"] == "require-corp"
    assert "'wasm-unsafe-eval'" in worker.headers["content-security-policy"]


async def test_a_language_that_is_there_names_its_files_with_sizes(served: RunningServer, prepared: None) -> None:
    async with served.client(None) as client:
        found = (await client.get("/engine/ready/python")).json()
        unknown = await client.get("/engine/ready/cobol")
    assert found["ready"] is True
    sizes = dict(found["files"])
    assert sizes["snapshot"] > 10_000_000
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    "path",
    ["../site.py", "assets/../../x", "assets/node_modules/pyodide/package.json", "packs/lua/../../x", "nothing.js"],
)
async def test_nothing_else_is_served(served: RunningServer, path: str) -> None:
    async with served.client(None) as client:
        answer = await client.get(f"/engine/{site_key()}/{path.replace('..', '%2e%2e')}")
        other = await client.get("/engine/0123456789abcdef/worker.js")
    assert (answer.status_code, other.status_code) == (404, 404)
