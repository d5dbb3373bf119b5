"""An agent in the page: it asks, one allows or denies, and all windows see the same."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from playwright.async_api import Page, expect

from cloche.config import AppConfig, LLMConfig, Secret
from cloche.llm import ToolCall
from cloche.llm.scripted_server import ScriptedServer
from tests.server.conftest import RunningServer, open_server, plain_config
from tests.server.page.conftest import LOST, OpenPage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ALLOW, DENY = re.compile("^Allow"), re.compile("^Deny")


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())


def with_model(folder: Path, model: ScriptedServer) -> AppConfig:
    """A configuration in which the user is asked before each action."""
    config = plain_config(folder, pool_size=0)
    llm = LLMConfig(model="scripted", api_key=Secret("a-key"), base_url=model.base_url)
    return replace(config, llm=llm, security=replace(config.security, confirmation_mode=True))


async def begin(server: RunningServer, message: str) -> str:
    async with server.client() as client:
        begun = await client.post("/api/sessions", json={"title": "With an agent", "initial_message": message})
    return begun.json()["id"]


async def test_what_the_agent_asks_is_allowed_once_and_denied_once(
    open_page: OpenPage, expected_errors: list[str], tmp_path: Path
) -> None:
    expected_errors.extend(LOST)
    script = [
        call("bash", command="echo allowed > made; cat made"),
        call("bash", command="echo never > other"),
        call("finish", message="I am done."),
    ]
    async with ScriptedServer(script) as model, open_server(with_model(tmp_path, model)) as server:
        sid = await begin(server, "Make the files.")
        page = await open_page(f"/s/{sid}", server=server)
        await expect(page.get_by_text("Make the files.").first).to_be_visible()
        await page.get_by_role("button", name=ALLOW).first.click(timeout=60_000)
        await expect(page.get_by_text("echo never > other").first).to_be_visible(timeout=30_000)
        await page.get_by_role("button", name=DENY).first.click()
        await expect(page.get_by_text("I am done.").first).to_be_visible(timeout=30_000)
        await expect(page.get_by_role("button", name=ALLOW)).to_have_count(0)
        async with server.client() as client:
            listed = (await client.get(f"/api/sessions/{sid}/files")).json()
        assert [each["path"].rpartition("/")[2] for each in listed["entries"]] == ["made"]


async def test_two_windows_see_the_same_and_one_answer_is_enough(
    open_page: OpenPage, expected_errors: list[str], tmp_path: Path
) -> None:
    expected_errors.extend(LOST)
    script = [call("bash", command="seq 3 | tac"), call("finish", message="Counted.")]
    async with ScriptedServer(script) as model, open_server(with_model(tmp_path, model)) as server:
        sid = await begin(server, "Count down.")
        first = await open_page(f"/s/{sid}", server=server)
        second = await open_page(f"/s/{sid}", server=server, beside=first)
        for page in (first, second):
            await expect(page.get_by_role("button", name=ALLOW).first).to_be_visible(timeout=60_000)
        await second.get_by_role("button", name=ALLOW).first.click()
        for page in (first, second):
            await expect(page.get_by_text("Counted.").first).to_be_visible(timeout=30_000)
            await expect(page.get_by_role("button", name=ALLOW)).to_have_count(0)
        assert await list_ids(first) == await list_ids(second)


async def list_ids(page: Page) -> list[str]:
    """The numbers of the events that a page shows."""
    found: str = await page.get_by_label("Events", exact=True).inner_text()
    return re.findall(r"#\d+", found)
