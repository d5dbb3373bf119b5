"""`cloche repl -l` of the languages that are neither Python nor bash."""

import pytest

from tests.cli.fake_terminal import Open

CELLS = {
    "javascript": (["function double(x) {", "return 2 * x }"], "double(21)", "console.log('on'); while (true) {}"),
    "ruby": (["def double(x)", "2 * x", "end"], "double(21)", "puts 'on'; loop {}"),
    "php": (["function double($x) {", "return 2 * $x;", "}"], "double(21);", "print 'on'; while (true) {}"),
    "scheme": (
        ["(define (double x)", "(* 2 x))"],
        "(double 21)",
        "(let loop () (newline) (display 'on) (newline) (let wait () (wait)))",
    ),
    "sql": (
        ["create table double", "(x);"],
        "select 42;",
        "select 'on' as '-'; with recursive n(x) as (select 1 union all select 1 from n) select max(x) from n;",
    ),
}


@pytest.mark.timeout(90)
@pytest.mark.parametrize("language", CELLS)
@pytest.mark.slow
def test_lines_are_gathered_shown_and_run_and_a_loop_is_stopped(open_terminal: Open, language: str) -> None:
    define, use, loop = CELLS[language]
    prompt = f"{language}>"
    terminal = open_terminal("repl", "-l", language, prompt=prompt)
    *first, last = define
    for line in first:
        terminal.type(line + "\r")
        terminal.wait(lambda: terminal.lines[-1].strip() == "|", 30)
    terminal.type(last + "\r")
    terminal.wait(lambda: terminal.lines[-1] == prompt, 30)
    assert [line.split("| ")[-1].strip() for line in terminal.lines[2 : len(define) + 1]] == define[1:]
    assert "=> 42" in terminal.enter(use, prompt)
    assert f"{prompt} {use}" in terminal.lines
    assert terminal.enter("!echo from bash | tr a-z A-Z", prompt) == ["FROM BASH"]
    terminal.type(loop + "\r")
    terminal.wait(lambda: any(line.strip("| ") == "on" for line in terminal.lines))
    terminal.type("\x03")
    terminal.wait(lambda: "nterrupt" in terminal.text and terminal.lines[-1] == prompt)
    assert "=> 42" in terminal.enter(use, prompt)
    terminal.type("\x04")
    assert terminal.end() == 0


@pytest.mark.slow
def test_commands_are_completed_by_bash_and_may_have_several_lines(open_terminal: Open) -> None:
    terminal = open_terminal("repl", "-l", "scheme", prompt="scheme>")
    terminal.type("!dirna\t")
    terminal.expect("!dirname")
    terminal.type("\x03")
    terminal.expect_prompt("scheme>")
    terminal.type("!for i in 1 2; do\r")
    terminal.wait(lambda: terminal.lines[-1].strip() == "|")
    assert terminal.enter("echo $i; done", "scheme>") == ["1", "2"]
