"""The public names, and what importing them costs."""

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cloche
import cloche.errors

NAMES = {
    *("Sandbox", "SyncSandbox", "run", "Mount", "Result", "Completeness", "Completion", "SandboxInfo", "FileInfo"),
    *("Diff", "FileChange", "Mark", "AppConfig"),
    *("Event", "Text", "Shown", "Cleared", "Display", "CodeFailure"),
    *("NetworkLimits", "NetworkRequest"),
    *("ClocheError", "SandboxError", "SandboxUnavailable", "AssetsUnavailable", "ConfinementUnavailable"),
    *("CodeError", "CodeTimeout", "ConfigError"),
    *("Pool", "PoolExhausted", "PoolStats", "SyncPool", "Template", "Saved", "SavedStateError"),
    *("Package", "PackageError", "PackageNotFound", "PackageUnsupported", "PackageConflict", "PackageDamaged"),
    "PackagesUnreachable",
    *("CmdRunAction", "IPythonRunCellAction", "FileReadAction", "FileWriteAction", "FileEditAction", "MkdirAction"),
    *("RmdirAction", "RmAction", "BrowseURLAction", "BrowseInteractiveAction", "MCPAction", "RunCodeAction"),
    *("CmdOutputObservation", "IPythonRunCellObservation", "FileReadObservation", "FileWriteObservation"),
    *("FileEditObservation", "MkdirObservation", "RmdirObservation", "RmObservation", "BrowserOutputObservation"),
    *("MCPObservation", "RunCodeObservation", "ErrorObservation"),
    *("EventStream", "FileStore", "PluginRequirement", "Runtime", "RuntimeStatus", "get_runtime_cls", "EventError"),
    *("RuntimeFailed", "RuntimeUnavailable"),
    *("RemoteSandbox", "ServerUnauthorized", "ServerUnavailable", "connect", "connect_sync"),
}
HEAVY = ("anyio", "asyncio", "msgspec", "rich", "click", "deno", "subprocess")


def test_the_public_names_are_these() -> None:
    assert set(cloche.__all__) == NAMES
    assert cloche.__all__ == sorted(cloche.__all__, key=lambda name: (name.islower(), name))
    assert set(dir(cloche)) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_there_and_explained(name: str) -> None:
    value = getattr(cloche, name)
    if name != "Event" and not issubclass(type(value), type(Exception)):
        assert value.__doc__
    assert getattr(cloche, name) is value


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sandbag'"):
        getattr(cloche, "Sandbag")  # noqa: B009 - written out, a type checker finds it


def test_importing_cloche_imports_nothing_heavy() -> None:
    code = f"import sys, cloche; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=15, check=True)
    assert done.stdout == "[]\n"


def test_the_synchronous_sandbox_has_the_same_verbs() -> None:
    for name, verb in inspect.getmembers(cloche.Sandbox, inspect.isfunction):
        if name.startswith("_"):
            continue
        same = getattr(cloche.SyncSandbox, name)
        assert list(inspect.signature(same).parameters) == list(inspect.signature(verb).parameters), name
        defaults = {key: each.default for key, each in inspect.signature(verb).parameters.items()}
        assert {key: each.default for key, each in inspect.signature(same).parameters.items()} == defaults, name


def test_the_synchronous_pool_takes_the_same_and_has_the_same_verbs() -> None:
    assert inspect.signature(cloche.SyncPool) == inspect.signature(cloche.Pool)
    for name, verb in inspect.getmembers(cloche.Pool, inspect.isfunction):
        if not name.startswith("_"):
            same = inspect.signature(getattr(cloche.SyncPool, name))
            assert same.parameters == inspect.signature(verb).parameters, name
    assert cloche.SyncPool.stats.__doc__ == cloche.Pool.stats.__doc__


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    assert cloche.__version__ == project["version"]


def test_every_public_name_is_in_the_reference() -> None:
    pages = (Path(__file__).parent.parent / "docs" / "reference").glob("*.md")
    text = "".join(page.read_text() for page in pages)
    errors = {name for name in cloche.__all__ if hasattr(cloche.errors, name)}
    aliases = {"Event"}
    missing = (
        set(cloche.__all__) - errors - aliases - set(re.findall(r"^::: cloche\.(?:\w+\.)?(\w+)$", text, re.MULTILINE))
    )
    assert missing == set()
