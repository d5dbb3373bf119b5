"""Calls one hook of a build backend, in a process of its own; request and answer are files with JSON."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any


def call_hook(request: str, answer: str) -> int:
    """Call the hook that the request names; the answer has its value, or the error."""
    wanted: dict[str, Any] = json.loads(Path(request).read_text("utf-8"))
    # The folder of a project is not among the modules of its backend, unless `backend-path` says so.
    sys.path[:] = [*wanted["paths"], *(entry for entry in sys.path if entry)]
    sys.argv = ["setup.py"]
    try:
        found = {"value": _call(wanted)}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a backend may fail in any way
        traceback.print_exc()
        found = {"error": f"{type(error).__name__}: {error}"}
    Path(answer).write_text(json.dumps(found), "utf-8")
    return 0


def _call(wanted: dict[str, Any]) -> Any:
    module, _, attributes = wanted["backend"].partition(":")
    hooks: Any = importlib.import_module(module)
    for attribute in filter(None, attributes.split(".")):
        hooks = getattr(hooks, attribute)
    hook = getattr(hooks, wanted["hook"], None)
    if hook is None:
        return None
    return hook(*wanted["args"])
