"""The files of a session in the page."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect

from tests.server.conftest import RunningServer
from tests.server.page.conftest import NewSession, OpenPage, run_bash

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def open_files(open_page: OpenPage, sid: str, **options: Any) -> Page:
    page = await open_page(f"/s/{sid}", **options)
    await page.get_by_role("tab", name="Files").click()
    return page


async def act(server: RunningServer, sid: str, command: str) -> str:
    async with server.client() as client:
        answer = await client.post(f"/api/sessions/{sid}/actions", json=run_bash(command), timeout=60)
        assert answer.is_success, answer.text
        return answer.json()["content"]


def item(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name, exact=True)


async def test_a_file_is_made_edited_and_saved(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session()
    page = await open_files(open_page, sid)
    await expect(page.get_by_text("The workspace is empty")).to_be_visible(timeout=30_000)
    await page.get_by_role("button", name="New file").click()
    await page.get_by_role("textbox", name="Path").fill("notes/a.py")
    await page.get_by_role("button", name="Create").click()
    await expect(item(page, "a.py")).to_be_visible()
    text = page.get_by_role("textbox", name="Text of a.py")
    await text.click()
    await page.keyboard.type("print(6 * 7)")
    await expect(page.get_by_text("Not saved")).to_be_visible()
    await page.keyboard.press("Control+s")
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert await act(page_server, sid, "cat notes/a.py") == "print(6 * 7)"


async def test_what_is_not_saved_stays_when_one_looks_elsewhere(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_bash("echo one > a.txt; echo two > b.txt"))
    page = await open_files(open_page, sid)
    await item(page, "a.txt").click()
    await page.get_by_role("textbox", name="Text of a.txt").click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("mine ")
    await item(page, "b.txt").click()
    await expect(page.get_by_text("two")).to_be_visible()
    await page.get_by_role("tab", name="Raw").click()
    await page.get_by_role("tab", name="Files").click()
    await page.get_by_role("treeitem", name="a.txt, not saved").click()
    await expect(page.get_by_role("textbox", name="Text of a.txt")).to_contain_text("mine one")


@pytest.mark.parametrize(("choice", "left"), [("Save mine", "mine one\n"), ("Take theirs", "theirs\n")])
async def test_both_versions_are_kept_until_one_chooses(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer, choice: str, left: str
) -> None:
    sid = await new_session(run_bash("echo one > a.txt"))
    page = await open_files(open_page, sid)
    await item(page, "a.txt").click()
    await page.get_by_role("textbox", name="Text of a.txt").click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("mine ")
    await act(page_server, sid, "echo theirs > a.txt")
    await expect(page.get_by_text("The file was changed while you were editing it")).to_be_visible()
    difference = page.locator(".difference")
    await expect(difference).to_contain_text("mine one")
    await expect(difference).to_contain_text("theirs")
    await page.get_by_role("button", name=choice).click()
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert await act(page_server, sid, "cat a.txt") == left


async def test_the_keys_of_a_tree_open_rename_and_delete(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer
) -> None:
    sid = await new_session(run_bash("mkdir d; echo 1 > d/in.txt; echo 2 > z.txt"))
    page = await open_files(open_page, sid)
    await item(page, "d").focus()
    await page.keyboard.press("ArrowRight")
    await expect(item(page, "in.txt")).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Text of in.txt")).to_be_visible()
    await page.keyboard.press("F2")
    await page.get_by_role("textbox", name="Path").fill("moved.txt")
    await page.keyboard.press("Enter")
    await expect(item(page, "moved.txt")).to_be_visible()
    await item(page, "z.txt").focus()
    await page.keyboard.press("Delete")
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(item(page, "z.txt")).to_be_hidden()
    assert (await act(page_server, sid, "find . -type f")).split() == ["./moved.txt"]


async def test_a_file_that_is_refused_says_so_where_it_was_uploaded(
    open_page: OpenPage, new_session: NewSession, page_server: RunningServer, page_errors: list[str]
) -> None:
    sid = await new_session(run_bash("echo there > a.txt"))
    page = await open_files(open_page, sid)
    await expect(item(page, "a.txt")).to_be_visible()
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": b"new"} for name in ("a.txt", "b.txt")
    ]
    await page.get_by_label("Files to upload").set_input_files(files)
    await page.get_by_role("dialog").get_by_role("button", name="Upload").click()
    await expect(page.get_by_role("status", name="Upload")).to_contain_text("a.txt: File exists")
    await expect(item(page, "b.txt")).to_be_visible()
    assert await act(page_server, sid, "cat a.txt b.txt") == "there\nnew"
    assert page_errors == []


async def test_a_file_and_the_workspace_are_downloaded(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_bash("mkdir d; echo one > d/a.txt"))
    page = await open_files(open_page, sid)
    await item(page, "d").click()
    await item(page, "a.txt").click()
    async with page.expect_download() as begun:
        await page.get_by_role("link", name="Download").click()
    file = await begun.value
    assert (file.suggested_filename, Path(await file.path()).read_bytes()) == ("a.txt", b"one\n")
    await page.get_by_role("button", name="More for d/a.txt").click()
    async with page.expect_download() as begun:
        await page.get_by_role("menuitem", name="Download all as zip").click()
    archive = await begun.value
    assert (archive.suggested_filename, Path(await archive.path()).read_bytes()[:2]) == ("workspace.zip", b"PK")


async def test_files_are_shown_as_what_they_are(open_page: OpenPage, new_session: NewSession) -> None:
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"/>'
    sid = await new_session(
        run_bash(
            "printf 'name,price\\n\"a, b\",4\\n' > t.csv; printf '# Head\\n<img src=x onerror=alert(1)>' > m.md;"
            f"echo '{picture}' > p.svg; printf 'a\\0b' > b.bin; seq 300000 > big.txt"
        )
    )
    page = await open_files(open_page, sid, dark=True)
    await item(page, "t.csv").click()
    await expect(page.get_by_role("cell", name="a, b")).to_be_visible()
    await item(page, "m.md").click()
    await expect(page.get_by_role("heading", name="Head")).to_be_visible()
    await item(page, "p.svg").click()
    await expect(page.get_by_text(re.compile("80 . 40"))).to_be_visible()
    await item(page, "b.bin").click()
    await expect(page.get_by_text("61 00 62")).to_be_visible()
    await item(page, "big.txt").click()
    await page.get_by_role("button", name="Last").click()
    await expect(page.get_by_label("A part of big.txt")).to_contain_text("299999\n300000")


async def test_what_has_changed_is_shown_as_a_patch(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_bash("echo one > a.txt"))
    page = await open_files(open_page, sid, width=400)
    await page.get_by_role("button", name="Changes").click()
    await expect(page.locator(".patch-line.added")).to_contain_text("one")
    await page.get_by_role("button", name="Open a.txt").click()
    await expect(page.get_by_role("textbox", name="Text of a.txt")).to_be_visible()
    await page.get_by_role("button", name="← Files").click()
    await expect(item(page, "a.txt")).to_be_visible()
