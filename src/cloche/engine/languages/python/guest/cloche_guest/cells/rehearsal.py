"""Runs cells that warm the interpreter up before its first real one, and leave no trace."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

_LAST = ("last_exc", "last_type", "last_value", "last_traceback")
_UNDERS = ("_", "__", "___")


@contextlib.contextmanager
def leaving_nothing(shell: Any) -> Iterator[None]:
    """Run what is inside, then put the shell's names, results and last error back as they were."""
    hook, history = shell.displayhook, shell.history_manager
    kept = [shell.user_ns, shell.user_ns["_oh"], history.output_hist_reprs]
    copies = [dict(names) for names in kept]
    results = [getattr(hook, name) for name in _UNDERS]
    last = {name: getattr(sys, name) for name in _LAST if hasattr(sys, name)}
    run = shell.last_execution_result, shell.last_execution_succeeded
    try:
        yield
    finally:
        for names, copy in zip(kept, copies, strict=True):
            names.clear()
            names.update(copy)
        for name, value in zip(_UNDERS, results, strict=True):
            setattr(hook, name, value)
        for name in _LAST:
            vars(sys).pop(name, None)
        vars(sys).update(last)
        shell.last_execution_result, shell.last_execution_succeeded = run
