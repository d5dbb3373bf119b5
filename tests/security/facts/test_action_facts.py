"""The facts of actions other than commands and code."""

import pytest

from cloche.events import (
    Action,
    AddEnvVarsAction,
    AgentThinkAction,
    BrowseURLAction,
    CmdRunAction,
    FileEditAction,
    FileReadAction,
    FileWriteAction,
    ListFilesAction,
    MCPAction,
    MkdirAction,
    MoveAction,
    RmAction,
    RmdirAction,
)
from cloche.security import Fact, Surroundings, read_action


def rows(facts: list[Fact], kind: str) -> list[tuple[str | None, str | None]]:
    return [(fact.value, fact.access) for fact in facts if fact.kind == kind]


def test_what_is_moved_is_removed_at_one_place_and_written_at_the_other() -> None:
    moved = rows(read_action(MoveAction("a/../x", "/tmp/y")), "file")
    assert sorted(moved) == [("/tmp/y", "write"), ("/workspace/x", "remove")]


@pytest.mark.parametrize(
    ("action", "path", "access"),
    [
        (FileReadAction("a/../b"), "/workspace/b", "read"),
        (ListFilesAction(), "/workspace", "read"),
        (FileEditAction("/etc/hosts", command="view"), "/etc/hosts", "read"),
        (FileEditAction("~/.bashrc", command="create"), "/home/user/.bashrc", "write"),
        (FileWriteAction("//etc//passwd", ""), "/etc/passwd", "write"),
        (MkdirAction("../x"), "/x", "write"),
        (RmAction("x"), "/workspace/x", "remove"),
        (RmdirAction("~other"), None, "remove"),
    ],
)
def test_files_of_actions_are_absolute(action: Action, path: str | None, access: str) -> None:
    assert rows(read_action(action), "file") == [(path, access)]


def test_hosts_tools_and_variables() -> None:
    assert rows(read_action(BrowseURLAction("Example.org:8080/a")), "host") == [("example.org", None)]
    facts = read_action(MCPAction("fetch", {"url": "https://a.org/x", "n": 1}))
    assert rows(facts, "tool") == [("fetch", None)]
    assert rows(facts, "host") == [("a.org", None)]
    assert rows(read_action(AddEnvVarsAction({"LD_PRELOAD": "x"})), "variable") == [("LD_PRELOAD", None)]


def test_an_action_without_effects_has_only_itself() -> None:
    assert [fact.kind for fact in read_action(AgentThinkAction("rm -rf /"))] == ["action"]


def test_keys_typed_into_a_program_are_no_commands() -> None:
    for key in ("C-c", "C-d"):
        facts = read_action(CmdRunAction(key, is_input=True))
        assert [(fact.kind, fact.value) for fact in facts] == [("action", "run"), ("construct", "input")]
    assert rows(read_action(CmdRunAction("rm -rf /", is_input=True)), "file") == [("/", "remove")]


def test_a_fresh_shell_begins_in_its_own_folder() -> None:
    facts = read_action(CmdRunAction("rm a", is_static=True, cwd="/tmp/b"), Surroundings(cwd="/"))
    assert rows(facts, "file") == [("/tmp/b/a", "remove")]
