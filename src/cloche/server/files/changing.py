"""Changes files as the user, by actions that are on record."""

from cloche.events import (
    Action,
    ErrorObservation,
    FileWriteAction,
    FileWriteObservation,
    Observation,
    UploadAction,
    is_observation,
    new_event,
)
from cloche.runtime.actions.file_errors import read_file_error
from cloche.runtime.codes import FILE
from cloche.runtime.machine import WORKSPACE
from cloche.server.files.conditions import Condition
from cloche.server.files.listing import FileView, view_file
from cloche.server.files.paths import file_problem, shorten_path, telling_errors
from cloche.server.problems import Problem
from cloche.server.uploads.staging import StagedFile
from cloche.session import HostedSession

NAMED = 100
"""Files of one upload that its event names."""


async def change_files(wanted: HostedSession, action: Action, path: str) -> Observation:
    """Have an action of the user executed; what it cannot do is raised."""
    answered = (await wanted.act(new_event(action, "user"))).body
    assert is_observation(answered), "an action is answered by an observation"
    if isinstance(answered, ErrorObservation):
        error = read_file_error(answered, path)
        raise file_problem(error, path) if isinstance(error, OSError) else error
    return answered


async def find_file(wanted: HostedSession, path: str) -> FileView:
    """What is at a path."""
    async with wanted.use() as session:
        with telling_errors(path):
            return view_file(path, await session.runtime.files.find(path))


async def look_up(wanted: HostedSession, path: str) -> FileView | None:
    """What is at a path; None for nothing."""
    try:
        return await find_file(wanted, path)
    except Problem as problem:
        if problem.status == 404:
            return None
        raise


async def write_file(wanted: HostedSession, staged: StagedFile, path: str, condition: Condition) -> FileView:
    """Write a file if the condition holds: text as the action `write`, anything else as what was uploaded."""
    if path == WORKSPACE:
        raise Problem(409, "conflict", "the workspace is a folder", fix="Give the path of a file in it.")
    if condition:
        condition.check(path, await look_up(wanted, path))
    text = await staged.read_text()
    action = None if text is None else FileWriteAction(path, text)
    # What runs is the stored event: text with a secret in it would be written with its mask.
    if action is not None and wanted.stream.mask(event := new_event(action, "user")) == event:
        if condition:
            await _write_beside(wanted, staged, action, condition)
        else:
            await change_files(wanted, action, path)
    else:
        with telling_errors(path):
            await place_file(wanted, staged, path)
        await note_upload(wanted, WORKSPACE, {shorten_path(path): staged.size})
    return await find_file(wanted, path)


async def _write_beside(
    wanted: HostedSession, staged: StagedFile, action: FileWriteAction, condition: Condition
) -> None:
    """Write text at once: what an action that is running writes until its end must not make the condition untrue."""
    refused: Problem | None = None

    async def work(_: object) -> Observation:
        nonlocal refused
        try:
            condition.check(action.path, await look_up(wanted, action.path))
            with telling_errors(action.path):
                await place_file(wanted, staged, action.path)
        except Problem as problem:
            refused = problem
            return ErrorObservation(f"Not written: {problem.detail}.", FILE)
        return FileWriteObservation(action.content, action.path)

    await wanted.perform(new_event(action, "user"), work)
    if refused is not None:
        raise refused


async def place_file(wanted: HostedSession, staged: StagedFile, path: str) -> None:
    """Put a file in its place, beside the actions; raises errors as they are."""
    async with wanted.use() as session:
        await session.runtime.files.put(staged.file, path)


async def note_upload(wanted: HostedSession, folder: str, files: dict[str, int]) -> None:
    """Record what the user has brought in."""
    named = dict(list(files.items())[:NAMED])
    await wanted.send(UploadAction(folder, named, len(files) - len(named)))
