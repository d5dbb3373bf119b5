"""The stream of a session in the page: its cards, its search, its keys, what one types."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.page.conftest import NewSession, OpenPage, run_bash, run_code, run_python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def stream_of(page: Page) -> Locator:
    """The list of events."""
    return page.get_by_role("feed", name="Events of the session")


async def run_in_page(page: Page, kind: str, text: str) -> None:
    """Type something below the stream, and run it."""
    await page.get_by_label("Kind", exact=True).select_option(kind)
    await page.locator(".composer .cm-content").click()
    await page.keyboard.type(text)
    await page.keyboard.press("Control+Enter")


async def test_an_output_is_folded_until_one_wants_all_of_it(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_page(f"/s/{await new_session(run_bash('seq 1001 1100'))}")
    stream = stream_of(page)
    await expect(stream.get_by_text("1099")).to_be_visible()
    await expect(stream.get_by_text("1050")).to_have_count(0)
    await stream.get_by_role("button", name="show 80 more lines").click()
    await expect(stream.get_by_text("1050")).to_be_visible()


async def test_colours_of_a_command_and_the_value_of_code_are_shown(
    open_page: OpenPage, new_session: NewSession
) -> None:
    colours = run_bash("printf '\\033[31mred\\033[0m\\n'")
    page = await open_page(f"/s/{await new_session(colours, run_code('lua', 'return 6 * 7'))}")
    await expect(stream_of(page).locator(".ansi-color-1")).to_have_text("red")
    await expect(stream_of(page).get_by_text("42", exact=True)).to_be_visible()


async def test_failures_can_be_chosen_and_texts_found(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_page(f"/s/{await new_session(run_bash('echo fine'), run_bash('exit 3'), run_python('1/0'))}")
    await page.get_by_label("Kind of events").select_option("failures")
    await expect(stream_of(page).get_by_text("exit 3", exact=True).first).to_be_visible()
    await expect(stream_of(page).get_by_text("echo fine")).to_have_count(0)
    await page.get_by_label("Kind of events").select_option("all")
    await page.keyboard.press("Escape")
    await stream_of(page).focus()
    await page.keyboard.press("/")
    await page.keyboard.type("ZeroDivision")
    await expect(stream_of(page).get_by_role("article")).to_have_count(1)


async def test_what_one_types_runs_and_comes_back_by_the_arrow_key(
    open_page: OpenPage, new_session: NewSession
) -> None:
    page = await open_page(f"/s/{await new_session()}")
    await run_in_page(page, "bash", "echo glass | rev")
    await expect(stream_of(page).get_by_text("ssalg", exact=True)).to_be_visible(timeout=60_000)
    await expect(page.locator(".composer .cm-content")).not_to_contain_text("glass")
    await page.keyboard.press("ArrowUp")
    await expect(page.locator(".composer .cm-content")).to_contain_text("echo glass | rev")


async def test_a_command_that_asks_gets_its_line(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_page(f"/s/{await new_session()}")
    await run_in_page(page, "bash", "read -p 'Name? ' x; echo hello $x")
    line = page.get_by_role("textbox", name="A line for")
    await line.fill("Ann", timeout=60_000)
    await line.press("Enter")
    await expect(stream_of(page).get_by_text("hello Ann", exact=True)).to_be_visible()
    await expect(line).to_have_count(0)


async def test_raw_events_lead_back_in_time(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_page(f"/s/{await new_session(run_bash('echo first'), run_bash('echo second'))}")
    await expect(stream_of(page).get_by_text("second", exact=True)).to_be_visible()
    await page.get_by_role("tab", name="Raw").click()
    await page.get_by_role("row").filter(has_text="run").first.click()
    await page.get_by_role("button", name="show the session as it was here").click()
    await expect(page.get_by_text("The session as it was at event")).to_be_visible()
    await expect(stream_of(page).get_by_text("second", exact=True)).to_have_count(0)
    await page.get_by_role("button", name="Back to now").click()
    await expect(stream_of(page).get_by_text("second", exact=True)).to_be_visible()


async def test_events_are_exported_one_a_line(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_page(f"/s/{await new_session(run_bash('echo first'))}")
    await page.get_by_role("tab", name="Raw").click()
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Export JSONL").click()
    download = await waiting.value
    lines = (await download.path()).read_text().splitlines()
    assert [line for line in lines if '"observation":"run"' in line]
