"""Play: code in a browser. The first result of each language, and the stop of a loop without end."""

import json
import tempfile
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import NamedTuple

import anyio
from playwright.async_api import Browser, Page, expect

from benchmarks.browser import open_browser, open_window
from benchmarks.groups.server import TOKEN, serving
from benchmarks.measure import Row, Scale, Target
from cloche.sandbox.languages import languages

ANSWER = "4242"
CODE = {
    "python": "print(42 * 101)",
    "bash": "echo $((42 * 101))",
    "javascript": "console.log(42 * 101)",
    "typescript": "const n: number = 42 * 101; console.log(n)",
    "ruby": "puts 42 * 101",
    "php": "<?php echo 42 * 101;",
    "lua": "print(42 * 101)",
    "r": "print(42 * 101)",
    "perl": "print 42 * 101",
    "scheme": "(display (* 42 101))",
    "sql": "select 42 * 101;",
}
COLD_MS = {"javascript": 1000.0, "lua": 1000.0, "scheme": 1000.0, "python": 4000.0}
OTHERS_MS = 8000.0
PYTHON_WARM_MS, STOP_MS = 1500.0, 1000.0
PATIENCE_MS = 120_000.0
LOOP = "while (true) {}"
RUN = """async (answer) => {
    const button = [...document.querySelectorAll("button")].find((each) => each.textContent.startsWith("Run"));
    const output = document.querySelector("[role=log][aria-label=Output]");
    const seen = new Promise((done) => {
        const watch = new MutationObserver(() => {
            if (!output.textContent.replaceAll(",", "").includes(answer)) return;
            watch.disconnect();
            requestAnimationFrame(() => done(performance.now()));
        });
        watch.observe(output, { childList: true, subtree: true, characterData: true });
    });
    const began = performance.now();
    button.click();
    return await seen - began;
}"""
"""Milliseconds from the button to the frame that shows the answer."""
STOP = """async () => {
    const find = (label) => [...document.querySelectorAll("button")].find((each) => each.textContent.startsWith(label));
    const began = performance.now();
    find("Stop").click();
    while (find("Run").disabled) await new Promise(requestAnimationFrame);
    return performance.now() - began;
}"""


class Firsts(NamedTuple):
    """Milliseconds to the first result of a language."""

    cold: list[float]
    """In a browser that has loaded nothing yet."""
    warm: list[float]
    """In a page that is opened again."""


async def rows(scale: Scale) -> list[Row]:
    count = min(scale.cold, 3)
    with tempfile.TemporaryDirectory(prefix="bench-play-") as name:
        async with serving(Path(name), pool=0) as (url, _), open_browser() as browser:
            firsts = {each: await _measure_firsts(browser, url, each, count) for each in languages()}
            stops = [await _stop_loop(browser, url) for _ in range(count)]
    return [
        *(_make_row(each, "cold", found.cold) for each, found in firsts.items()),
        *(_make_row(each, "warm", found.warm) for each, found in firsts.items()),
        Row(
            name="Play: a loop without end is stopped (JavaScript)",
            unit="ms",
            ours=stops,
            target=Target("median", STOP_MS),
        ),
    ]


def _make_row(language: str, how: str, found: list[float]) -> Row:
    limit = COLD_MS.get(language, OTHERS_MS)
    if language == "python" and how == "warm":
        limit = PYTHON_WARM_MS
    words = "first result in a browser" if how == "cold" else "first result in a page that is opened again"
    return Row(name=f"Play: {language}, {words}", unit="ms", ours=found, target=Target("median", limit))


async def _measure_firsts(browser: Browser, url: str, language: str, count: int) -> Firsts:
    found = Firsts([], [])
    for _ in range(count):
        async with open_window(browser, url, TOKEN) as context:
            context.set_default_timeout(PATIENCE_MS)
            page = await context.new_page()
            await _open(page, url, language, CODE[language])
            found.cold.append(await page.evaluate(RUN, ANSWER))
            await page.reload()
            await _wait_for_run(page)
            found.warm.append(await page.evaluate(RUN, ANSWER))
    return found


async def _stop_loop(browser: Browser, url: str) -> float:
    async with open_window(browser, url, TOKEN) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = await context.new_page()
        await _open(page, url, "javascript", LOOP)
        await page.get_by_role("button", name="Run").click()
        await anyio.sleep(2)
        took: float = await page.evaluate(STOP)
        return took


async def _open(page: Page, url: str, language: str, code: str) -> None:
    """Open Play with this code in it, as from an address that was shared."""
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = packed.compress(json.dumps({"c": code}).encode()) + packed.flush()
    shared = urlsafe_b64encode(data).decode().rstrip("=")
    await page.goto(f"{url}/play?lang={language}#code={shared}")
    await _wait_for_run(page)
    # What is shared is unpacked first.
    await page.get_by_role("textbox", name="Code").filter(has_text=code[:10]).wait_for()


async def _wait_for_run(page: Page) -> None:
    await expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=PATIENCE_MS)
