"""Play in a real browser: every language, stopping, input, files, links, a chain, and no server."""

import re
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Page, Route, expect

from cloche.sandbox.languages import languages
from tests.server.conftest import OWNER, open_server, plain_config
from tests.server.page.conftest import OpenPage
from tests.server.page.play_page import LOADED, await_end, run_code, start_code

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

UNTIL_KEPT = """async () => {
  const count = async () => (await (await caches.open("cloche-play")).keys()).length;
  while (await count() < 300) await new Promise((resolve) => setTimeout(resolve, 100));
}"""
"""Waits until the service worker has the files of the engine."""
SIX = {
    "python": "print(2 * 3)",
    "bash": "echo $((2 * 3))",
    "javascript": "console.log(2 * 3)",
    "typescript": "const six: number = 2 * 3; console.log(six)",
    "ruby": "puts 2 * 3",
    "php": "echo 2 * 3;",
    "lua": "print(2 * 3)",
    "r": "cat(2 * 3)",
    "perl": "print 2 * 3",
    "scheme": "(display (* 2 3))",
    "sql": "select 2 * 3 as six",
}


async def test_every_language_runs_in_the_browser(open_page: OpenPage) -> None:
    page = await open_page("/play")
    assert SIX.keys() == languages().keys()
    for language, code in SIX.items():
        assert "6" in await run_code(page, code, language), language


async def test_an_endless_loop_is_stopped_and_the_page_lives(open_page: OpenPage) -> None:
    page = await open_page("/play?lang=python")
    await run_code(page, "kept = 41")
    await start_code(page, "while True: pass")
    await expect(page.get_by_role("status", name="Run")).to_have_text(re.compile("Running"), timeout=LOADED)
    await page.get_by_role("button", name="Stop").click()
    await expect(page.get_by_role("status", name="Run")).to_have_text(re.compile("^Stopped after"), timeout=1000)
    assert "42" in await run_code(page, "kept + 1")


async def test_a_flood_of_output_leaves_the_page_usable(open_page: OpenPage) -> None:
    page = await open_page("/play?lang=javascript")
    await start_code(page, "for (;;) console.log('x'.repeat(200))")
    await expect(page.get_by_role("log")).to_contain_text("are not shown", timeout=LOADED)
    await page.get_by_role("button", name="Stop").click()
    assert (await await_end(page)).startswith("Stopped")


async def test_code_asks_for_input_and_errors_are_marked(open_page: OpenPage) -> None:
    page = await open_page("/play?lang=python")
    await start_code(page, "input('name? ') + '!'")
    line = page.get_by_role("textbox", name="name?")
    await line.fill("Ada", timeout=LOADED)
    await line.press("Enter")
    await await_end(page)
    await expect(page.get_by_role("log")).to_contain_text("'Ada!'")
    assert "ZeroDivisionError" in await run_code(page, "x = 1\nx / 0")
    await expect(page.locator(".cm-lint-marker-error")).to_have_count(1)


async def test_files_are_shared_by_languages_and_kept_over_a_reload(open_page: OpenPage) -> None:
    page = await open_page("/play")
    await run_code(page, "open('shared.txt', 'w').write('from python')", "python")
    assert "from python" in await run_code(page, "print(io.open('shared.txt'):read('a'))", "lua")
    await page.get_by_label("Files to add").set_input_files(
        {"name": "added.txt", "mimeType": "text/plain", "buffer": b"from here"}
    )
    await expect(page.get_by_role("button", name="added.txt", exact=True)).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("button", name="shared.txt", exact=True)).to_be_visible(timeout=LOADED)
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="added.txt", exact=True).click()
    assert Path(await (await downloading.value).path()).read_bytes() == b"from here"
    page.on("dialog", lambda dialog: dialog.accept())
    await page.get_by_role("button", name="Clear").click()
    await expect(page.get_by_text("None yet.")).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("None yet.")).to_be_visible(timeout=LOADED)


