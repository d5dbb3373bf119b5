"""Much at once: twenty thousand events, and five thousand in a second."""

import anyio
import pytest
from playwright.async_api import Page, expect

from cloche.events import EventStream, MessageAction, new_event
from tests.server.conftest import RunningServer
from tests.server.page.conftest import NewSession, OpenPage, run_bash
from tests.server.page.tasks import LONG, record_tasks

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

MANY = 20_000
RATE, SECONDS = 5_000, 4


async def add_messages(stream: EventStream, numbers: range) -> None:
    texts = (f"message {number} with a few words, as they are sent" for number in numbers)
    await stream.add_events([new_event(MessageAction(text), "user") for text in texts])


async def scroll(page: Page, steps: int, by: int) -> None:
    """Turn the wheel over the events, once a frame."""
    box = await page.get_by_label("Events of the session").bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + 100, box["y"] + 100)
    for _ in range(steps):
        await page.mouse.wheel(0, by)
        await page.evaluate("new Promise(requestAnimationFrame)")


async def test_twenty_thousand_events_are_scrolled_without_a_long_task(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession
) -> None:
    sid = await new_session()
    hosted = await page_server.app.manager.find(sid)
    await add_messages(hosted.stream, range(MANY))
    page = await open_page(f"/s/{sid}")
    await expect(page.get_by_text(f"message {MANY - 1} ")).to_be_visible(timeout=60_000)
    async with record_tasks(page) as tasks:
        await scroll(page, 60, -1500)
        await page.keyboard.press("Home")
        await scroll(page, 60, 1500)
        await page.get_by_label("Events of the session").evaluate("each => each.scrollTo(0, each.scrollHeight / 2)")
        await scroll(page, 30, -4000)
    assert len(tasks) > 150
    assert max(tasks) < LONG, sorted(tasks)[-5:]
    assert await page.locator("article").count() < 100, "only what is in sight is in the page"


async def test_a_flood_of_events_leaves_the_page_usable_and_none_is_lost(
    open_page: OpenPage, page_server: RunningServer, new_session: NewSession
) -> None:
    sid = await new_session(run_bash("echo ready"))
    hosted = await page_server.app.manager.find(sid)
    page = await open_page(f"/s/{sid}")
    await expect(page.get_by_text("ready").first).to_be_visible()
    async with record_tasks(page) as tasks:
        # In parts of 20 ms, as many programs would.
        part = RATE // 50
        for number in range(50 * SECONDS):
            await add_messages(hosted.stream, range(number * part, (number + 1) * part))
            await anyio.sleep(0.02)
        await expect(page.get_by_text(f"message {RATE * SECONDS - 1} ")).to_be_visible(timeout=60_000)
    assert max(tasks) < LONG, sorted(tasks)[-5:]
    for number in (0, RATE, RATE * SECONDS // 2 + 7):
        await page.get_by_label("Search in the events").fill(f"message {number} with")
        await expect(page.get_by_text(f"message {number} with")).to_be_visible()
