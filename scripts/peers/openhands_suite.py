"""The tests/runtime of OpenHands (V0): their `LocalRuntime` is replaced by one that sends its actions to ours."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from embedded import EmbeddedRuntime
from standins import stand_in

from cloche.config import AppConfig, CoreConfig, SandboxConfig

FOLDER = "tests/runtime"
OPTIONS: tuple[str, ...] = ()

LINUX = "needs sockets, other users or sudo of a real Linux"
OTHER = "tests a part of OpenHands that no runtime is asked in"
DOCKER = "needs Docker"
BROWSER = "needs a browser"

FILES_NOT_APPLYING: Mapping[str, str] = {
    "test_browsergym_envs.py": BROWSER,
    "test_browsing.py": BROWSER,
    "test_docker_images.py": DOCKER,
    "test_llm_based_edit.py": "needs a model, or tests a class of OpenHands",
    "test_port_locking_fix.py": OTHER,
    "test_runtime_resource.py": DOCKER,
    "test_stress_remote_runtime.py": "needs their cloud",
    "test_system_stats.py": OTHER,
}
NOT_APPLYING: Mapping[str, str] = {
    "test_bash_server": LINUX,
    "test_bash_background_server": LINUX,
    "test_run_as_user_correct_home_dir": "asks for the home folder of the user of the host",
    "test_ipython_file_editor_permissions_as_openhands": LINUX,
    "test_ipython_multi_user": LINUX,
    "test_initialize_repository_for_runtime": "clones from the network",
    "test_multiple_multiline_commands": "several commands in one action are refused there, and run here",
    "test_cliruntime_multiple_newline_commands": "tests their CLIRuntime",
    "test_insert_line_string_conversion": OTHER,
}

HEAVY = (
    "PyPDF2",
    "anthropic",
    "base62",
    "binaryornot",
    "boto3",
    "botocore",
    "browsergym",
    "dirhash",
    "docker",
    "docx",
    "github",
    "google",
    "gymnasium",
    "html2text",
    "joblib",
    "jose",
    "kubernetes",
    "libtmux",
    "litellm",
    "lmnr",
    "memory_profiler",
    "modal",
    "openai",
    "openhands.runtime.action_execution_server",
    "openhands.sdk",
    "openhands_aci",
    "playwright",
    "poetry",
    "pptx",
    "puremagic",
    "pylatexenc",
    "redis",
    "sqlalchemy",
    "tree_sitter_language_pack",
)
"""What OpenHands imports and these tests do not use."""
REPLACED = {
    "cli.cli_runtime": "CLIRuntime",
    "docker.docker_runtime": "DockerRuntime",
    "local.local_runtime": "LocalRuntime",
    "remote.remote_runtime": "RemoteRuntime",
}
PYTHON = "/openhands/poetry/openhands-ai-5O4_aCHf-py3.12/bin/python"
"""The interpreter of their image, which their tests name."""


def prepare(checkout: Path) -> None:
    """Let their tests find our runtime where they look for theirs."""
    os.environ["TEST_RUNTIME"] = "local"
    sys.path.insert(0, str(checkout))
    stand_in(HEAVY)
    litellm: Any = import_module("litellm")
    # Their agents describe tools with these two, which are dictionaries.
    litellm.ChatCompletionToolParam = litellm.ChatCompletionToolParamFunctionChunk = dict
    for place, name in REPLACED.items():
        module: Any = ModuleType(f"openhands.runtime.impl.{place}")
        setattr(module, name, type(name, (), {}))
        sys.modules[module.__name__] = module
    theirs: Any = import_module("openhands.runtime.base")
    local: Any = sys.modules["openhands.runtime.impl.local.local_runtime"]
    local.LocalRuntime = type("LocalRuntime", (Sending, theirs.Runtime), {})


class Sending:
    """Sends every action over the wire format to our runtime, and reads what comes back with their classes."""

    config: Any
    setup_initial_env: Callable[[], None]

    async def connect(self) -> None:
        """Start our runtime as theirs is configured."""
        startup: dict[str, str] = self.config.sandbox.runtime_startup_env_vars or {}
        quiet = float(startup.get("NO_CHANGE_TIMEOUT_SECONDS", 10))
        ours = AppConfig(
            core=CoreConfig(workspace_base=self.config.workspace_base),
            sandbox=SandboxConfig(no_change_timeout=quiet, timeout=self.config.sandbox.timeout),
        )
        self.embedded = EmbeddedRuntime(ours).__enter__()
        if self.config.enable_browser:
            # Their server makes this folder for what its browser downloads, and a test counts it.
            self.embedded.execute({"action": "mkdir", "args": {"path": "/workspace/.downloads"}})
        self.setup_initial_env()
        self._runtime_initialized = True

    def send(self, action: Any) -> Any:
        """Have an action executed."""
        serialization: Any = import_module("openhands.events.serialization")
        if action.timeout is None:
            action.set_hard_timeout(self.config.sandbox.timeout, blocking=False)
        wire = self.embedded.execute(serialization.event_to_dict(action))
        if wire["observation"] == "run_ipython":
            wire["content"] = wire["content"].replace("interpreter: /usr/bin/python3]", f"interpreter: {PYTHON}]")
        return serialization.observation_from_dict(wire)

    run = run_ipython = read = write = edit = browse = browse_interactive = send

    async def call_tool_mcp(self, action: Any) -> Any:
        """Have a tool called."""
        return self.send(action)

    def get_mcp_config(self, extra_stdio_servers: object = None) -> Any:
        """The servers that are configured."""
        return self.config.mcp

    def copy_to(self, host_src: str, sandbox_dest: str, recursive: bool = False) -> None:
        """Copy a file or folder of the host into the sandbox."""
        self.embedded.copy_to(host_src, sandbox_dest, recursive)

    def copy_from(self, path: str) -> Path:
        """A file or folder of the sandbox as an archive on the host."""
        return self.embedded.copy_from(path)

    def list_files(self, path: str | None = None) -> list[str]:
        """The names in a folder."""
        return self.embedded.list_files(path)

    def close(self) -> None:
        """End the sandbox."""
        self.embedded.close()
