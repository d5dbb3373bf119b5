"""Pictures of the page, of a session that shows what it can: `make screenshots`, or with `--readme` those of README."""

import argparse
import base64
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
from anyio import to_thread
from playwright.async_api import Browser, Page, expect

from benchmarks.browser import open_browser, open_window
from benchmarks.groups.server import HEADERS, TOKEN, serving, wait_until
from cloche.llm import ToolCall
from cloche.llm.scripted_server import ScriptedServer, ServerTurn

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "build" / "screenshots"
PICTURES = ROOT / "docs" / "pictures"
LIMIT = 120 * 1024
"""Bytes that a picture of README may have."""
SALES = """month,region,revenue
2026-01,north,1200
2026-01,south,n/a
2026-02,north,1350
2026-02,south,980
2026-03,north,1290
2026-03,south,1105
2026-03,south,1105
2026-04,north,1610
2026-04,south,1240
"""
CLEAN = """import csv

with open("sales.csv") as file:
    rows = list(csv.DictReader(file))
seen, clean = set(), []
for row in rows:
    key = tuple(row.values())
    if key in seen or not row["revenue"].isdigit():
        print("left out:", ", ".join(key))
        continue
    seen.add(key)
    clean.append(row)
print(len(clean), "of", len(rows), "rows are good")"""
PLOT = """from collections import Counter
from IPython.display import SVG

months = Counter()
for row in clean:
    months[row["month"]] += int(row["revenue"])
bars = ""
for place, (month, revenue) in enumerate(sorted(months.items())):
    height = revenue / 16
    x = 40 + place * 90
    bars += f'<rect x="{x}" y="{200 - height}" width="60" height="{height}" rx="4" fill="#1c7350"/>'
    bars += f'<text x="{x + 30}" y="{192 - height}" text-anchor="middle">{revenue}</text>'
    bars += f'<text x="{x + 30}" y="218" text-anchor="middle">{month}</text>'
picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="420" height="230" font-family="sans-serif" font-size="12">'
picture += f'<rect width="420" height="230" fill="white"/>{bars}</svg>'
open("revenue.svg", "w").write(picture)
SVG(picture)"""
LOOKS = {"light": (1280, False), "dark": (1280, True), "narrow": (400, False)}
PAGES = {
    "sessions": "/",
    "play": "/play",
    "settings": "/settings",
    "configuration": "/settings/config",
    "policy": "/settings/policy",
    "tokens": "/settings/tokens",
    "tools": "/settings/tools",
    "login": "/login",
}
TO_WEBP = """async (source) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${source}`;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d").drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.82 });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}"""


def _call(name: str, text: str = "", **arguments: Any) -> ServerTurn:
    given = msgspec.json.encode(arguments).decode()
    return ServerTurn(text=text, tool_calls=(ToolCall(f"call_{len(given)}", name, given),))


def write_script() -> Sequence[ServerTurn]:
    """What the model says: it looks, cleans, fails once, plots, and asks before it publishes."""
    return (
        _call("bash", "I will look at the file first.", command="ls -l; head -4 sales.csv; wc -l < sales.csv"),
        _call("python", "One value is missing, and one row is there twice.", code=CLEAN),
        _call("bash", "Now as a report.", command="python3 report.py --input sales.csv"),
        _call("python", "There is no such script. I will draw the picture myself.", code=PLOT),
        _call(
            "bash",
            "The picture is there. Shall I publish it?",
            command="curl -s -T revenue.svg https://files.example.com/reports/",
        ),
        _call("finish", message="`revenue.svg` has the revenue of each month. Nothing was published."),
    )


CONFIG = """
[sandbox]
# The name space of SVG, which the rules take for an address that code may reach.
allow_net = ["www.w3.org"]
[llm]
model = "scripted"
api_key = "none"
base_url = "{model}"
[security]
security_analyzer = "rules"
"""


