"""The peers, each in a folder of its own with pinned versions, and the processes that drive them."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from benchmarks import setups
from benchmarks.processes import process_family, pss_mb

ROOT = Path(__file__).parent.parent
LIMIT = 300.0
"""Seconds within which a peer answers, or the measurement has failed."""

END_LIMIT = 10.0
"""Seconds within which a killed driver is gone."""

FRAME_LIMIT = 1 << 24

Env = dict[str, str]


class Peer(msgspec.Struct, frozen=True):
    """How to get one, and what it can do."""

    name: str
    module: str
    """Its driver in benchmarks.drivers."""
    prepare: Callable[[], tuple[str, Env]]
    """Gives the Python that runs the driver, and its environment; raises where it cannot be had."""
    bash: bool = True
    """Whether it has a shell."""
    inside: bool = False
    """Whether it runs in the process of its user, so that only the first one there starts cold."""


PEERS = (
    Peer("Cloche", "box", lambda: (sys.executable, {})),
    Peer("stock Deno + Pyodide", "stock", setups.stock, bash=False),
    Peer("ipykernel", "kernel", setups.ipykernel),
    Peer("pyeryx", "eryx", setups.pyeryx, bash=False, inside=True),
    Peer("just-bash", "justbash", setups.justbash),
    Peer("python3 -c", "plain", lambda: (sys.executable, {})),
)


class PeerFailed(RuntimeError):
    """A peer could not do what was asked of it."""


class Ready(msgspec.Struct, frozen=True):
    """A peer that is installed."""

    peer: Peer
    python: str
    env: Mapping[str, str]


def prepare(peer: Peer) -> Ready | str:
    """The peer, or why it cannot be had here."""
    try:
        python, env = peer.prepare()
    except (OSError, subprocess.SubprocessError, setups.NotHere) as error:
        return setups.reason(error)
    return Ready(peer, python, env)


class Driver:
    """A running driver."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        self._process = process
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._before = 0.0

    async def ask(self, act: str, **options: Any) -> dict[str, Any]:
        """Have it do something; raises PeerFailed with the peer's own words."""
        assert self._process.stdin is not None
        with anyio.fail_after(LIMIT):
            await self._process.stdin.send(json.dumps({"act": act, **options}).encode() + b"\n")
            answer = json.loads(await self._lines.receive_until(b"\n", FRAME_LIMIT))
        if "error" in answer:
            raise PeerFailed(answer["error"])
        return answer

    async def weigh(self) -> float:
        """MB of all that the peer has started, and by how much the driver itself has grown through it."""
        pids = await to_thread.run_sync(process_family, self._process.pid)
        total = await to_thread.run_sync(pss_mb, pids)
        return total - self._before

    async def settle(self) -> None:
        """Take the weight of the driver without a peer."""
        await self.ask("version")
        self._before = await to_thread.run_sync(pss_mb, [self._process.pid])


@asynccontextmanager
async def drive(ready: Ready) -> AsyncGenerator[Driver]:
    """A fresh process with the peer's driver in it."""
    env = {**os.environ, "DENO_NO_UPDATE_CHECK": "1", **ready.env}
    # Images often set it; a user's packages have their .pyc files.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *env.get("PYTHONPATH", "").split(os.pathsep)])
    argv = [ready.python, "-m", "benchmarks.drivers.drive", ready.peer.module]
    process = await anyio.open_process(argv, env=env, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        driver = Driver(process)
        await driver.settle()
        yield driver
    finally:
        with anyio.CancelScope(shield=True):
            assert process.stdin is not None
            with anyio.move_on_after(END_LIMIT):
                await process.stdin.aclose()
                await process.wait()
            with suppress(ProcessLookupError):
                process.kill()
            await process.aclose()
