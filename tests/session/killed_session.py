"""A session in a process of its own, to be killed: python -m tests.session.killed_session FOLDER [KEPT].

It works in FOLDER, and says what it has done on stdout, a line each: what it says is stored.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.events import (
    Action,
    AgentDelegateAction,
    AgentFinishAction,
    AgentThinkAction,
    CmdRunAction,
    Event,
    FileStore,
    FileWriteAction,
    IPythonRunCellAction,
    encode_event,
)
from cloche.session import AgentSession, AgentState
from cloche.session.agents import StepState

STEPS = 8
SETUP = "echo setup >> /mnt/out/setup; sleep 0.05; touch ready"


class Counter:
    """Appends the number of each step to a file outside the sandbox, in different ways."""

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        number = state.iteration
        note = CmdRunAction(f"echo {number} >> /mnt/out/log")
        ways: list[Sequence[Action]] = [
            [note],
            [AgentThinkAction("I think"), note],
            [IPythonRunCellAction(f"print({number}, file=open('/mnt/out/log', 'a'))", include_extra=False)],
            [AgentDelegateAction("ScriptedAgent", {"task": "nothing"}), note],
            [FileWriteAction(f"/workspace/{number}", "x"), note, CmdRunAction("cat ready")],
        ]
        return ways[number % len(ways)] if number < STEPS else [AgentFinishAction("done")]


async def work(folder: Path, *, kept: bool) -> None:
    """Start the session, or go on with it, until its agent is done."""
    config = AppConfig()
    workspace = str(folder / "workspace") if kept else None
    config = replace(
        config,
        core=replace(config.core, workspace_base=workspace),
        sandbox=replace(config.sandbox, plugins=(), mounts=(f"{folder}/out:/mnt/out",)),
    )
    session = AgentSession("s", FileStore(folder / "store"), tell_status)
    say("begin")
    await session.start("pyodide", config, Counter(), selected_repository=str(folder / "project"))
    say("ready", session.state)
    await session.stream.subscribe("teller", tell, after_id=-1)
    if session.state is AgentState.AWAITING_USER_INPUT:
        await session.send("go")
        say("sent")
    state = await session.controller.wait()
    say("end", state, session.controller.reason)
    await session.close()
    say("closed")


def tell_status(level: str, status: str, text: str) -> None:
    """Say what the session reports."""
    say("status", level, status, text)


def tell(event: Event) -> None:
    """Say that an event is stored."""
    say("event", encode_event(event).decode())


def say(*words: object) -> None:
    """Print a line."""
    print(*(" ".join(str(word).split()) for word in words), flush=True)  # noqa: T201 - it is what it is for


if __name__ == "__main__":
    anyio.run(lambda: work(Path(sys.argv[1]), kept=len(sys.argv) > 2))
