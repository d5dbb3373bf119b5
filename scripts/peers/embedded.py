"""Our runtime in this process, for suites that are not async: wire JSON in, wire JSON out."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from anyio.from_thread import start_blocking_portal

from cloche.config import AppConfig
from cloche.events import Action, Observation, event_from_dict, event_to_dict, is_action, new_event
from cloche.runtime.pyodide import PyodideRuntime

Wire = dict[str, Any]
_open: list["EmbeddedRuntime"] = []


def close_all() -> None:
    """End those that a suite has left open."""
    for runtime in _open[:]:
        runtime.close()


class EmbeddedRuntime:
    """A runtime on a loop of its own."""

    def __init__(self, config: AppConfig) -> None:
        self._config = config
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._portal = self._stack.enter_context(start_blocking_portal("asyncio"))
        self._runtime = self._portal.call(self._make)
        self._stack.enter_context(self._portal.wrap_async_context_manager(self._runtime))
        _open.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it; may be called twice."""
        self._stack.close()
        if self in _open:
            _open.remove(self)

    def execute(self, wire: Wire) -> Wire:
        """Execute the action that this JSON holds, once for each id, and give the JSON of its observation."""
        event = event_from_dict(wire)
        assert is_action(event.body), f"not an action: {wire}"
        key = None if event.id is None else str(event.id)
        observation = self._portal.call(self._execute, event.body, event.timeout, key)
        return event_to_dict(new_event(observation))

    def _make(self) -> PyodideRuntime:
        return PyodideRuntime(self._config)

    async def _execute(self, action: Action, seconds: float | None, key: str | None) -> Observation:
        return await self._runtime.execute(action, timeout=seconds, key=key)

    def list_files(self, path: str | None) -> list[str]:
        """The names in a folder."""
        return self._portal.call(self._runtime.list_files, path)

    def copy_to(self, source: str, folder: str, recursive: bool) -> None:
        """Copy a file or folder of the host into a folder."""
        self._portal.call(self._runtime.copy_to, source, folder, recursive)

    def copy_from(self, path: str) -> Path:
        """A file or folder as an archive on the host."""
        return self._portal.call(self._runtime.copy_from, path)
