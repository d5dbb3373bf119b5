"""What may be chosen, over HTTP."""

from pathlib import Path

import httpx2
import pytest
from anyio import to_thread
from msgspec.structs import replace

from cloche.config import LLMConfig, Secret, load_config
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


async def test_each_setting_has_its_source_and_a_sentence(start_server: StartServer, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[llm]\nmodel = "large"\napi_key = "sk-very-secret"\n[llm.small]\nmodel = "little"\n')
    env = {"CLOCHE_CORE__FILE_STORE_PATH": str(tmp_path), "CLOCHE_MCP__PYODIDE__URL": "http://127.0.0.1:1/mcp"}
    config = await to_thread.run_sync(load_config, file, env)
    async with start_server(config) as server, server.client() as client:
        found = (await client.get("/api/config/settings")).json()
    settings = {(each["section"], each["name"]): each for each in found["settings"]}
    assert found["file"] == str(file)
    assert settings["core", "max_iterations"] == {
        "section": "core",
        "name": "max_iterations",
        "value": "500",
        "source": "default",
        "variable": "CLOCHE_CORE__MAX_ITERATIONS",
        "about": "Steps an agent may take in one task.",
    }
    assert settings["core", "file_store_path"]["source"] == "CLOCHE_CORE__FILE_STORE_PATH"
    assert settings["llm.small", "model"]["source"] == f"{file}, line 5"
    assert settings["llm", "api_key"]["value"] == '"********"'
    assert settings["llm", "base_url"]["value"] is None
    assert settings["mcp.pyodide", "url"]["about"] == "Its address."
    assert [each for each in settings if not settings[each]["about"]] == []