async def fill(url: str) -> str:
    """Some sessions; returns the id of the one with the agent, which asks."""
    async with httpx2.AsyncClient(base_url=f"{url}/api", headers=HEADERS, timeout=60) as client:

        async def begin(title: str, *commands: str, **more: Any) -> str:
            sid: str = (await client.post("/sessions", json={"title": title, **more})).json()["id"]
            for command in commands:
                action = {"action": "run", "args": {"command": command}}
                (await client.post(f"/sessions/{sid}/actions", json=action)).raise_for_status()
            return sid

        stopped = await begin("Try the new parser", "seq 3 | tac")
        await client.post(f"/sessions/{stopped}/stop")
        await begin("Find the slow query", "echo 'explain select 1' > query.sql; cat query.sql")
        await client.post("/tokens", json={"name": "ada"})
        await client.post("/tokens", json={"name": "dashboard", "read_only": True})
        sid = await begin("Clean the sales table")
        await client.put(f"/sessions/{sid}/files/content", params={"path": "sales.csv"}, content=SALES.encode())
        message = "Clean sales.csv, and draw the revenue of each month."
        (await client.post(f"/sessions/{sid}/messages", json={"content": message})).raise_for_status()

        async def asks() -> bool:
            return (await client.get(f"/sessions/{sid}")).json()["state"] == "awaiting_user_confirmation"

        await wait_until(asks, 90)
    return sid


def write_config(folder: Path, model: str) -> str:
    """A configuration with this model; its path."""
    file = folder / "config.toml"
    file.write_text(CONFIG.format(model=model))
    return str(file)


@asynccontextmanager
async def open_scene() -> AsyncGenerator[tuple[str, Browser, str]]:
    """A server with a session that has something to show, and a browser; the session's id."""
    with tempfile.TemporaryDirectory(prefix="screenshots-") as name:
        async with ScriptedServer(write_script()) as model:
            config = await to_thread.run_sync(write_config, Path(name), model.base_url)
            async with serving(Path(name) / "data", pool=1, config=config) as (url, _), open_browser() as browser:
                yield url, browser, await fill(url)


async def take_all(target: Path) -> None:
    """Every page in every look."""
    async with open_scene() as (url, browser, sid):
        for look, (width, dark) in LOOKS.items():
            async with open_window(browser, url, TOKEN, width=width, dark=dark) as context:
                page = await context.new_page()
                await _take_session(page, f"{url}/s/{sid}", target, look)
                for each, path in PAGES.items():
                    await page.goto(f"{url}{path}")
                    await _take(page, target / f"{each}-{look}.png")


async def _take_session(page: Page, address: str, target: Path, look: str) -> None:
    await page.goto(address)
    await expect(page.get_by_text("sales.csv").first).to_be_visible()
    await _take(page, target / f"session-{look}.png")
    for tab in await page.get_by_role("tab").all_inner_texts():
        await page.get_by_role("tab", name=tab).click()
        await _take(page, target / f"session-{tab.lower()}-{look}.png")


async def _take(page: Page, file: Path) -> None:
    await page.wait_for_load_state("networkidle")
    # What is loaded when it is first shown, such as an editor.
    await anyio.sleep(0.8)
    await page.screenshot(path=file)


async def read_pictures(source: Path) -> dict[str, bytes]:
    """The pictures of README, small enough to be in the repository."""
    found: dict[str, bytes] = {}
    async with open_browser() as browser:
        page = await browser.new_page()
        for look in ("light", "dark"):
            taken = await to_thread.run_sync((source / f"session-outputs-{look}.png").read_bytes)
            packed: str = await page.evaluate(TO_WEBP, base64.b64encode(taken).decode())
            found[f"session-{look}.webp"] = base64.b64decode(packed)
    return found


def main() -> None:
    """Take all pictures; with --readme also write those of README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", action="store_true", help="also write docs/pictures")
    options = parser.parse_args()
    TARGET.mkdir(parents=True, exist_ok=True)
    anyio.run(take_all, TARGET)
    print(f"in {TARGET.relative_to(ROOT)}")
    if options.readme:
        PICTURES.mkdir(parents=True, exist_ok=True)
        for name, data in anyio.run(read_pictures, TARGET).items():
            if len(data) > LIMIT:
                sys.exit(f"{name} has {len(data)} bytes, the limit is {LIMIT}")
            (PICTURES / name).write_bytes(data)


if __name__ == "__main__":
    main()
