"""A sandbox whose calls continue while nobody waits for them."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.process.call import OnInput
from cloche.sandbox.process.engine_queries import convert_reply
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.results.result import Event
from cloche.sandbox.results.transcript import Transcript
from cloche.sandbox.sandbox import Sandbox
from cloche.security.outline import ShellOutline


class RecordedSandbox(Sandbox):
    """A sandbox whose calls write into the record of a process: output is bounded once."""

    def keep_workspace(self, folder: Path) -> None:
        """Use this folder as the workspace of this sandbox alone, and leave it at the end; before the start."""
        self._folders.keep_workspace(folder)

    @property
    def kept_workspace(self) -> Path | None:
        """The folder that will be left."""
        return self._folders.kept

    async def follow(
        self,
        record: Transcript,
        code: str,
        *,
        language: str,
        stdin: str | None,
        seconds: float | None,
        on_input: OnInput | None,
        cwd: str | None,
        setup: bool,
    ) -> AsyncGenerator[Event]:
        """Run a cell as `stream` does; its output is in `record`."""
        interactive = on_input is not None
        request = build_run_request(code, stdin=stdin, interactive=interactive, profile=False, cwd=cwd, setup=setup)
        async with self._calling(language, request, seconds, on_input, record) as call:
            while (event := await call.next()) is not None:
                yield event

    async def call(
        self, request: dict[str, Any], *, language: str, seconds: float | None, on_input: OnInput | None
    ) -> AsyncGenerator[Event]:
        """Run what `build_run_request` has made, as `stream` does."""
        async with self._calling(language, request, seconds, on_input) as call:
            while (event := await call.next()) is not None:
                yield event

    @property
    def host_files(self) -> GuestFiles:
        """Its folders as the host sees them; everything there blocks."""
        return self._files()

    async def outline(self, command: str) -> ShellOutline:
        """How the shell would read a command now; nothing is run."""
        return convert_reply(await self._query("outline", command, None, "bash"), ShellOutline)


class SandboxSource(Protocol):
    """Where a runtime takes its sandbox from, such as a Pool."""

    def sandbox(self, **options: Any) -> AbstractAsyncContextManager[RecordedSandbox]:
        """A sandbox with these options of Sandbox, closed at the end of the block."""
        ...
