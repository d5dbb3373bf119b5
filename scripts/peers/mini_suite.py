"""The tests of mini-swe-agent's local environment: its commands run in our runtime instead of on the host."""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from embedded import EmbeddedRuntime

from cloche.config import AppConfig, SandboxConfig

FOLDER = "tests/environments/test_local.py"
OPTIONS: tuple[str, ...] = ()
FILES_NOT_APPLYING: Mapping[str, str] = {}
NOT_APPLYING: Mapping[str, str] = {
    "test_local_environment_existing_env_variables": "variables of the host are not given to the sandbox",
    "test_local_environment_default_cwd": "a sandbox does not begin in the folder of the host",
    "test_local_environment_timeout_kills_child_process": "looks for the process on the host",
}
SHOWN = "/mnt/folder"
"""Where the sandbox has the folder that a command is to run in."""


def prepare(checkout: Path) -> None:
    """Let their environment run its commands in our runtime."""
    os.environ["MSWEA_SILENT_STARTUP"] = "1"
    sys.path.insert(0, str(checkout / "src"))
    local: Any = import_module("minisweagent.environments.local")
    local._run = run_command


def run_command(command: str, cwd: str, env: Mapping[str, str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Run one command in a sandbox that has the folder `cwd`, whose name is the host's."""
    given = {name: value for name, value in env.items() if value != os.environ.get(name)}
    config = AppConfig(sandbox=SandboxConfig(env=given, mounts=(f"{cwd}:{SHOWN}",), plugins=()))
    with EmbeddedRuntime(config) as runtime:
        action = {"action": "run", "args": {"command": command, "is_static": True, "cwd": SHOWN}, "timeout": timeout}
        done = runtime.execute(action)
    code, output = done["extras"]["metadata"]["exit_code"], done["content"].replace(SHOWN, cwd)
    if code == -1:
        raise subprocess.TimeoutExpired(command, timeout, output=output)
    return subprocess.CompletedProcess(command, code, output)
