"""Runtimes and plugins are found by name, by entry point and by path."""

import sys
from pathlib import Path

import pytest

import cloche.runtime
from cloche.errors import ConfigError
from cloche.plugins import AgentSkillsPlugin, JupyterPlugin
from cloche.runtime import get_runtime_cls
from cloche.runtime.plugin import find_plugin
from cloche.runtime.pyodide import PyodideRuntime

PACKAGE = """
from cloche.runtime.plugin import Plugin
from cloche.runtime.pyodide import PyodideRuntime
class Mine(PyodideRuntime): pass
class Tool(Plugin):
    name = "tool"
    async def initialize(self, runtime): pass
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else, with entry points."""
    (tmp_path / "theirs.py").write_text(PACKAGE)
    metadata = tmp_path / "theirs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    points = "[cloche.runtimes]\nmine = theirs:Mine\nwrong = theirs:PACKAGE\nno = theirs:Tool\n"
    plugins = "[cloche.plugins]\ntool = theirs:Tool\nbroken = theirs:Nothing\nno = theirs:Mine\n"
    (metadata / "entry_points.txt").write_text(points + plugins)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "theirs", raising=False)


def test_ours_is_found_by_name() -> None:
    assert get_runtime_cls("pyodide") is PyodideRuntime


@pytest.mark.usefixtures("package")
def test_theirs_is_found_by_entry_point_and_by_path() -> None:
    assert get_runtime_cls("mine").__name__ == "Mine"
    assert get_runtime_cls("theirs.Mine") is get_runtime_cls("mine")
    assert find_plugin("tool").name == "tool"


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dockr", "known are mine, no, pyodide, remote, wrong"),
        ("no", "no subclass of cloche.runtime.Runtime"),
        ("theirs.Nothing", "could not be loaded"),
        ("nowhere.Mine", "could not be loaded: No module named 'nowhere'"),
        ("wrong", "could not be loaded"),
        (".Mine", "could not be loaded"),
    ],
)
def test_what_is_wrong_with_a_name_is_reported(name: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        get_runtime_cls(name)
    assert said in str(caught.value)


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "said"), [("broken", "could not be loaded"), ("no", "which is no subclass of cloche.runtime.Plugin")]
)
def test_a_plugin_of_theirs_that_is_none_is_reported(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"the plugin '{name}'.*{said}"):
        find_plugin(name)


def test_an_unknown_plugin_is_reported() -> None:
    with pytest.raises(ConfigError, match="'jupiter' is not known: known are agent_skills, jupyter"):
        find_plugin("jupiter")


def test_ours_are_at_hand_under_their_names() -> None:
    assert get_runtime_cls("pyodide") is cloche.runtime.PyodideRuntime
    assert [find_plugin(each.name).__class__ for each in (JupyterPlugin, AgentSkillsPlugin)] == [
        JupyterPlugin,
        AgentSkillsPlugin,
    ]
