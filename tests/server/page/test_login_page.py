"""The page without a valid token."""

import pytest
from anyio import to_thread
from playwright.async_api import Page, expect

from tests.server.conftest import OWNER, RunningServer
from tests.server.page.conftest import NewSession, OpenPage, find_command, run_bash

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


UNKNOWN = "401"


async def enter(page: Page, token: str) -> None:
    await page.get_by_label("Token").fill(token)
    await page.get_by_role("button", name="Log in").click()


async def test_who_has_no_token_is_asked_for_one_and_then_sees_what_was_wanted(
    open_page: OpenPage, new_session: NewSession, expected_errors: list[str]
) -> None:
    sid = await new_session(run_bash("echo inside"))
    page = await open_page(f"/s/{sid}", token=None)
    await expect(page.get_by_role("heading", name="This page needs a token")).to_be_visible()
    await enter(page, "wrong")
    await expect(page.get_by_role("alert")).to_have_text("The server does not know this token.")
    await enter(page, "with blänks and ümlauts")
    await expect(page.get_by_role("alert")).to_have_text("The server does not know this token.")
    await enter(page, OWNER)
    await expect(page.get_by_text("inside").first).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("inside").first).to_be_visible()
    assert await page.evaluate("document.cookie") == "", "scripts cannot read it"
    expected_errors.append(UNKNOWN)


async def test_a_wrong_token_in_the_address_is_said(
    open_page: OpenPage, page_server: RunningServer, expected_errors: list[str]
) -> None:
    page = await open_page(token=None)
    await page.goto(f"{page_server.url}/settings?token=expired")
    await expect(page.get_by_role("heading", name="The token in the address is not valid")).to_be_visible()
    await enter(page, OWNER)
    await expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    expected_errors.append(UNKNOWN)


async def test_a_token_that_is_revoked_leads_to_the_page_that_asks_for_one(
    open_page: OpenPage, page_server: RunningServer, expected_errors: list[str]
) -> None:
    token = await page_server.add_user("ada")
    page = await open_page(token=token)
    await expect(page.get_by_role("heading", name="No sessions yet")).to_be_visible()
    await to_thread.run_sync(page_server.tokens.revoke, "ada")
    await expect(page.get_by_label("Token")).to_be_visible()
    expected_errors.append(UNKNOWN)


async def test_one_logs_out_by_the_palette(open_page: OpenPage, expected_errors: list[str]) -> None:
    page = await open_page()
    await expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    await expect(await find_command(page, "log out")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Token")).to_be_visible()
    await page.reload()
    await expect(page.get_by_label("Token")).to_be_visible()
    expected_errors.append(UNKNOWN)
