"""What tests do with Play in a browser."""

import re

from playwright.async_api import Page, expect

LOADED = 30_000
"""Milliseconds that a language may take to load while other tests run."""
WATCH = """() => {
  const status = document.querySelector(".play-status");
  window.begun = new Promise((resolve) =>
    new MutationObserver(resolve).observe(status, { characterData: true, childList: true, subtree: true })
  );
}"""
"""Notes the next change of what is said of a run, without waiting for it."""
ENDED = re.compile(r"^(Done|Failed|Stopped|Could not run)")


async def type_code(page: Page, code: str) -> None:
    """Replace what is in the editor."""
    editor = page.get_by_role("textbox", name="Code", exact=True)
    await editor.click()
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text(code)


async def start_code(page: Page, code: str, language: str | None = None) -> None:
    """Begin to run code, in another language if one is named."""
    await expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=LOADED)
    if language is not None:
        await page.get_by_label("Language", exact=True).select_option(language)
    await type_code(page, code)
    # What runs for a moment only has begun and ended before one can look.
    await page.evaluate(WATCH)
    await page.keyboard.press("Control+Enter")
    await page.evaluate("window.begun")


async def await_end(page: Page) -> str:
    """Wait until what runs has ended; returns how."""
    status = page.locator(".play-status [role=status]")
    await expect(status).to_have_text(ENDED, timeout=LOADED)
    return await status.inner_text()


async def run_code(page: Page, code: str, language: str | None = None) -> str:
    """What code shows."""
    await start_code(page, code, language)
    await await_end(page)
    return await page.get_by_role("log").inner_text()
