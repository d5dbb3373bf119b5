"""A server that is to be killed: `python -m tests.session.hosting.serving FOLDER SESSIONS`.

It prints each event that it has acknowledged, as a line of JSON.
"""

import json
import sys
from pathlib import Path

import anyio

from cloche.session import HostedSession, NewSession
from tests.session.hosting.conftest import managing, run


def tell(session: HostedSession, id: int | None, key: str) -> None:
    """Print a line at once."""
    sys.stdout.write(json.dumps({"sid": session.sid, "id": id, "key": key}) + "\n")
    sys.stdout.flush()


async def work(session: HostedSession, begin: int) -> None:
    """Send one action after the other, some of them twice, and say what was acknowledged."""
    for turn in range(begin, begin + 10_000):
        event = run(f"echo {turn} >> f; sleep 0.01", key=str(turn))
        sent = await session.act(event, wait=False)
        tell(session, sent.id, str(turn))
        if turn % 3 == 0:
            answer = await session.act(event)
            tell(session, answer.id, str(turn))


async def main(folder: str, count: str, begin: str) -> None:
    """Serve until killed; sessions that are there go on."""
    limits = {"pool_size": 1, "max_running": 50, "max_sessions_per_user": 50}
    async with managing(Path(folder), server=limits) as manager, anyio.create_task_group() as tasks:
        stored = [await manager.find(view.id) for view in await manager.list_sessions()]
        missing = [await manager.create("ann", NewSession()) for _ in range(int(count) - len(stored))]
        for session in stored + missing:
            tasks.start_soon(work, session, int(begin))


if __name__ == "__main__":
    _, given, sessions, first = sys.argv
    anyio.run(main, given, sessions, first)
