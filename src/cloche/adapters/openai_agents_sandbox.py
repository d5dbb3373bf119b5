"""A sandbox client for the OpenAI Agents SDK: its SandboxAgent works in a sandbox of ours."""

import io
import shlex
from pathlib import Path
from typing import Any, Literal, Unpack, cast
from uuid import uuid4

from cloche.adapters.held_sandbox import GivenSandbox, HeldSandbox
from cloche.adapters.missing import explain_missing
from cloche.errors import ConfigError, SandboxUnavailable
from cloche.limits import COPY_LIMIT
from cloche.options import SandboxOptions
from cloche.sandbox.fresh_shell import in_fresh_shell
from cloche.sandbox.results.result import Result
from cloche.sandbox.sandbox import UNSET

with explain_missing("openai-agents"):
    from agents.sandbox.errors import (
        ExecTimeoutError,
        ExecTransportError,
        WorkspaceArchiveReadError,
        WorkspaceArchiveWriteError,
        WorkspaceReadNotFoundError,
        WorkspaceStartError,
    )
    from agents.sandbox.manifest import Manifest
    from agents.sandbox.session import SandboxSession, SandboxSessionState
    from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
    from agents.sandbox.session.manager import Instrumentation
    from agents.sandbox.session.sandbox_client import BaseSandboxClient, BaseSandboxClientOptions
    from agents.sandbox.session.tar_workspace import shell_tar_exclude_args
    from agents.sandbox.snapshot import SnapshotBase, SnapshotSpec, resolve_snapshot
    from agents.sandbox.types import ExecResult, User


class ClocheSandboxOptions(BaseSandboxClientOptions):
    """Has none: the client has the options of the sandbox, some of which are secrets."""

    type: Literal["cloche"] = "cloche"  # pyright: ignore[reportIncompatibleVariableOverride] - so the SDK finds it


class ClocheSessionState(SandboxSessionState):
    """What is needed to begin a session again; its files come from its snapshot."""

    type: Literal["cloche"] = "cloche"  # pyright: ignore[reportIncompatibleVariableOverride] - so the SDK finds it


class ClocheSession(BaseSandboxSession):
    """One session: a sandbox from its start to its shutdown."""

    def __init__(self, state: ClocheSessionState, held: HeldSandbox) -> None:
        self.state = state
        self._held = held
        self._running = False

    async def _prepare_backend_workspace(self) -> None:
        self._held.open()
        root = self._workspace_root_path()
        try:
            await self._held.call_async(lambda box: box.mkdir(root.as_posix()))
        except OSError as error:
            raise WorkspaceStartError(path=root, cause=error) from error

    async def _after_start(self) -> None:
        self._running = True

    async def _after_start_failed(self) -> None:
        await self._shutdown_backend()

    async def _shutdown_backend(self) -> None:
        self._running = False
        await self._held.close_async()

    async def running(self) -> bool:
        return self._running

    async def _exec_internal(self, *command: str | Path, timeout: float | None = None) -> ExecResult:
        words = [str(word) for word in command]
        env = await self.state.manifest.environment.resolve()
        code = in_fresh_shell(shlex.join(words), self._workspace_root_path().as_posix(), env)
        try:
            result = await self._bash(code, timeout)
        except (SandboxUnavailable, ConfigError) as error:
            raise ExecTransportError(command=words, cause=error, message=str(error)) from error
        if result.timed_out:
            raise ExecTimeoutError(command=words, timeout_s=timeout)
        stdout, stderr = result.stdout.encode(), result.stderr.encode()
        return ExecResult(stdout=stdout, stderr=stderr, exit_code=result.exit_code)

    async def _bash(self, code: str, seconds: float | None = None) -> Result:
        return await self._held.call_async(lambda box: box.bash(code, timeout=UNSET if seconds is None else seconds))

    async def read(self, path: Path, *, user: str | User | None = None) -> io.IOBase:
        if user is not None:
            await self._check_read_with_exec(path, user=user)
        place = (await self._validate_path_access(path)).as_posix()
        try:
            return io.BytesIO(await self._held.call_async(lambda box: box.read(place, limit=COPY_LIMIT)))
        except FileNotFoundError as error:
            raise WorkspaceReadNotFoundError(path=path, cause=error) from error
        except OSError as error:
            raise WorkspaceArchiveReadError(path=path, cause=error) from error

    async def write(self, path: Path, data: io.IOBase, *, user: str | User | None = None) -> None:
        if user is not None:
            await self._check_write_with_exec(path, user=user)
        place = await self._validate_path_access(path, for_write=True)
        content = _read_all(data)
        try:
            await self._held.call_async(lambda box: box.write(place.as_posix(), content))
        except OSError as error:
            raise WorkspaceArchiveWriteError(path=place, cause=error) from error

    async def persist_workspace(self) -> io.IOBase:
        archive, root = f"/tmp/{uuid4().hex}.tar", self._workspace_root_path()
        left_out = " ".join(shell_tar_exclude_args(self._persist_workspace_skip_relpaths()))
        result = await self._bash(f"tar {left_out} -C {shlex.quote(root.as_posix())} -cf {archive} .")
        if not result.ok:
            raise WorkspaceArchiveReadError(path=root, context={"stderr": result.stderr})
        try:
            return io.BytesIO(await self._held.call_async(lambda box: box.read(archive, limit=COPY_LIMIT)))
        except OSError as error:
            raise WorkspaceArchiveReadError(path=root, cause=error) from error
        finally:
            await self._bash(f"rm -f {archive}")

    async def hydrate_workspace(self, data: io.IOBase) -> None:
        archive, root = f"/tmp/{uuid4().hex}.tar", self._workspace_root_path()
        content = _read_all(data)
        await self._held.call_async(lambda box: box.write(archive, content))
        result = await self._bash(f"tar -C {shlex.quote(root.as_posix())} -xf {archive}")
        await self._bash(f"rm -f {archive}")
        if not result.ok:
            raise WorkspaceArchiveWriteError(path=root, context={"stderr": result.stderr})


