"""The list of sessions: begin, find, rename, fork, stop and delete one."""

import re
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Locator, Page, expect

from cloche.events import EventStream, MessageAction, SQLiteStore
from tests.server.conftest import RunningServer, open_server, plain_config
from tests.server.page.conftest import LOST, NewSession, OpenPage, find_command, run_bash

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


AGENT = re.compile("^Agent")


def row_of(page: Page, title: str) -> Locator:
    return page.get_by_role("row", name=re.compile(re.escape(title)))


async def choose(page: Page, title: str, item: str) -> None:
    """Choose from the menu of a session."""
    await page.get_by_role("button", name=f"What to do with {title}").click()
    await page.get_by_role("menuitem", name=item).click()


async def test_a_session_is_begun_and_the_form_remembers_what_was_chosen(page: Page) -> None:
    await expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    await page.keyboard.press("n")
    form = page.get_by_role("dialog", name="New session")
    await form.get_by_label("Title").fill("Begun by hand")
    await form.get_by_role("combobox", name=AGENT).select_option("CodeCellAgent")
    await form.get_by_role("button", name="Begin", exact=True).click()
    await expect(page.get_by_role("heading", name="Begun by hand")).to_be_visible()
    await page.get_by_role("link", name="Sessions").click()
    await page.get_by_role("button", name="New session").click()
    await expect(form.get_by_role("combobox", name=AGENT)).to_have_value("CodeCellAgent")
    await expect(form.get_by_label("Title")).to_have_value("")
    await form.get_by_role("button", name="Forget the last choices").click()
    await expect(form.get_by_role("combobox", name=AGENT)).to_have_value("")


async def test_why_a_session_did_not_start_is_said(page: Page, expected_errors: list[str]) -> None:
    await page.get_by_role("button", name="New session").first.click()
    form = page.get_by_role("dialog", name="New session")
    await form.get_by_label("Title").fill("Without its repository")
    await form.get_by_label("Repository").fill("/nonexistent/repository")
    await form.get_by_role("button", name="Begin", exact=True).click()
    await expect(page.get_by_text("is no folder of this machine").first).to_be_visible(timeout=30_000)
    await page.get_by_role("link", name="Sessions").click()
    await expect(row_of(page, "Without its repository")).to_contain_text("is no folder of this machine")
    expected_errors.append("409")


async def test_who_may_only_read_is_told_so_by_the_form(
    open_page: OpenPage, page_server: RunningServer, page_errors: list[str]
) -> None:
    page = await open_page(token=await page_server.add_user("reader", "read"))
    await page.get_by_role("button", name="New session").first.click()
    form = page.get_by_role("dialog", name="New session")
    await form.get_by_role("button", name="Begin", exact=True).click()
    await expect(form.get_by_role("alert")).to_contain_text("The token of reader may only read.")
    assert len(page_errors) == 1, "the answer 403"
    page_errors.clear()


async def test_a_session_is_renamed_forked_stopped_and_deleted(page: Page, new_session: NewSession) -> None:
    await new_session(run_bash("echo one > f"), title="Before")
    await choose(page, "Before", "Rename")
    await page.get_by_role("dialog", name="Rename").get_by_label("Title").fill("After")
    await page.keyboard.press("Enter")
    await expect(row_of(page, "After")).to_be_visible()
    await expect(row_of(page, "Before")).to_have_count(0)

    await choose(page, "After", "Fork")
    await expect(page).to_have_url(re.compile("/s/[0-9a-f]+$"))
    await page.get_by_role("link", name="Sessions").click()
    await expect(page.get_by_text("fork of")).to_be_visible()
    await expect(row_of(page, "After")).to_have_count(2)

    original = row_of(page, "After").filter(has_not_text="fork of")
    await original.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Stop").click()
    await expect(original).to_contain_text("stored")

    await original.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Delete").click()
    asked = page.get_by_role("dialog", name="Delete this session?")
    await asked.get_by_role("button", name="Keep it").click()
    await expect(row_of(page, "After")).to_have_count(2)
    await original.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await asked.get_by_role("button", name="Delete").click()
    await expect(row_of(page, "After")).to_have_count(1)


async def test_the_state_of_a_session_changes_while_one_looks(
    page: Page, page_server: RunningServer, new_session: NewSession
) -> None:
    sid = await new_session(run_bash("true"), title="Watched")
    await expect(row_of(page, "Watched")).to_contain_text("ready")
    async with page_server.client() as client:
        await client.post(f"/api/sessions/{sid}/stop")
    await expect(row_of(page, "Watched")).to_contain_text("stored")


async def test_sessions_are_found_and_opened_by_keyboard(page: Page, new_session: NewSession) -> None:
    await new_session(run_bash("true"), title="Parsers of today")
    await new_session(run_bash("true"), title="Parsers of yesterday")
    await page.keyboard.press("/")
    await page.keyboard.type("parsers of")
    await expect(page.locator("tbody tr")).to_have_count(2)
    # Both have begun, so that their order stays.
    await expect(page.locator("tbody tr").get_by_text("ready")).to_have_count(2)
    names = page.locator("tbody tr a")
    first, second = await names.all_inner_texts()
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("link", name=first)).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("link", name=second)).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=first)).to_be_visible()


async def test_more_than_a_hundred_sessions_are_listed_in_steps(
    open_page: OpenPage, expected_errors: list[str], tmp_path: Path
) -> None:
    expected_errors.extend(LOST)
    await anyio.Path(tmp_path / "data").mkdir()
    async with SQLiteStore(tmp_path / "data" / "events.db") as store:
        for number in range(120):
            await EventStream(f"many-{number:03}", store).add_event(MessageAction("Hello"), "user")
    async with open_server(plain_config(tmp_path / "data", pool_size=0)) as server:
        page = await open_page(server=server)
        await expect(page.locator("tbody tr")).to_have_count(100)
        await page.get_by_role("button", name="Show 100 more").click()
        await expect(page.locator("tbody tr")).to_have_count(120)
        await expect(page.get_by_role("button", name="Show 100 more")).to_have_count(0)
        await page.get_by_label("Search by title or id").fill("many-07")
        await expect(page.locator("tbody tr")).to_have_count(10)


async def test_the_palette_leads_everywhere(page: Page, new_session: NewSession) -> None:
    await new_session(title="Found by its letters")
    await expect(await find_command(page, "fbitslet")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Found by its letters")).to_be_visible()
    await expect(await find_command(page, "tokens")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/settings/tokens$"))


async def test_the_keys_are_shown_in_a_window(page: Page) -> None:
    await expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    await page.keyboard.press("?")
    window = page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(window.get_by_text("New session")).to_be_visible()
    await page.keyboard.press("n")
    await expect(page.get_by_role("dialog", name="New session")).to_have_count(0)
    await page.keyboard.press("Escape")
    await expect(window).to_have_count(0)
