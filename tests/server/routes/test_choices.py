"""What may be chosen, over HTTP."""

from pathlib import Path

import httpx2
import pytest
from msgspec.structs import replace

from cloche.config import LLMConfig, Secret
from tests.server.conftest import StartServer, plain_config

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def test_what_may_be_chosen_is_listed_with_the_defaults(shared_client: httpx2.AsyncClient) -> None:
    choices = (await shared_client.get("/api/choices")).json()
    assert "pyodide" in choices["runtimes"]
    assert "CodeActAgent" in choices["agents"]
    assert choices["security_analyzers"] == ["llm", "rules", "secrets"]
    assert len(choices["languages"]) == 11
    assert choices["models"] == []
    assert (choices["defaults"]["runtime"], choices["defaults"]["agent"]) == ("pyodide", "CodeActAgent")


async def test_models_are_named_and_no_key_is_told(start_server: StartServer, tmp_path: Path) -> None:
    key = "sk-very-secret-key-of-a-model"
    config = plain_config(tmp_path / "data", pool_size=0)
    llm = LLMConfig(model="large", api_key=Secret(key))
    config = replace(config, llm=llm, llms={"small": replace(llm, model="little")})
    async with start_server(config) as server, server.client() as client:
        choices = await client.get("/api/choices")
        models = [{"name": "", "model": "large"}, {"name": "small", "model": "little"}]
        assert choices.json()["models"] == models
        shown = await client.get("/api/config")
        assert shown.json()["llm"]["small"]["model"] == "little"
        assert shown.json()["llm"]["api_key"]
        assert key not in choices.text + shown.text
