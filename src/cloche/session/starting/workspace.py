"""Puts a session's repository into its workspace, and finds out what is there already."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from anyio import to_thread
from msgspec import Struct

from cloche.config.sections import CoreConfig
from cloche.errors import SessionError
from cloche.events import CmdOutputObservation, CmdRunAction, EventFilter, EventStream, Status
from cloche.runtime import PyodideRuntime, Runtime
from cloche.session.starting.instructions import find_setup, read_instructions, run_setup
from cloche.session.starting.repository import Repository, clone_repository, find_repository

GONE = "This session has run before, in a folder that was removed with its sandbox: its files are no longer there."
EMPTY = "This session has run before, and nothing is left in its workspace {}."
AWAY = "This session has run before, and {} is no longer in its workspace: it is cloned again."
TAKEN = (
    "{} is not empty, and not from this session: {} is not cloned over it. "
    "Move it away, use another workspace, or start without a repository"
)


class Step(Protocol):
    """Does a part of the start, and reports it; a failure names it."""

    async def __call__(self, what: str, work: Awaitable[Any], text: str = "") -> Any: ...


class Workspace(Struct, frozen=True, kw_only=True):
    """What a workspace is set up with."""

    runtime: Runtime
    stream: EventStream
    step: Step
    note: Callable[[str], None]
    """Reports something that is no step."""
    kept: bool
    """Whether its files are those of an earlier start."""


def find_loss(core: CoreConfig) -> str | None:
    """What to say about the files of an earlier start if they are not there any more."""
    folder = core.workspace
    if folder is None:
        return GONE
    return None if folder.is_dir() and any(folder.iterdir()) else EMPTY.format(folder)


async def set_up_repository(place: Workspace, selected: str, branch: str | None, tokens: Mapping[str, str]) -> str:
    """Clone a repository and run its script, unless an earlier start did; returns its folder."""
    repository: Repository = await place.step("repository", to_thread.run_sync(find_repository, selected, tokens))
    place.stream.update_secrets({"token of the repository": repository.token} if repository.token else {})
    folder = f"/workspace/{repository.name}"
    ready = f"{repository.url} is in {folder}."
    kept = place.kept and await _was_told(place.stream, ready)
    if kept and not await _is_true(place.runtime, f"test -d {folder}"):
        place.note(AWAY.format(folder))
        kept = False
    if not kept:
        cloning = f"Cloning {repository.url}..."
        if await _is_foreign(place, folder, cloning):
            raise SessionError(TAKEN.format(folder, repository.url))
        work = _clone(place.runtime, repository, branch, folder)
        await place.step(f"repository {repository.url}", work, cloning)
    await place.runtime.run(f"cd {folder}")
    if not kept:
        name: str | None = await place.step("setup script", find_setup(place.runtime, folder))
        if name is not None:
            await place.step("setup script", run_setup(place.runtime, folder, name), f"Running {name}...")
            place.note(f"{name} was run.")
        place.note(ready)
    return folder


async def find_instructions(place: Workspace, folder: str) -> str:
    """The instructions in a folder."""
    found: str = await place.step(
        "instructions", read_instructions(place.runtime, folder), "Reading the repository's instructions..."
    )
    return found


async def _clone(runtime: Runtime, repository: Repository, branch: str | None, folder: str) -> None:
    async with clone_repository(repository, branch) as path:
        await _copy_in(runtime, path, folder)


async def _copy_in(runtime: Runtime, path: Path, folder: str) -> None:
    box = runtime.box if isinstance(runtime, PyodideRuntime) else None
    if box is None:
        await runtime.copy_to(path, "/workspace", recursive=True)
    else:
        # Keeps links and what is executable, of any size.
        await box.upload(path, folder)


async def _is_foreign(place: Workspace, folder: str, cloning: str) -> bool:
    """Whether something is in the folder that no start of this session can have left there."""
    filled = await _is_true(place.runtime, f'test -e {folder} && test -n "$(ls -A {folder})"')
    return filled and not await _was_told(place.stream, cloning)


async def _is_true(runtime: Runtime, test: str) -> bool:
    seen = await runtime.run(CmdRunAction(test, is_static=True, blocking=True, hidden=True))
    return isinstance(seen, CmdOutputObservation) and seen.exit_code == 0


async def _was_told(stream: EventStream, text: str) -> bool:
    """Whether an earlier start came so far: one that failed before must do this again."""
    async for event in stream.get_events(filter=EventFilter(include_types=(Status,))):
        if isinstance(event.body, Status) and event.body.content == text:
            return True
    return False
