"""An action through stream, dispatcher and runtime, beside the same command typed into a tmux."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import anyio
from anyio import to_thread

from benchmarks.measure import Row, Scale, Target, in_ms
from cloche.events import CmdRunAction, EventStream, SQLiteStore, is_observation
from cloche.runtime import get_runtime_cls
from cloche.session import Dispatcher

ACTION_MS, OF_TMUX = 3.0, 0.25
TMUX = "tmux: keys sent, pane read every 10 ms until the end shows"
LOOK = 0.01
"""Seconds between two looks at a pane; drivers that agents use take up to half of one."""
LOOKS = 500
"""Looks at a pane before a command is given up."""


async def rows(scale: Scale) -> list[Row]:
    """`echo hi` as an action, in turns with tmux."""
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory(prefix="bench-actions-") as folder:
        async with SQLiteStore(Path(folder, "events.db")) as store, get_runtime_cls("pyodide")() as runtime:
            stream = EventStream("bench", store)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(Dispatcher(stream, runtime).run)
                await _act(stream)
                with _Tmux(Path(folder)) as tmux:
                    for number in range(scale.warm):
                        ours.append(await _act(stream))
                        if tmux.there and number < scale.warm // 4:
                            theirs.append(await to_thread.run_sync(tmux.run, number))
                tasks.cancel_scope.cancel()
    name = "`run` of echo hi through stream, dispatcher and runtime"
    note = "" if theirs else "there is no tmux here to compare with"
    return [
        Row(name=name, unit="ms", ours=in_ms(ours), target=Target("median", ACTION_MS)),
        Row(
            name=f"{name}, beside tmux",
            unit="ms",
            ours=in_ms(ours),
            peer=TMUX,
            theirs=in_ms(theirs),
            target=Target("ratio", OF_TMUX) if theirs else None,
            note=note,
        ),
    ]


async def _act(stream: EventStream) -> float:
    """Seconds from the action to its observation, both on disk."""
    start = time.perf_counter()
    action = await stream.add_event(CmdRunAction("echo hi"), "agent")
    assert action.id is not None
    async for event in stream.follow(action.id):
        if is_observation(event.body) and event.cause == action.id:
            assert event.body.content == "hi\n", event
            break
    return time.perf_counter() - start


class _Tmux:
    """One bash in a tmux of its own, driven as agents drive it: keys in, the pane's text out."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "tmux")
        self.there = shutil.which("tmux") is not None

    def __enter__(self) -> "_Tmux":
        if self.there:
            self._call("-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "bash --norc")
        return self

    def __exit__(self, *_: object) -> None:
        if self.there:
            self._call("kill-server")

    def run(self, number: int) -> float:
        """Seconds until the command's end is to be seen."""
        start = time.perf_counter()
        self._call("send-keys", f"clear; echo hi; echo end-$(({number}))-$?", "Enter")
        for _ in range(LOOKS):
            if f"hi\nend-{number}-0\n" in self._call("capture-pane", "-p"):
                return time.perf_counter() - start
            time.sleep(LOOK)
        raise RuntimeError("tmux did not show the end of the command")

    def _call(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *arguments], capture_output=True, text=True, check=True)
        return done.stdout
