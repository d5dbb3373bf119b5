"""The page in a real browser: a server of the built page, and Chromium without a window."""

import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright

from cloche.server.page import BUILT, INDEX, MISSING
from tests.server.conftest import OWNER, RunningServer, open_server, plain_config

FLAGS = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")
OpenPage = Callable[..., Awaitable[Page]]
NewSession = Callable[..., Awaitable[str]]


@pytest.fixture(scope="session")
async def chromium() -> AsyncGenerator[Browser]:
    """The browser of the system."""
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    assert program, "install chromium: apt-get install chromium"
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=program, args=[*FLAGS, "--no-first-run"])
        yield browser
        await browser.close()


@pytest.fixture(scope="module")
async def page_server(assets: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningServer]:
    """A server for all tests of a module; each makes its own sessions."""
    assert (BUILT / INDEX).is_file(), MISSING
    async with open_server(plain_config(tmp_path_factory.mktemp("page"), pool_size=0)) as running:
        yield running


@pytest.fixture
def page_errors() -> list[str]:
    """What the pages of a test complain about; a test that expects an error removes it from here."""
    return []


@pytest.fixture
async def open_page(chromium: Browser, page_server: RunningServer, page_errors: list[str]) -> AsyncGenerator[OpenPage]:
    """Opens a page at a path, logged in; any error in its console fails the test."""
    contexts: list[BrowserContext] = []

    async def open_one(path: str = "/", *, width: int = 1280, height: int = 800, dark: bool = False) -> Page:
        context = await chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = await context.new_page()
        page.on("console", lambda message: _note(page_errors, message))
        page.on("pageerror", lambda error: page_errors.append(f"page: {error}"))
        await page.goto(f"{page_server.url}/?token={OWNER}")
        if path != "/":
            await page.goto(f"{page_server.url}{path}")
        return page

    yield open_one
    for context in contexts:
        await context.close()
    assert page_errors == []


@pytest.fixture
async def page(open_page: OpenPage) -> Page:
    """The page of the sessions, logged in, wide and light."""
    return await open_page()


@pytest.fixture
def new_session(page_server: RunningServer) -> NewSession:
    """Makes a session in which these actions have been executed, each a dict as the API takes it; returns its id."""

    async def make(*actions: dict[str, Any], title: str = "") -> str:
        async with page_server.client() as client:
            begun = await client.post("/api/sessions", json={"title": title})
            assert begun.status_code == 201, begun.text
            sid = begun.json()["id"]
            for action in actions:
                done = await client.post(f"/api/sessions/{sid}/actions", json=action, timeout=60)
                assert done.is_success, done.text
        return sid

    return make


def run_bash(command: str) -> dict[str, Any]:
    """The action that runs a command."""
    return {"action": "run", "args": {"command": command}}


def run_python(code: str) -> dict[str, Any]:
    """The action that runs a cell."""
    return {"action": "run_ipython", "args": {"code": code, "include_extra": False}}


def run_code(language: str, code: str) -> dict[str, Any]:
    """The action that runs code of any language."""
    return {"action": "run_code", "args": {"language": language, "code": code}}


def _note(errors: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        errors.append(f"console: {message.text} ({message.location.get('url', '')})")
