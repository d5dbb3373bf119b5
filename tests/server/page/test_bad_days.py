"""What goes wrong around a page: the server restarts, sessions vanish, tabs sleep, networks are slow."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from cloche.events import Unknown, new_event
from tests.server.conftest import RunningServer, open_server, plain_config
from tests.server.page.conftest import LOST, NewSession, OpenPage, open_devtools, run_bash

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

AWAY = "The server does not answer."


@asynccontextmanager
async def serving(folder: Path, port: int) -> AsyncGenerator[RunningServer]:
    """A server on this port, with what an earlier one has left in the folder."""
    async with open_server(plain_config(folder, pool_size=0), port=port) as server:
        yield server


def find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


async def act(server: RunningServer, sid: str, command: str) -> None:
    async with server.client() as client:
        done = await client.post(f"/api/sessions/{sid}/actions", json=run_bash(command), timeout=60)
        assert done.is_success, done.text


async def test_after_a_restart_of_the_server_the_page_shows_what_it_missed(
    open_page: OpenPage, expected_errors: list[str], tmp_path: Path
) -> None:
    port = find_port()
    async with serving(tmp_path, port) as server:
        async with server.client() as client:
            sid = (await client.post("/api/sessions", json={"title": "Long lived"})).json()["id"]
        await act(server, sid, "echo first | rev")
        page = await open_page(f"/s/{sid}", server=server)
        await expect(page.get_by_text("tsrif").first).to_be_visible()
        # Another window of the same browser, in which nothing is going on.
        beside = await open_page("/settings", server=server, beside=page)
        await expect(beside.get_by_role("heading", name="Defaults")).to_be_visible()
    await expect(page.get_by_text(AWAY)).to_be_visible()
    async with serving(tmp_path, port) as server:
        await act(server, sid, "echo second | rev")
        await expect(page.get_by_text("dnoces").first).to_be_visible(timeout=20_000)
        await expect(page.get_by_text(AWAY)).to_have_count(0)
        await expect(page.get_by_text("tsrif").first).to_be_visible()
        await act(server, sid, "echo third | rev")
        await expect(page.get_by_text("driht").first).to_be_visible()
    expected_errors.extend(LOST)


async def test_a_list_of_sessions_comes_back_with_the_server(
    open_page: OpenPage, expected_errors: list[str], tmp_path: Path
) -> None:
    port = find_port()
    async with serving(tmp_path, port) as server:
        page = await open_page(server=server)
        await expect(page.get_by_role("heading", name="No sessions yet")).to_be_visible()
    await expect(page.get_by_text(AWAY)).to_be_visible(timeout=20_000)
    async with serving(tmp_path, port) as server:
        async with server.client() as client:
            await client.post("/api/sessions", json={"title": "Made meanwhile"})
        await expect(page.get_by_role("link", name="Made meanwhile")).to_be_visible(timeout=20_000)
        await expect(page.get_by_text(AWAY)).to_have_count(0)
        await expect(page.get_by_role("alert")).to_have_count(0)
    expected_errors.extend(LOST)


async def test_a_session_deleted_elsewhere_says_so_and_leads_back(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession, expected_errors: list[str]
) -> None:
    sid = await new_session(run_bash("echo soon gone"), title="Short lived")
    page = await open_page(f"/s/{sid}")
    await expect(page.get_by_text("soon gone").first).to_be_visible()
    async with page_server.client() as client:
        assert (await client.delete(f"/api/sessions/{sid}")).status_code == 204
    await expect(page.get_by_text("Short lived was deleted in another window.")).to_be_visible()
    await page.get_by_role("link", name="All sessions").click()
    await expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    expected_errors.append("404")


async def test_an_address_of_no_session_says_so(open_page: OpenPage, expected_errors: list[str]) -> None:
    page = await open_page(f"/s/{'0' * 32}")
    await expect(page.get_by_role("heading", name="This session is not there")).to_be_visible()
    await page.goto(f"{page.url.partition('/s/')[0]}/settings/nothing")
    await expect(page.get_by_role("heading", name="There are no such settings")).to_be_visible()
    expected_errors.append("404")


async def test_events_of_an_unknown_kind_are_shown_and_disturb_nothing(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession
) -> None:
    sid = await new_session(run_bash("echo before"))
    hosted = await page_server.app.manager.find(sid)
    hologram = {"observation": "hologram", "content": "from a later version", "extras": {"depth": [1, {"a": None}]}}
    teleport = {"action": "teleport", "args": {"to": "elsewhere"}}
    await hosted.stream.add_event(new_event(Unknown("hologram", hologram), "environment"))
    await hosted.stream.add_event(new_event(Unknown("teleport", teleport), "agent"))
    await act(page_server, sid, "echo after | rev")
    page = await open_page(f"/s/{sid}")
    await expect(page.get_by_text("hologram").first).to_be_visible()
    await expect(page.get_by_text("teleport").first).to_be_visible()
    await expect(page.get_by_text("retfa").first).to_be_visible()


async def test_a_tab_that_slept_has_everything_when_it_wakes(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession
) -> None:
    sid = await new_session(run_bash("echo awake"))
    page = await open_page(f"/s/{sid}")
    await expect(page.get_by_text("awake").first).to_be_visible()
    devtools = await open_devtools(page)
    await devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    for number in range(20):
        await act(page_server, sid, f"echo asleep-{number}")
    await devtools.send("Page.setWebLifecycleState", {"state": "active"})
    await expect(page.get_by_text("asleep-19").first).to_be_visible()
    async with page_server.client() as client:
        await client.post(f"/api/sessions/{sid}/actions", json=run_bash("echo awake again | rev"))
    await expect(page.get_by_text("niaga ekawa").first).to_be_visible()


async def slow_down(page: Page, *, latency: float, bytes_per_second: float) -> None:
    devtools = await open_devtools(page)
    limits: dict[str, Any] = {"offline": False, "latency": latency}
    await devtools.send("Network.enable")
    await devtools.send(
        "Network.emulateNetworkConditions",
        {**limits, "downloadThroughput": bytes_per_second, "uploadThroughput": bytes_per_second},
    )


async def test_a_slow_network_delays_and_loses_nothing(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession
) -> None:
    sid = await new_session(run_bash("echo far away | rev"), title="Far away")
    page = await open_page()
    await slow_down(page, latency=800, bytes_per_second=40_000)
    await page.reload()
    await page.get_by_role("link", name="Far away").click(timeout=60_000)
    await expect(page.get_by_text("yawa raf").first).to_be_visible(timeout=60_000)
    await act(page_server, sid, "echo still here | rev")
    await expect(page.get_by_text("ereh llits").first).to_be_visible(timeout=30_000)


async def test_a_page_that_was_offline_goes_on_by_itself(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession, expected_errors: list[str]
) -> None:
    sid = await new_session(run_bash("echo online"))
    page = await open_page(f"/s/{sid}")
    await expect(page.get_by_text("online").first).to_be_visible()
    await page.context.set_offline(True)
    await act(page_server, sid, "echo meanwhile | rev")
    await page.context.set_offline(False)
    await expect(page.get_by_text("elihwnaem").first).to_be_visible(timeout=30_000)
    expected_errors.append("ERR_INTERNET_DISCONNECTED")
