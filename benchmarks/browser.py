"""Chromium without a window."""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page, async_playwright

from benchmarks.peers import PeerFailed

FLAGS = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")
NAMES = ("chromium", "google-chrome", "chromium-browser")


@asynccontextmanager
async def open_browser() -> AsyncGenerator[Browser]:
    """The browser of this machine."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise PeerFailed("there is no chromium here")
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=program, args=[*FLAGS, "--no-first-run"])
        try:
            yield browser
        except Error as error:
            raise PeerFailed(f"the page: {error.message.partition(chr(10))[0]}") from error
        finally:
            await browser.close()


async def open_devtools(page: Page) -> Any:
    """What the browser's developer tools can ask: `send(method)`, whose answers have no types."""
    return await page.context.new_cdp_session(page)


@asynccontextmanager
async def open_window(
    browser: Browser, url: str, token: str, *, width: int = 1280, height: int = 800, dark: bool = False
) -> AsyncGenerator[BrowserContext]:
    """A window that has the server's cookie, and nothing else: neither files nor compiled code."""
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    try:
        answer = await context.request.post(f"{url}/api/login", headers={"authorization": f"Bearer {token}"})
        if not answer.ok:
            raise PeerFailed(f"the server refused the browser: {answer.status}")
        yield context
    finally:
        await context.close()
