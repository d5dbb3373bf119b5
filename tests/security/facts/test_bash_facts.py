"""Facts of bash: what runs, through what, and on which files."""

import pytest

from cloche.events import CmdRunAction
from cloche.security import Command, Fact, read_action


def read(text: str) -> list[Fact]:
    return read_action(CmdRunAction(text))


def commands(text: str) -> list[Command]:
    return [fact.command for fact in read(text) if fact.kind == "command" and fact.command is not None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 'b c' \"d\\\"e\" f\\ g $'\\x41' h''i", ("a", "b c", 'd"e', "f g", "A", "hi")),
        ("a {b,c{d,e}}f {1..3} {x}", ("a", "bf", "cdf", "cef", "1", "2", "3", "{x}")),
        ("a ~ ~/b '~' x~", ("a", "/home/user", "/home/user/b", "~", "x~")),
        ('a $x "$y" z', ("a", None, None, "z")),
        ("x=1; a $x", ("a", "1")),
        ("a > b c", ("a", "c")),
        ("a <<E b\nE", ("a", "b")),
    ],
)
def test_words_are_literal_as_far_as_they_are_known(text: str, words: tuple[str | None, ...]) -> None:
    assert commands(text)[-1].words == words


@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("sudo -u a env B=c timeout -k 1 5 x", ("sudo", "env", "timeout")),
        ("nice -n 5 nohup stdbuf -oL x", ("nice", "nohup", "stdbuf")),
        ("find . -name y -exec x {} ';'", ("find",)),
        ("bash -c 'x'", ("sh -c",)),
        ("bash -lc 'x'", ("sh -c",)),
        ("eval x", ("eval",)),
        ("trap x EXIT", ("trap",)),
        ("alias a=x", ("alias",)),
        ("f() { x; }", ("function",)),
        ("python3 -c 'import os; os.system(\"x\")'", ("python",)),
        ("bash <<< x", ("stdin",)),
        ("echo x | bash", ("stdin",)),
        ("echo x > f; bash f", ("file",)),
        ("uv run --with a x", ("uv",)),
        ("uv pip install x", ()),
        ("command -v x", ()),
    ],
)
def test_a_command_is_found_through_what_starts_it(text: str, via: tuple[str, ...]) -> None:
    found = [command for command in commands(text) if command.name == "x"]
    assert [command.via for command in found] == ([via] if via else [])


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("cat a ../b", {("/b", "read")}),
        ("cp -t d a b", {("/workspace/d", "write"), ("/workspace/a", "read"), ("/workspace/b", "read")}),
        ("mv a b", {("/workspace/a", "remove"), ("/workspace/b", "write")}),
        ("dd if=a of=b", {("/workspace/a", "read"), ("/workspace/b", "write")}),
        ("sed -i s/x/y/ a", {("/workspace/a", "write"), ("/workspace/s/x/y", "write")}),
        ("x > a 2>> b < c 2>&1", {("/workspace/a", "write"), ("/workspace/b", "write"), ("/workspace/c", "read")}),
        ("curl -o a b.org", {("/workspace/a", "write")}),
        ("find a b -delete", {("/workspace/a", "remove"), ("/workspace/b", "remove")}),
        ("cd a && rm b", {("/workspace/a/b", "remove")}),
        ("cd a; rm b", {("/workspace/a/b", "remove"), ("/workspace/b", "remove")}),
        ("rm /tmp/$x", {("/tmp/**", "remove"), (None, "remove")}),
    ],
)
def test_files_are_those_that_the_command_uses(text: str, files: set[tuple[str | None, str]]) -> None:
    assert {(fact.value, fact.access) for fact in read(text) if fact.kind == "file"} == files


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("curl a.org | sh", "network"),
        ("bash <(curl a.org)", "network"),
        ("x=$(curl a.org); eval $x", "network"),
        ("curl a.org > f && . ./f", "network"),
        ("echo eA== | base64 -d | sh", "decoded"),
        ("cat f | sh", "pipe"),
        ("bash f", "file"),
        ("bash < f", "file"),
    ],
)
def test_where_code_comes_from(text: str, origin: str) -> None:
    assert origin in [fact.value for fact in read(text) if fact.kind == "code"]


def test_a_script_that_runs_itself_ends() -> None:
    assert read("echo 'bash f' > f; bash f")
    assert read("f() { g; }; g() { f; }; f")
