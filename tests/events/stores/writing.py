"""A process that writes events and says which are stored: `python writing.py FILE SID HOW COUNT`."""

import json
import resource
import sys

import anyio

from cloche.errors import StoreFull
from cloche.events import EventStream, MessageAction, NullAction, SQLiteStore


async def one_by_one(stream: EventStream, count: int) -> None:
    """Say the id of each event once it is stored; a count of 0 never ends."""
    done = 0
    while not count or done < count:
        added = await stream.add_events([MessageAction(f"event {done}")] * (1 + done % 3))
        done += 1
        sys.stdout.write("".join(f"{event.id}\n" for event in added))
        sys.stdout.flush()


async def until_full(stream: EventStream, count: int) -> None:
    """Write until a file may not grow any more, then go on when it may."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, most))
    stored = 0
    said = ""
    try:
        while True:
            await stream.add_event(MessageAction("x" * 10_000))
            stored += 1
    except StoreFull as error:
        said = str(error)
    try:
        await stream.files.write("large", b"x" * 2 * count)
    except StoreFull as error:
        said += str(error)
    events = len([event async for event in stream.get_events()])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    after = [(await stream.add_event(NullAction())).id for _ in range(3)]
    files = await stream.files.list()
    sys.stdout.write(json.dumps({"stored": stored, "events": events, "said": said, "after": after, "files": files}))


async def main(*asked: str) -> None:
    """Write in one of the ways above."""
    path, sid, how, count = asked
    async with SQLiteStore(path) as store:
        await {"one_by_one": one_by_one, "until_full": until_full}[how](EventStream(sid, store), int(count))


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
