"""What the actions of a session have changed in its files."""

from cloche.session.changes.action_diffs import ActionWatch, copy_action_diffs, load_action_diff
from cloche.session.changes.recorder import (
    ChangeRecorder,
    ChangesWanted,
    copy_beginning,
    find_changes,
    open_recorder,
)

__all__ = [
    "ActionWatch",
    "ChangeRecorder",
    "ChangesWanted",
    "copy_action_diffs",
    "copy_beginning",
    "find_changes",
    "load_action_diff",
    "open_recorder",
]
