"""The page in a browser: what it loads, how soon an event is seen, scrolling, and code in Play."""

import tempfile
from pathlib import Path
from typing import Any

import anyio
import httpx2
from playwright.async_api import Browser, Page

from benchmarks.browser import open_browser, open_devtools, open_window
from benchmarks.groups.server import HEADERS, TOKEN, serving, store_events
from benchmarks.measure import Row, Scale, Target

LOAD_KB, INTERACTIVE_MS, PIXELS_MS, TASK_MS = 400.0, 1500.0, 100.0, 50.0
STORED = 20_000
STEPS = 120
PIXELS = """async ([path, action, mark]) => {
    const stream = document.querySelector("[aria-label='Events of the session']");
    const seen = new Promise((done) => {
        const look = () => {
            if (!stream.textContent.includes(mark)) return;
            watch.disconnect();
            // The frame after this one has it on the screen.
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
        };
        const watch = new MutationObserver(look);
        watch.observe(stream, { childList: true, subtree: true, characterData: true });
    });
    const began = performance.now();
    const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(action) };
    await fetch(path, options);
    return await seen - began;
}"""
"""Milliseconds from a request to the frame that shows what came of it, by the clock of the page."""
CAN_TYPE = """async () => {
    const hasEvents = () => document.body.textContent.includes("ready");
    while (!document.querySelector(".composer")?.offsetParent || !hasEvents()) await new Promise(requestAnimationFrame);
    return performance.now();
}"""
"""Milliseconds from the beginning of the page until its events and its field to type into are there."""
WATCH_TASKS = """() => {
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((each) => each.duration)))
        .observe({ type: "longtask" });
}"""
NEXT_FRAME = "new Promise(requestAnimationFrame)"


async def rows(scale: Scale) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="bench-page-") as name:
        data = Path(name) / "data"
        await store_events(data, STORED)
        async with serving(data, pool=1) as (url, _), open_browser() as browser:
            sid = await _begin(url)
            loads = [await _load(browser, url, f"/s/{sid}") for _ in range(scale.cold)]
            async with open_window(browser, url, TOKEN) as context:
                pixels = await _show_events(await context.new_page(), url, sid, scale.warm)
            tasks = [await _scroll(browser, url) for _ in range(min(scale.cold, 3))]
    return [
        Row(
            name="page: first load of a session, as sent",
            unit="KB",
            ours=[size for size, _ in loads],
            target=Target("median", LOAD_KB),
        ),
        Row(
            name="page: from an empty cache until one can type into a session",
            unit="ms",
            ours=[took for _, took in loads],
            target=Target("median", INTERACTIVE_MS),
        ),
        Row(
            name="page: `echo` by the API, until its result is on the screen",
            unit="ms",
            ours=pixels,
            target=Target("median", PIXELS_MS),
        ),
        Row(
            name=f"page: the longest task while {STORED:,} events are scrolled",
            unit="ms",
            ours=tasks,
            target=Target("median", TASK_MS),
            note="0: none took 50 ms",
        ),
    ]


async def _begin(url: str) -> str:
    async with httpx2.AsyncClient(base_url=f"{url}/api", headers=HEADERS, timeout=60) as client:
        sid = (await client.post("/sessions", json={"title": "measured"})).json()["id"]
        action = {"action": "run", "args": {"command": "echo ready"}}
        (await client.post(f"/sessions/{sid}/actions", json=action)).raise_for_status()
    return sid


async def _load(browser: Browser, url: str, path: str) -> tuple[float, float]:
    """KB that were sent for a page, and milliseconds until one could type into it."""
    async with open_window(browser, url, TOKEN) as context:
        page = await context.new_page()
        received = await _count_bytes(page)
        await page.goto(f"{url}{path}", wait_until="commit")
        took: float = await page.evaluate(CAN_TYPE)
        # What is loaded when nobody waits for it counts too.
        await page.wait_for_load_state("networkidle")
        return sum(received) / 1024, took


async def _count_bytes(page: Page) -> list[float]:
    """The sizes of all answers that the page gets, with their heads, as they are sent."""
    received: list[float] = []
    devtools = await open_devtools(page)
    await devtools.send("Network.enable")

    def count(given: dict[str, Any]) -> None:
        received.append(given["encodedDataLength"])

    devtools.on("Network.loadingFinished", count)
    return received


async def _show_events(page: Page, url: str, sid: str, count: int) -> list[float]:
    await page.goto(f"{url}/s/{sid}")
    await page.get_by_text("ready").first.wait_for()
    found: list[float] = []
    for number in range(min(count, 100)):
        action = {"action": "run", "args": {"command": f"echo seen-{number} | rev"}}
        mark = f"seen-{number}"[::-1]
        found.append(await page.evaluate(PIXELS, [f"/api/sessions/{sid}/actions", action, mark]))
    return found


async def _scroll(browser: Browser, url: str) -> float:
    """The longest task in milliseconds, while the wheel is turned; 0 if none was long."""
    async with open_window(browser, url, TOKEN) as context:
        page = await context.new_page()
        await page.goto(f"{url}/s/long")
        await page.get_by_text(f"event {STORED - 1}").first.wait_for()
        await anyio.sleep(1)
        await page.evaluate(WATCH_TASKS)
        await page.mouse.move(300, 400)
        for number in range(STEPS):
            await page.mouse.wheel(0, -2000 if number < STEPS // 2 else 1000)
            await page.evaluate(NEXT_FRAME)
        longest: float = await page.evaluate("Math.max(0, ...longTasks)")
        return longest
