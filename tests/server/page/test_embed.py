"""Play within other pages: a frame that runs code, also where the page around it is not isolated."""

import re
import threading
from collections.abc import Generator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.server.conftest import RunningServer
from tests.server.page.play_page import LOADED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def other_site(tmp_path: Path) -> Generator[str]:
    """Another web server, which sends no headers of isolation; its folder is that of the test."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(5)


async def test_a_frame_of_another_page_runs_code(
    chromium: Browser, page_server: RunningServer, other_site: str, tmp_path: Path
) -> None:
    source = f'<!doctype html><iframe src="{page_server.url}/embed?lang=lua" width="900" height="500"></iframe>'
    (tmp_path / "index.html").write_text(source)
    page = await chromium.new_page()
    try:
        await page.goto(other_site)
        frame = page.frame_locator("iframe")
        await expect(frame.get_by_role("button", name="Run")).to_be_enabled(timeout=LOADED)
        await frame.get_by_role("button", name="Run").click()
        await expect(frame.get_by_role("status", name="Run")).to_have_text(re.compile("^Done"), timeout=LOADED)
        await expect(frame.get_by_role("log")).to_contain_text("line 3")
    finally:
        await page.close()


async def test_other_pages_of_the_server_are_not_shown_in_frames(page_server: RunningServer) -> None:
    async with page_server.client(None) as client:
        embed, play = (await client.get("/embed")), (await client.get("/play"))
    assert "frame-ancestors *" in embed.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in play.headers["content-security-policy"]
