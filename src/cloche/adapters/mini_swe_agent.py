"""An environment for mini-swe-agent: its commands run in a sandbox."""

import subprocess
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from cloche.adapters.held_sandbox import HeldSandbox, SandboxHolder
from cloche.adapters.missing import explain_missing
from cloche.errors import ConfigError
from cloche.options import SandboxOptions
from cloche.sandbox.files.mounts import parse_mount
from cloche.sandbox.fresh_shell import in_fresh_shell
from cloche.sandbox.sync import SyncSandbox

with explain_missing("mini-swe-agent"):
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.utils.serialize import recursive_merge
    from pydantic import BaseModel
    from pydantic_core import to_jsonable_python

_UNAME = ("system", "node", "release", "version", "machine")


class ClocheEnvironmentConfig(BaseModel):
    """What trajectories record of the environment."""

    cwd: str = "/workspace"
    """The folder in which commands run."""
    env: dict[str, str] = {}
    """Variables for the commands, which can read them: do not put keys here."""
    timeout: float = 30
    """Seconds after which a command is stopped."""
    sandbox: dict[str, Any] = {}
    """The options of the sandbox, without secrets."""


class ClocheEnvironment(SandboxHolder, LocalEnvironment):
    """Runs each command in a new shell of one sandbox: `DefaultAgent(model, ClocheEnvironment())`.

    `mini --environment-class cloche.adapters.mini_swe_agent.ClocheEnvironment` uses it on the command line. Without
    `box` it has a sandbox of its own with these options, which ends with the `with` block or `cleanup`, or when nothing
    refers to the environment any more. Mounts may be written as on the command line of Cloche.
    """

    def __init__(
        self,
        box: SyncSandbox | None = None,
        *,
        cwd: str = "/workspace",
        env: Mapping[str, str] | None = None,
        timeout: float = 30,
        **options: Any,
    ) -> None:
        if "mounts" in options:
            mounts = [parse_mount(each) if isinstance(each, str) else each for each in options["mounts"]]
            options["mounts"] = mounts
        self._held = HeldSandbox(box, cast("SandboxOptions", options))
        shown = {name: value for name, value in options.items() if name != "secrets"}
        super().__init__(
            config_class=ClocheEnvironmentConfig,
            cwd=cwd,
            env=dict(env or {}),
            timeout=timeout,
            sandbox=to_jsonable_python(shown, fallback=str),
        )

    def cleanup(self) -> None:
        """The same as `close`."""
        self.close()

    def execute(self, action: dict[str, Any], cwd: str = "", *, timeout: float | None = None) -> dict[str, Any]:
        """Run the command of an action; raises Submitted if it says that the task is done."""
        command, seconds = str(action.get("command", "")), timeout or self.config.timeout
        code = in_fresh_shell(command, cwd or self.config.cwd, self.config.env)
        try:
            result = self._held.call(lambda box: box.bash(code, timeout=seconds))
        except ConfigError as error:
            return _describe_failure("", error)
        text = "".join(text for _, text in result.output)
        if result.timed_out:
            return _describe_failure(text, subprocess.TimeoutExpired(command, seconds))
        output = {"output": text, "returncode": result.exit_code, "exception_info": ""}
        self._check_finished(output)
        return output

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """What prompts may mention: the configuration, and the system as commands see it."""
        return recursive_merge(self.config.model_dump(), self._system, kwargs)

    @cached_property
    def _system(self) -> dict[str, str]:
        result = self._held.call(lambda box: box.bash("for each in s n r v m; do uname -$each; done", check=True))
        return dict(zip(_UNAME, result.stdout.splitlines(), strict=True))


def _describe_failure(output: str, error: Exception) -> dict[str, Any]:
    return {
        "output": output,
        "returncode": -1,
        "exception_info": f"An error occurred while executing the command: {error}",
        "extra": {"exception_type": type(error).__name__, "exception": str(error)},
    }
