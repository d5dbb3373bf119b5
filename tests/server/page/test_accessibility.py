"""Each page as axe-core sees it, in light and dark, wide and narrow."""

from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread
from playwright.async_api import Page, expect

from tests.server.page.conftest import NewSession, OpenPage, run_bash, run_python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
SETTINGS = ("/settings", "/settings/config", "/settings/policy", "/settings/tokens", "/settings/tools")
looks = pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 1280), (False, 400)])


async def find_faults(page: Page) -> list[str]:
    """What is wrong in a way that keeps somebody from using the page."""
    source = await to_thread.run_sync(AXE.read_text)
    await page.evaluate(source)
    found: Any = await page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


async def fits(page: Page) -> bool:
    """Whether the page is as wide as its window, and all that one can press is in it."""
    return await page.evaluate(
        """() => document.querySelector('main').scrollWidth <= innerWidth &&
        [...document.querySelectorAll('main :is(button, input, select, textarea)')].every((each) =>
            each.closest('[role=tablist]') || each.getBoundingClientRect().right <= innerWidth)"""
    )


@looks
async def test_the_sessions_and_their_dialogs(
    open_page: OpenPage, new_session: NewSession, dark: bool, width: int
) -> None:
    await new_session(run_bash("true"), title="One of them")
    page = await open_page(dark=dark, width=width)
    await expect(page.get_by_role("link", name="One of them").first).to_be_visible()
    assert await find_faults(page) == []
    await page.get_by_role("button", name="What to do with").first.click()
    assert await find_faults(page) == []
    await page.keyboard.press("Escape")
    for key in ("n", "Control+k", "?"):
        await page.locator("h1").click()
        await page.keyboard.press(key)
        await expect(page.get_by_role("dialog")).to_be_visible()
        assert await find_faults(page) == []
        await page.keyboard.press("Escape")


@looks
async def test_a_session(open_page: OpenPage, new_session: NewSession, dark: bool, width: int) -> None:
    sid = await new_session(run_bash("ls -la; exit 3"), run_python("1/0"), run_bash("echo done > f"))
    page = await open_page(f"/s/{sid}", dark=dark, width=width)
    await expect(page.get_by_text("ZeroDivisionError").first).to_be_visible()
    assert await find_faults(page) == []
    assert await fits(page)
    for name in await page.get_by_role("tab").all_inner_texts():
        await page.get_by_role("tab", name=name).click()
        await expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        await page.wait_for_load_state("networkidle")
        assert await find_faults(page) == []


@looks
async def test_play_the_settings_and_the_page_that_asks_for_a_token(
    open_page: OpenPage, dark: bool, width: int
) -> None:
    page = await open_page("/play", dark=dark, width=width)
    origin = page.url.removesuffix("/play")
    for path in ("/play", *SETTINGS, "/login"):
        await page.goto(f"{origin}{path}")
        await page.wait_for_load_state("networkidle")
        assert await find_faults(page) == []
        assert await fits(page), f"{path} is wider than the window"
