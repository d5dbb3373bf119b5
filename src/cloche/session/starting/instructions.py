"""What a repository wants every agent to know, and the script that sets it up."""

import posixpath

from cloche.errors import SessionError
from cloche.events import CmdOutputObservation, CmdRunAction, ErrorObservation, FileReadAction, FileReadObservation
from cloche.limits import INSTRUCTIONS_LIMIT, SETUP_TIMEOUT
from cloche.runtime import Runtime

SCRIPTS = (".cloche/setup.sh", ".openhands/setup.sh")
INSTRUCTIONS = ("AGENTS.md", ".cloche/AGENTS.md", ".openhands/microagents/repo.md")
_SHOWN = 2000
"""Characters of a failed script's output that are shown."""


async def read_instructions(runtime: Runtime, folder: str) -> str:
    """The instructions in a repository; each file under its name."""
    found: list[str] = []
    room = INSTRUCTIONS_LIMIT
    for name in INSTRUCTIONS:
        text = (await _read_text(runtime, posixpath.join(folder, name)))[:room]
        room -= len(text)
        if text.strip():
            found.append(f"# {name} of the repository in {folder}\n\n{text.strip()}")
    return "\n\n".join(found)


async def find_setup(runtime: Runtime, folder: str) -> str | None:
    """The name of the repository's setup script, None if there is none."""
    for name in SCRIPTS:
        if (await _read_text(runtime, posixpath.join(folder, name))).strip():
            return name
    return None


async def run_setup(runtime: Runtime, folder: str, name: str) -> None:
    """Run the repository's setup script in a shell of its own."""
    command = CmdRunAction(f"bash {name}", is_static=True, cwd=folder, blocking=True, hidden=True)
    seen = await runtime.run(command, timeout=SETUP_TIMEOUT)
    if isinstance(seen, CmdOutputObservation) and seen.exit_code == 0:
        return
    how = "it was not executed"
    if isinstance(seen, CmdOutputObservation):
        how = f"exit code {seen.exit_code}" if seen.exit_code != -1 else f"it took more than {SETUP_TIMEOUT:g} s"
    raise SessionError(f"{name} failed ({how}): {seen.content[-_SHOWN:].strip()}")


async def _read_text(runtime: Runtime, path: str) -> str:
    seen = await runtime.read(FileReadAction(path))
    if isinstance(seen, FileReadObservation):
        return seen.content
    assert isinstance(seen, ErrorObservation), "reading has one of two results"
    return ""