class ClocheSandboxClient(BaseSandboxClient[ClocheSandboxOptions | None]):
    """Gives agents sandboxes: `RunConfig(sandbox=SandboxRunConfig(client=ClocheSandboxClient()))`.

    Each session has a sandbox of its own with these options; with `box`, all share that one.
    """

    backend_id = "cloche"
    supports_default_options = True

    def __init__(
        self,
        box: GivenSandbox = None,
        *,
        instrumentation: Instrumentation | None = None,
        **options: Unpack[SandboxOptions],
    ) -> None:
        # Checks the options before the first session needs them.
        HeldSandbox(box, options)
        self._box = box
        self._options = options
        self._instrumentation = instrumentation or Instrumentation()

    async def create(
        self,
        *,
        snapshot: SnapshotSpec | SnapshotBase | None = None,
        manifest: Manifest | None = None,
        options: ClocheSandboxOptions | None = None,
    ) -> SandboxSession:
        """A new session."""
        manifest = self._validate_manifest_for_create(manifest or Manifest())
        name = uuid4()
        kept = resolve_snapshot(snapshot, str(name))
        return self._open(ClocheSessionState(session_id=name, manifest=manifest, snapshot=kept))

    async def resume(self, state: SandboxSessionState) -> SandboxSession:
        """A session that goes on with the snapshot of an earlier one, in a new sandbox."""
        if not isinstance(state, ClocheSessionState):
            raise TypeError(f"the state of a session with {state.type!r} is not one of Cloche")
        state.assert_path_grants_rebound()
        state.workspace_root_ready = False
        return self._open(state)

    async def delete(self, session: SandboxSession) -> SandboxSession:
        """End the session's sandbox."""
        await session.shutdown()
        return session

    def deserialize_session_state(self, payload: dict[str, object]) -> SandboxSessionState:
        return self._deserialize_session_state_payload(payload, ClocheSessionState)

    def _open(self, state: ClocheSessionState) -> SandboxSession:
        inner = ClocheSession(state, HeldSandbox(self._box, self._options))
        return self._wrap_session(inner, instrumentation=self._instrumentation)


def _read_all(data: io.IOBase) -> bytes:
    content = cast("Any", data).read()
    return content.encode() if isinstance(content, str) else bytes(content)
