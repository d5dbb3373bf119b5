"""A sandbox for Deep Agents: commands and files."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, TypeVar, Unpack
from uuid import uuid4

from cloche.adapters.held_sandbox import GivenSandbox, HeldSandbox, SandboxHolder
from cloche.adapters.missing import explain_missing
from cloche.errors import ConfigError
from cloche.limits import READ_LIMIT, SHOWN_CHARACTERS
from cloche.options import SandboxOptions
from cloche.sandbox.fresh_shell import in_fresh_shell
from cloche.sandbox.results.readable import shorten_output
from cloche.sandbox.results.result import Result
from cloche.sandbox.sandbox import UNSET, Sandbox

with explain_missing("deepagents"):
    from deepagents.backends.composite import CompositeBackend
    from deepagents.backends.protocol import (
        ExecuteOffloadResult,
        ExecuteResponse,
        FileDownloadResponse,
        FileUploadResponse,
    )
    from deepagents.backends.sandbox import BaseSandbox

T = TypeVar("T")

ARTIFACTS = "/tmp/deepagents"
WRITABLE = ("/workspace/", "/tmp/", "/home/user/", "/mnt/")
ERROR_CODES = {
    FileNotFoundError: "file_not_found",
    IsADirectoryError: "is_directory",
    PermissionError: "permission_denied",
    NotADirectoryError: "invalid_path",
    ValueError: "invalid_path",
}
"""What Deep Agents calls these errors."""


class ClocheSandbox(SandboxHolder, BaseSandbox):
    """Runs an agent's commands, and has its files: `create_deep_agent(model, backend=ClocheSandbox().backend)`.

    Each command has a shell of its own, in /workspace. Without `box` it has a sandbox of its own with these options,
    which ends with the `with` block or `close`.
    """

    enable_capture_offload = True

    @property
    def backend(self) -> CompositeBackend:
        """What to give to an agent: its long results and its history are kept below /tmp.

        Given the sandbox itself, it would keep them in folders of `/`, which only the sandbox can make. In a
        CompositeBackend of your own, set `artifacts_root` to a folder in /tmp or /workspace.
        """
        return CompositeBackend(default=self, routes={}, artifacts_root=ARTIFACTS)

    def __init__(self, box: GivenSandbox = None, **options: Unpack[SandboxOptions]) -> None:
        self._held = HeldSandbox(box, options)
        self._id = f"cloche-{uuid4().hex[:12]}"

    @property
    def id(self) -> str:
        return self._id

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """Run a command; 0 seconds are no limit, None is the limit of the sandbox."""
        return self._held.call(lambda box: _execute(box, command, timeout))

    async def aexecute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """The same for async code; cancelling this stops the command."""
        return await self._held.call_async(lambda box: _execute(box, command, timeout))

    def execute_with_offload(
        self,
        command: str,
        capture_path: str,
        *,
        max_inline_bytes: int,
        max_capture_bytes: int | None = None,
        timeout: int | None = None,
    ) -> ExecuteOffloadResult:
        """Run a command of the model, and keep long output in a file; where there can be none, cut it in the middle."""
        if not capture_path.startswith(WRITABLE):
            return _cut(self.execute(command, timeout=timeout))
        limits: dict[str, Any] = {"max_inline_bytes": max_inline_bytes, "max_capture_bytes": max_capture_bytes}
        return super().execute_with_offload(command, capture_path, timeout=timeout, **limits)

    async def aexecute_with_offload(
        self,
        command: str,
        capture_path: str,
        *,
        max_inline_bytes: int,
        max_capture_bytes: int | None = None,
        timeout: int | None = None,
    ) -> ExecuteOffloadResult:
        """The same for async code."""
        if not capture_path.startswith(WRITABLE):
            return _cut(await self.aexecute(command, timeout=timeout))
        limits: dict[str, Any] = {"max_inline_bytes": max_inline_bytes, "max_capture_bytes": max_capture_bytes}
        return await super().aexecute_with_offload(command, capture_path, timeout=timeout, **limits)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Write files, and the folders above them."""
        return self._held.call(lambda box: _upload(box, files))

    async def aupload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """The same for async code."""
        return await self._held.call_async(lambda box: _upload(box, files))

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Read files."""
        return self._held.call(lambda box: _download(box, paths))

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """The same for async code."""
        return await self._held.call_async(lambda box: _download(box, paths))

    def _write_preflight(self, file_path: str) -> None:
        """Do nothing before a file is written: `upload_files` makes its folders."""

    async def _awrite_preflight(self, file_path: str) -> None:
        """The same for async code."""


async def _execute(box: Sandbox, command: str, seconds: int | None) -> ExecuteResponse:
    try:
        result = await box.bash(in_fresh_shell(command), timeout=UNSET if seconds is None else seconds or None)
    except ConfigError as error:
        return ExecuteResponse(output=f"The command was not run: {error}", exit_code=126)
    return ExecuteResponse(output=_describe(result), exit_code=result.exit_code, truncated=result.truncated)


def _cut(response: ExecuteResponse) -> ExecuteOffloadResult:
    shown = shorten_output(response.output, SHOWN_CHARACTERS)
    truncated = response.truncated or shown != response.output
    return ExecuteOffloadResult(offloaded=False, response=ExecuteResponse(shown, response.exit_code, truncated))


def _describe(result: Result) -> str:
    output = "".join(text for _, text in result.output)
    return f"{output}\n[The command was stopped after {result.duration:.1f} seconds.]" if result.timed_out else output


async def _upload(box: Sandbox, files: Iterable[tuple[str, bytes]]) -> list[FileUploadResponse]:
    responses: list[FileUploadResponse] = []
    for path, content in files:
        _, error = await _try_file(path, partial(box.write, path, content))
        responses.append(FileUploadResponse(path=path, error=error))
    return responses


async def _download(box: Sandbox, paths: Iterable[str]) -> list[FileDownloadResponse]:
    responses: list[FileDownloadResponse] = []
    for path in paths:
        content, error = await _try_file(path, partial(box.read, path, limit=READ_LIMIT))
        responses.append(FileDownloadResponse(path=path, content=content, error=error))
    return responses


async def _try_file(path: str, act: Callable[[], Awaitable[T]]) -> tuple[T | None, str | None]:
    """What `act` gives, or why it failed."""
    if not path.startswith("/"):
        return None, "invalid_path"
    try:
        return await act(), None
    except (OSError, ValueError) as error:
        known = next((code for kind, code in ERROR_CODES.items() if isinstance(error, kind)), None)
        return None, known or str(error)
