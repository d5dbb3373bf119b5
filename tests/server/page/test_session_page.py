"""A session in the page."""

import pytest
from playwright.async_api import Page, expect

from tests.server.conftest import RunningServer
from tests.server.page.conftest import NewSession, OpenPage, run_bash, run_python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_the_list_leads_to_a_session_and_its_events(
    page: Page, page_server: RunningServer, new_session: NewSession
) -> None:
    await new_session(run_bash("echo glass | rev"), title="Backwards")
    await page.goto(page_server.url)
    await page.get_by_role("link", name="Backwards").click()
    await expect(page.get_by_text("ssalg")).to_be_visible()


async def test_a_session_shows_what_ran_before_it_was_opened(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_python("print(6 * 7)"))
    page = await open_page(f"/s/{sid}", width=400, dark=True)
    await expect(page.get_by_text("42", exact=True)).to_be_visible()
