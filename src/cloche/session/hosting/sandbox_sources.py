"""Where the sandbox of a session comes from: a pool, or a start on the files that it has."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from cloche.errors import SavedStateError
from cloche.sandbox.recorded_sandbox import RecordedSandbox, SandboxSource
from cloche.sandbox.saving.saved import Saved


class NamedSandboxes:
    """Sandboxes of another source, whose folder is noted before anything runs in them."""

    def __init__(self, source: SandboxSource, note: Callable[[str], Awaitable[None]]) -> None:
        self._source = source
        self._note = note

    @asynccontextmanager
    async def sandbox(self, **options: Any) -> AsyncGenerator[RecordedSandbox]:
        """A sandbox of the source."""
        async with self._source.sandbox(**options) as box:
            if box.kept_workspace is not None:
                await self._note(box.kept_workspace.name)
            yield box


class SandboxOnWorkspace:
    """Starts a sandbox on the files of a session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sandbox(self, **options: Any) -> AbstractAsyncContextManager[RecordedSandbox]:
        """A sandbox with this folder as its workspace."""
        return make_sandbox(self._folder, options)


class RestoredSandbox:
    """Starts a sandbox from a saved one; if that cannot be used any more, with less."""

    def __init__(self, folder: Path | None, saved: Path, report: Callable[[str], Awaitable[None]]) -> None:
        self._folder = folder
        self._saved = saved
        self._report = report

    @asynccontextmanager
    async def sandbox(self, **options: Any) -> AsyncGenerator[RecordedSandbox]:
        """A sandbox that goes on from the saved one."""
        async with AsyncExitStack() as stack:
            yield await self._open(stack, options)

    async def _open(self, stack: AsyncExitStack, options: dict[str, Any]) -> RecordedSandbox:
        # What is saved contains the packages.
        kept = {name: value for name, value in options.items() if name != "packages"}
        for python, what in ((True, "variables"), (False, "files and the shell's variables")):
            try:
                saved = Saved(self._saved, python=python)
                return await stack.enter_async_context(make_sandbox(self._folder, {**kept, "from_": saved}))
            except SavedStateError as error:
                await self._report(f"The {what} of the session that this one was forked from are not here: {error}")
        return await stack.enter_async_context(make_sandbox(self._folder, options))


def make_sandbox(folder: Path | None, options: dict[str, Any]) -> RecordedSandbox:
    """A sandbox with this folder as its workspace, if one is given."""
    box = RecordedSandbox(**options)
    if folder is not None:
        box.keep_workspace(folder)
    return box
