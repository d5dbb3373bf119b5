"""How long the page is busy at a stretch: the tasks of its main thread, from the browser's own trace."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from playwright.async_api import Page

from tests.server.page.conftest import open_devtools

LONG = 50.0
"""Milliseconds of processor time from which on a task is felt."""
PIECE = 1 << 20


@asynccontextmanager
async def record_tasks(page: Page) -> AsyncGenerator[list[float]]:
    """After the block: milliseconds of processor time of each task of the page.

    Not the time that passes, which on a busy machine is that of others too.
    """
    devtools = await open_devtools(page)
    ended = anyio.Event()
    streams: list[str] = []

    def end(given: dict[str, Any]) -> None:
        streams.append(given["stream"])
        ended.set()

    devtools.on("Tracing.tracingComplete", end)
    categories = "disabled-by-default-devtools.timeline,devtools.timeline,toplevel"
    await devtools.send("Tracing.start", {"transferMode": "ReturnAsStream", "categories": categories})
    found: list[float] = []
    yield found
    await devtools.send("Tracing.end")
    with anyio.fail_after(30):
        await ended.wait()
    found += _find_tasks(json.loads(await _read(devtools, streams[0]))["traceEvents"])


async def _read(devtools: Any, stream: str) -> str:
    parts: list[str] = []
    while True:
        piece = await devtools.send("IO.read", {"handle": stream, "size": PIECE})
        parts.append(piece["data"])
        if piece["eof"]:
            return "".join(parts)


def _find_tasks(events: list[dict[str, Any]]) -> list[float]:
    mains = {
        (each["pid"], each["tid"])
        for each in events
        if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"
    }
    tasks = [each for each in events if each["name"] == "RunTask" and (each["pid"], each["tid"]) in mains]
    return [each.get("tdur", each.get("dur", 0)) / 1000 for each in tasks]
