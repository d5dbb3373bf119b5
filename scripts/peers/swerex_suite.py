"""The execution tests of SWE-ReX: their own server and client, with our runtime behind the server."""

import shlex
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from anyio import to_thread
from embedded import EmbeddedRuntime

from cloche.config import AppConfig, SandboxConfig

FOLDER = "tests/test_execution.py"
_FOLDER = tempfile.TemporaryDirectory(prefix="cloche-peers-")
HOST = _FOLDER.name
"""Where the tests keep their files, which the sandbox shows."""
SHOWN = "/mnt/host"
OPTIONS = ("--basetemp", f"{HOST}/tests", "-o", "addopts=")
FILES_NOT_APPLYING: Mapping[str, str] = {}
NOT_APPLYING: Mapping[str, str] = {}
EXECUTING = "the commands of no session"
PATIENCE = 60.0
ERRORS = "/tmp/errors"
STOPPED = {"action": "run", "args": {"command": "C-c", "is_input": True}}


def prepare(checkout: Path) -> None:
    """Put our runtime behind their server."""
    sys.path.insert(0, str(checkout / "src"))
    server: Any = import_module("swerex.server")
    server.runtime = ClocheRuntime()


class Shells:
    """One sandbox for each session, and one for commands of none."""

    def __init__(self) -> None:
        self._shells: dict[str, EmbeddedRuntime] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._shells

    async def open(self, name: str) -> None:
        """Start the sandbox of a session."""
        config = AppConfig(sandbox=SandboxConfig(mounts=(f"{HOST}:{SHOWN}",), plugins=()))
        self._shells[name] = await to_thread.run_sync(EmbeddedRuntime(config).__enter__)

    async def close(self, name: str) -> None:
        """End the sandbox of a session."""
        await to_thread.run_sync(self._shells.pop(name).close)

    async def send(self, name: str, wire: dict[str, Any]) -> dict[str, Any]:
        """Have an action executed."""
        if name == EXECUTING and name not in self:
            await self.open(name)
        return await to_thread.run_sync(self._shells[name].execute, wire)

    async def run(self, name: str, command: str, seconds: float | None, **args: Any) -> tuple[str, int]:
        """Run a command; its output, and its exit code, -1 while it runs."""
        wire = {"action": "run", "args": {"command": command, **args}, "timeout": seconds or PATIENCE}
        done = await self.send(name, wire)
        return done["content"], done["extras"]["metadata"]["exit_code"]


class ClocheRuntime:
    """What their server calls, said in actions of ours."""

    def __init__(self) -> None:
        self._shells = Shells()
        self._answers: Any = import_module("swerex.runtime.abstract")
        self._errors: Any = import_module("swerex.exceptions")

    async def is_alive(self) -> Any:
        """Whether it can be asked."""
        return self._answers.IsAliveResponse(is_alive=True)

    async def create_session(self, request: Any) -> Any:
        """Open a shell."""
        await self._shells.open(request.session)
        return self._answers.CreateBashSessionResponse()

    async def close_session(self, request: Any) -> Any:
        """Close a shell."""
        self._check(request.session)
        await self._shells.close(request.session)
        return self._answers.CloseBashSessionResponse()

    async def run_in_session(self, action: Any) -> Any:
        """Run a command in a shell, answer a program in it, or stop it."""
        self._check(action.session)
        if action.action_type == "bash_interrupt":
            done = await self._shells.send(action.session, STOPPED)
            return self._answers.BashObservation(output=done["content"], exit_code=0)
        if action.is_interactive_command or action.is_interactive_quit:
            return await self._interact(action)
        return await self._run(action)

    async def _run(self, action: Any) -> Any:
        wrong, code = await self._shells.run(action.session, f"bash -n -c {shlex.quote(action.command)}", None)
        if code != 0:
            raise self._errors.BashIncorrectSyntaxError(wrong, extra_info={"bash_stdout": "", "bash_stderr": wrong})
        output, code = await self._shells.run(action.session, action.command.strip() or ":", action.timeout)
        if code == -1:
            raise self._errors.CommandTimeoutError(f"timeout after {action.timeout} seconds")
        if action.check == "raise" and code != 0:
            raise self._errors.NonZeroExitCodeError(f"{action.command!r} failed with {code}: {output!r}")
        return self._answers.BashObservation(output=output, exit_code=code)

    async def _interact(self, action: Any) -> Any:
        begins = action.command == "python"
        output, code = await self._shells.run(
            action.session, action.command.rstrip("\n"), action.timeout, is_input=not begins
        )
        expected = [text for text in action.expect if text in output]
        if not expected if action.is_interactive_command else code == -1:
            raise self._errors.CommandTimeoutError(f"timeout after {action.timeout} seconds: {output!r}")
        return self._answers.BashObservation(output=output, exit_code=0, expect_string="".join(expected))

    async def execute(self, command: Any) -> Any:
        """Run a command in no shell of a session."""
        text = command.command if isinstance(command.command, str) else shlex.join(command.command)
        kept = "" if command.merge_output_streams else f" 2> {ERRORS}"
        code_text = f"{{ {text.strip() or ':'}\n}}{kept}"
        output, code = await self._shells.run(EXECUTING, code_text, command.timeout, is_static=True)
        if code == -1:
            await self._shells.send(EXECUTING, STOPPED)
            raise self._errors.CommandTimeoutError(f"timeout after {command.timeout} seconds")
        if command.check and code != 0:
            raise self._errors.NonZeroExitCodeError(f"{text!r} failed with {code}: {output!r}")
        wrong = "" if command.merge_output_streams else await self._read(ERRORS)
        return self._answers.CommandResponse(stdout=output, stderr=wrong, exit_code=code)

    async def _read(self, path: str) -> str:
        place = path.replace(HOST, SHOWN)
        done = await self._shells.send(EXECUTING, {"action": "read", "args": {"path": place}})
        if done["observation"] == "error":
            raise FileNotFoundError(done["content"])
        return done["content"]

    async def read_file(self, request: Any) -> Any:
        """Read a file."""
        return self._answers.ReadFileResponse(content=await self._read(request.path))

    async def write_file(self, request: Any) -> Any:
        """Write a file."""
        args = {"path": request.path.replace(HOST, SHOWN), "content": request.content}
        done = await self._shells.send(EXECUTING, {"action": "write", "args": args})
        assert done["observation"] == "write", done
        return self._answers.WriteFileResponse()

    async def close(self) -> Any:
        """Their fixtures call it after every test: the shells are closed one by one."""
        return self._answers.CloseResponse()

    def _check(self, session: str) -> None:
        if session not in self._shells:
            raise self._errors.SessionDoesNotExistError(f"session {session!r} does not exist")
