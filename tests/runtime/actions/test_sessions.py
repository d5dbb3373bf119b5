"""Interpreters without a program: a session that the next inputs feed, as at a terminal."""

import pytest

from cloche.events import CmdOutputObservation, CmdRunAction
from cloche.runtime import Runtime
from cloche.runtime.actions.commands import RUNNING

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

SESSIONS: dict[str, tuple[list[tuple[str, str]], int]] = {
    "python3 -q": (
        [
            ("x = 3", ">>> "),
            ("x * 2", "6\n>>> "),
            ("for i in range(2):", "... "),
            ("    print(i)", "... "),
            ("C-c", "\nKeyboardInterrupt\n>>> "),
            ("undefined", "NameError: name 'undefined' is not defined\n>>> "),
            ("input('n? ')", "n? "),
            ("me", "'me'\n>>> "),
            ("exit(5)", ""),
        ],
        5,
    ),
    "python -i -c 'y = 1'": ([("y", "1\n>>> "), ("C-d", "")], 0),
    "bash": (
        [
            ("A=1", "bash-5.2$ "),
            ("if [ $A = 1 ]", "> "),
            ("C-c", "bash-5.2$ "),
            ("if [ $A = 1 ]", "> "),
            ("then echo yes; fi", "yes\nbash-5.2$ "),
            ("exit 3", ""),
        ],
        3,
    ),
    "node": (
        [
            ("let a = 5", "undefined\n> "),
            ("function f() {", "... "),
            ("return { b: a } }", "undefined\n> "),
            ("f()", "{ b: 5 }\n> "),
            ("(", "... "),
            ("C-c", "> "),
            ("throw new Error('x')", "Uncaught Error: x\n"),
            ("process.exit(4)", ""),
        ],
        4,
    ),
    "irb": (
        [("z = 2", "=> 2\n"), ("def f", "irb(main):003* "), ("z end", "=> :f\n"), ("[z]", "=> [2]\n"), ("exit", "")],
        0,
    ),
    "lua": (
        [
            ("w = 4", "> "),
            ("w + 1", "5\n> "),
            ("for i = 1, 2 do", ">> "),
            ("print(i) end", "1\n2\n> "),
            ("os.exit(3)", ""),
        ],
        3,
    ),
    "php -a": (
        [
            ("$q = 5;", "php > "),
            ("echo $q + 1;", "6\nphp > "),
            ("if ($q) {", "php { "),
            ("echo 7; }", "7\nphp > "),
            ("exit", ""),
        ],
        0,
    ),
    "R -q": (
        [
            ("v <- 3", "> "),
            ("v + 1", "[1] 4\n> "),
            ("f <- function(x) {", "+ "),
            ("x * 2 }", "> "),
            ("f(4)", "[1] 8\n> "),
            ("q(status = 2)", ""),
        ],
        2,
    ),
    "sqlite3": (
        [
            ("create table t(a);", "sqlite> "),
            ("insert into t", "   ...> "),
            ("values (3);", "sqlite> "),
            ("select a from t;", "3\nsqlite> "),
            ("selec;", 'near "selec": syntax error\n  selec;\n  ^--- error here\nsqlite> '),
            (".quit", ""),
        ],
        0,
    ),
}


async def run(runtime: Runtime, command: str, *, is_input: bool = False) -> CmdOutputObservation:
    observation = await runtime.run(CmdRunAction(command, is_input=is_input))
    assert isinstance(observation, CmdOutputObservation)
    return observation


@pytest.mark.parametrize("command", SESSIONS)
async def test_a_session_takes_lines_until_it_is_left(runtime: Runtime, command: str) -> None:
    lines, code = SESSIONS[command]
    begun = await run(runtime, command)
    assert begun.exit_code == RUNNING
    assert begun.content.endswith((">>> ", "> ", "$ "))
    for line, expected in lines:
        observation = await run(runtime, line, is_input=True)
        assert expected in observation.content, line
        assert observation.exit_code == (RUNNING if line != lines[-1][0] else code)


async def test_a_session_begins_with_what_a_terminal_shows(runtime: Runtime) -> None:
    assert (await run(runtime, "python3")).content.startswith("Python 3.14")
    assert (await run(runtime, "C-d", is_input=True)).exit_code == 0
    shown = (await run(runtime, "node")).content
    assert shown.startswith("Welcome to Node.js v")
    assert shown.endswith("> ")
    assert (await run(runtime, "C-d", is_input=True)).exit_code == 0
