"""What an action has changed: recorded around it, kept with the session, found again by its observation."""

import logging
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import structs

from cloche.errors import ClocheError
from cloche.events import Action, Event, EventStream, FileEditObservation
from cloche.sandbox.changes.diff import Diff, FileChange
from cloche.sandbox.changes.mark import Mark
from cloche.session.changes.recorder import ChangeRecorder, may_change

log = logging.getLogger(__name__)

KEY = "changes"
"""What an observation has under `cloche` about the files that its action has changed."""
NOTHING = {"files": 0, "added": 0, "deleted": 0}
MASKED = "# secrets are masked, so that this patch cannot be applied\n"


class ActionWatch:
    """Records what the actions of one stream change."""

    def __init__(self, recorder: ChangeRecorder, stream: EventStream) -> None:
        self._recorder = recorder
        self._stream = stream

    async def begin(self, action: Action) -> Mark | None:
        """The files before an action; None if it changes none, or if they cannot be looked at."""
        if not may_change(action):
            return None
        try:
            return await self._recorder.mark()
        except (OSError, ClocheError) as error:
            log.warning("the files could not be recorded before the action %s: %s", action.kind, error)
            return None

    async def end(self, id: int, before: Mark) -> dict[str, Any] | None:
        """Keep what an action has changed; returns what its observation says of that."""
        try:
            diff = await self._recorder.diff_since(before)
            if diff:
                masked = _mask(diff, self._stream)
                await self._stream.files.write(_find_place(self._stream.sid, id), msgspec.json.encode(masked))
        except (OSError, ClocheError) as error:
            log.warning("what the action %d has changed could not be recorded: %s", id, error)
            return None
        added = sum(each.added or 0 for each in diff.files)
        deleted = sum(each.deleted or 0 for each in diff.files)
        return {**NOTHING, "files": len(diff.files), "added": added, "deleted": deleted}


async def load_action_diff(stream: EventStream, observation: Event) -> Diff | None:
    """What the action of an observation has changed; None if that was not recorded."""
    told = (observation.cloche or {}).get(KEY)
    if told is not None and observation.cause is not None:
        if told == NOTHING:
            return Diff("", ())
        with suppress(FileNotFoundError):
            data = await stream.files.read(_find_place(stream.sid, observation.cause))
            return msgspec.json.decode(data, type=Diff)
        return None
    body = observation.body
    if isinstance(body, FileEditObservation) and not body.refused and body.diff is not None:
        return _read_edit(body, body.diff)
    return None


async def copy_action_diffs(stream: EventStream, sid: str, end: int) -> None:
    """Give another session what is recorded of the actions up to an event."""
    with suppress(FileNotFoundError):
        for place in await stream.files.list(f"sessions/{stream.sid}/diffs"):
            id = int(place.rpartition("/")[2].removesuffix(".json"))
            if id <= end:
                await stream.files.write(_find_place(sid, id), await stream.files.read(place))


def _read_edit(body: FileEditObservation, patch: str) -> Diff:
    """What the observation of an edit says itself."""
    lines = patch.splitlines()
    added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
    deleted = sum(line.startswith("-") and not line.startswith("--- ") for line in lines)
    path = body.path.removeprefix("/workspace/")
    files = (FileChange(path, "changed" if body.prev_exist else "added", added, deleted),) if patch else ()
    return Diff(patch, files)


def _mask(diff: Diff, stream: EventStream) -> Diff:
    """The diff without the secrets of its session, as all that is stored."""
    masker = stream.masker()
    patch = masker.feed(diff.patch) + masker.flush()
    return diff if patch == diff.patch else structs.replace(diff, patch=MASKED + patch, complete=False)


def _find_place(sid: str, id: int) -> str:
    return f"sessions/{sid}/diffs/{id}.json"