async def test_a_link_holds_code_language_and_files(open_page: OpenPage) -> None:
    page = await open_page("/play?lang=lua")
    await run_code(page, "io.open('a.txt', 'w'):write('in the link'):close()")
    await expect(page.get_by_role("button", name="a.txt", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Share").click()
    await page.get_by_label("with the file").check()
    link = page.get_by_label("Link")
    await expect(link).to_have_value(re.compile(r"/play\?lang=lua#code=.{60,}"))
    other = await open_page(re.sub(r"^https?://[^/]+", "", await link.input_value()))
    await expect(other.get_by_role("button", name="a.txt", exact=True)).to_be_visible(timeout=LOADED)
    await expect(other.get_by_role("textbox", name="Code", exact=True)).to_contain_text("in the link")
    await expect(other.get_by_label("Language", exact=True)).to_have_value("lua")


async def test_a_chain_passes_one_file_through_languages(open_page: OpenPage) -> None:
    page = await open_page("/play")
    await page.get_by_role("button", name="Chain").click()
    await page.get_by_role("button", name="Run all").click()
    await expect(page.locator(".play-after")).to_have_count(3, timeout=LOADED)
    await expect(page.locator(".play-after pre").last).to_have_text(re.compile(r"^([abcd] \d+\n?)+$"))


async def test_code_runs_at_the_server_in_a_session(open_page: OpenPage) -> None:
    page = await open_page("/play?lang=python")
    await page.get_by_label("Where it runs").select_option("server")
    assert "42" in await run_code(page, "x = 41\nprint(x + 1)")
    assert "ZeroDivisionError" in await run_code(page, "x / 0")
    await expect(page.get_by_role("link", name="this session")).to_be_visible()


async def test_play_goes_on_when_its_server_is_stopped(chromium: Browser, tmp_path: Path, assets: Path) -> None:
    context = await chromium.new_context()
    try:
        page = await context.new_page()
        async with open_server(plain_config(tmp_path, pool_size=0)) as running:
            await page.goto(f"{running.url}/?token={OWNER}")
            await _be_served_by_worker(page, f"{running.url}/play?lang=python")
            assert "6" in await run_code(page, "print(2 * 3)")
            assert "6" in await run_code(page, "echo 6", "bash")
            with anyio.fail_after(30):
                await page.evaluate(UNTIL_KEPT)
        assert "7" in await run_code(page, "print(7)", "python")
        assert "2" in await run_code(page, "printf '1\\n2\\n' | awk '{n = $1} END {print n}'", "bash")
        await page.reload()
        assert "8" in await run_code(page, "print(8)", "python")
    finally:
        await context.close()


async def test_a_page_that_is_not_isolated_says_so_and_runs_code_apart(
    open_page: OpenPage, page_errors: list[str]
) -> None:
    page = await open_page("/")
    await page.route("**/play*", _strip_isolation)
    await page.goto(re.sub(r"/$", "/play?lang=python", page.url))
    await expect(page.get_by_role("note")).to_contain_text("is not isolated")
    assert "42" in await run_code(page, "open('a.txt', 'w').write('6 * 7')\n6 * 7")
    assert "6 * 7" in await run_code(page, "print(io.open('a.txt'):read('a'))", "lua")
    await start_code(page, "while true do end")
    await page.get_by_role("button", name="Stop").click()
    status = page.get_by_role("status", name="Run")
    await expect(status).to_have_text(re.compile("^Stopped.*variables are lost"), timeout=1000)
    await page.get_by_label("Where it runs").select_option("server")
    assert "43" in await run_code(page, "print(43)", "python")
    # A page that the test has changed counts as one of the internet, which may not open sockets to this machine.
    page_errors[:] = [each for each in page_errors if "LOCAL_NETWORK_ACCESS" not in each]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (400, False)])
async def test_play_fits_its_window(open_page: OpenPage, width: int, dark: bool) -> None:
    page = await open_page("/play", width=width, dark=dark)
    await expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=LOADED)
    wide = await page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width


async def _strip_isolation(route: Route) -> None:
    """Answer as a host does that knows nothing of isolation."""
    response = await route.fetch()
    headers = {name: value for name, value in response.headers.items() if not name.startswith("cross-origin-")}
    await route.fulfill(response=response, headers=headers)


async def _be_served_by_worker(page: Page, address: str) -> None:
    """Open a page whose requests go through its service worker."""
    await page.goto(address)
    await page.evaluate("navigator.serviceWorker.ready")
    await page.goto(address)
    assert await page.evaluate("navigator.serviceWorker.controller !== null")
