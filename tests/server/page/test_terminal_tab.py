"""The terminal of a session in the page."""

import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.conftest import RunningServer
from tests.server.page.conftest import NewSession, OpenPage, run_bash

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

HOSTILE = (
    r"printf '\033]0;owned\007\033]2;owned\033\\\033[6n\033[c\033[5n\033[?1049h\033]52;c;b3duZWQ=\007\033[21t\005'"
)


async def open_terminal(open_page: OpenPage, sid: str, **options: Any) -> Page:
    page = await open_page(f"/s/{sid}", **options)
    await page.get_by_role("tab", name="Terminal").click()
    await expect(rows(page)).to_contain_text("/workspace $")
    return page


def rows(page: Page) -> Locator:
    return page.locator(".xterm-rows")


async def enter(page: Page, line: str) -> None:
    await page.keyboard.type(line)
    await page.keyboard.press("Enter")


async def list_commands(server: RunningServer, sid: str) -> list[dict[str, Any]]:
    """Arguments of all commands, and the content of their answers."""
    async with server.client() as client:
        found = await client.get(f"/api/sessions/{sid}/events", params={"limit": 1000, "kind": "run"})
    return found.json()["events"]


async def test_a_line_is_run_and_its_output_comes_live(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session()
    page = await open_terminal(open_page, sid)
    await enter(page, "echo fir''st; sleep 60; echo la''st")
    await expect(rows(page)).to_contain_text("first")
    assert "last\n" not in (await rows(page).text_content() or "")
    await page.keyboard.press("Control+c")
    await expect(rows(page)).to_contain_text("[130] /workspace $")
    events = await list_commands(page_server, sid)
    assert [event["source"] for event in events] == ["user", "user"]


async def test_the_prompt_has_the_folder_and_the_exit_code(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_terminal(open_page, await new_session())
    await enter(page, "cd /tmp; exit 3")
    await expect(rows(page)).to_contain_text("[3] /tmp $")


async def test_earlier_lines_come_back_by_arrows_and_by_search(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_bash("echo earl''ier"), run_bash("true"))
    page = await open_terminal(open_page, sid)
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.type(" once")
    await page.keyboard.press("Enter")
    await expect(rows(page)).to_contain_text("earlier once")
    await page.keyboard.press("Control+r")
    await page.keyboard.type("earl")
    await expect(rows(page)).to_contain_text("(search) earl: echo earl''ier once")
    await page.keyboard.press("Control+c")
    await expect(rows(page)).not_to_contain_text("(search)")


async def test_names_are_completed(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_bash("echo con''tent > name_one.txt; echo 2 > name_two.txt"))
    page = await open_terminal(open_page, sid)
    await page.keyboard.type("cat na")
    await page.keyboard.press("Tab")
    await expect(rows(page)).to_contain_text("cat name_")
    await page.keyboard.press("Tab")
    await expect(rows(page)).to_contain_text("name_one.txt  name_two.txt")
    await page.keyboard.type("o")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(rows(page)).to_contain_text("content")


async def test_a_program_that_asks_gets_the_line(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session()
    page = await open_terminal(open_page, sid)
    await enter(page, "python3 -c 'print(input(\"Who? \") * 2)'")
    await expect(page.locator(".xterm-rows > div", has_text="Who?").last).to_have_text("Who?", timeout=30_000)
    await enter(page, "ab")
    await expect(rows(page)).to_contain_text("abab")
    sent = [event["args"]["is_input"] for event in await list_commands(page_server, sid) if "args" in event]
    assert sent == [False, True]


async def test_what_needs_more_lines_gets_them_and_pasted_lines_are_one_command(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session()
    page = await open_terminal(open_page, sid)
    await enter(page, "for i in 1 2; do")
    await expect(rows(page)).to_contain_text("> ")
    await enter(page, "echo n$i; done")
    await expect(rows(page)).to_contain_text("n2")
    await page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData("text/plain", "echo a''b\\necho c''d");
            const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
            document.querySelector(".xterm-helper-textarea").dispatchEvent(event);
        }"""
    )
    await page.keyboard.press("Enter")
    await expect(rows(page)).to_contain_text("cd")
    commands = [event["args"]["command"] for event in await list_commands(page_server, sid) if "args" in event]
    assert commands == ["for i in 1 2; do\necho n$i; done", "echo a''b\necho c''d"]


async def test_what_others_run_is_shown_too(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session()
    page = await open_terminal(open_page, sid, width=400, dark=True)
    async with page_server.client() as client:
        await client.post(f"/api/sessions/{sid}/actions", json=run_bash("cd /tmp; echo oth''er"))
    await expect(rows(page)).to_contain_text("other")
    await expect(rows(page)).to_contain_text("/tmp $")


async def test_output_cannot_make_the_terminal_answer_or_obey(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session()
    page = await open_terminal(open_page, sid)
    await enter(page, f"{HOSTILE}; echo do''ne")
    await expect(rows(page)).to_contain_text("done")
    # What the terminal answered would stand in the line, and be entered with it.
    await enter(page, "echo cle''an")
    await expect(rows(page)).to_contain_text("clean")
    assert "owned" not in await page.title()
    commands = [event["args"]["command"] for event in await list_commands(page_server, sid) if "args" in event]
    assert commands[1:] == ["echo cle''an"]


async def test_a_flood_does_not_freeze_the_page(open_page: OpenPage, new_session: NewSession) -> None:
    page = await open_terminal(open_page, await new_session())
    await enter(page, "yes flood")
    await expect(rows(page)).to_contain_text(re.compile(r"flood\s*flood\s*flood"))
    await page.get_by_role("tab", name="Files").click(timeout=5000)
    await page.get_by_role("tab", name="Terminal").click(timeout=5000)
    await page.keyboard.press("Control+c")
    await expect(rows(page)).to_contain_text("[130] /workspace $", timeout=30_000)
