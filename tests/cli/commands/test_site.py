"""`cloche site`: files for a plain web host; in a browser, below a path of it."""

import json
import re
import shutil
import threading
from collections.abc import Generator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.async_api import async_playwright, expect

from tests.cli.conftest import Cloche
from tests.server.page.play_page import LOADED, run_code

SITE = Path("x") / "y"


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def plain_host(tmp_path: Path) -> Generator[str]:
    """`python -m http.server` for the folder of the test."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(5)


def test_a_folder_with_other_files_is_left_alone(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    done = cloche("site", str(tmp_path))
    assert (done.returncode, "other files" in done.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_unknown_language_is_usage(cloche: Cloche, tmp_path: Path) -> None:
    done = cloche("site", str(tmp_path / "site"), "--languages", "pyhton")
    assert (done.returncode, "Did you mean 'python'?" in done.stderr) == (2, True)


def test_a_site_has_the_languages_that_were_named_and_can_be_written_again(
    cloche: Cloche, tmp_path: Path, prepared: None
) -> None:
    for wanted, count in (["lua,scheme", "sql"], "3 languages"), (["lua", "lua"], "1 language"):
        options = [part for each in wanted for part in ("--languages", each)]
        done = cloche("site", str(tmp_path / "site"), *options)
        assert (done.returncode, done.stdout.startswith("Written: ")) == (0, True), done.stderr
        assert f"{count})" in done.stdout
    index = json.loads((tmp_path / "site/engine/site.json").read_text())
    assert index["languages"] == ["lua"]
    assert (tmp_path / "site" / index["root"] / "packs/lua/lua.wasm").is_file()
    assert [path.name for path in (tmp_path / "site/engine/ready").iterdir()] == ["lua"]
    assert not list(tmp_path.rglob("packs/ruby"))


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_plain_host_serves_it_below_a_path(
    cloche: Cloche, tmp_path: Path, prepared: None, plain_host: str
) -> None:
    assert cloche("site", str(tmp_path / SITE), "--languages", "python,lua,bash").returncode == 0
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = await browser.new_page()
        await page.goto(f"{plain_host}/{SITE}/")
        assert "6" in await run_code(page, "print(2 * 3)", "python")
        assert "6" in await run_code(page, "print(2 * 3)", "lua")
        assert await page.evaluate("crossOriginIsolated")
        await expect(page.get_by_label("Where it runs")).to_have_count(0)
        await page.goto(f"{plain_host}/{SITE}/embed.html?lang=bash")
        await page.get_by_role("button", name="Run").click(timeout=LOADED)
        await expect(page.get_by_role("status")).to_have_text(re.compile("^Done"), timeout=LOADED)
        await browser.close()
