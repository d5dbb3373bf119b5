"""`cloche repl` and `cloche bash` at a terminal."""

import base64
import signal
import termios
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.fake_terminal import Open, Terminal

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SHELL = "cloche:/workspace$"


@pytest.fixture
def repl(open_terminal: Open) -> Terminal:
    return open_terminal("repl")


@pytest.fixture
def shell(open_terminal: Open) -> Terminal:
    return open_terminal("bash", prompt=SHELL)


def test_the_banner_is_one_line_and_values_are_shown(repl: Terminal) -> None:
    assert repl.lines[0].startswith("cloche 0.1")
    assert repl.lines[0].endswith("Ctrl-D leaves")
    assert repl.enter("6 * 7", "In [2]:") == ["Out[1]: 42", ""]
    assert repl.enter("x = 5; print('ü 漢', x)", "In [3]:") == ["ü 漢 5", ""]
    assert repl.enter("{'a': 'b' * 60, 'c': 'd' * 60}", "In [4]:")[0] == "Out[3]:"


def test_a_cell_of_several_lines_is_indented_and_run_at_its_end(repl: Terminal) -> None:
    repl.type("def f(n):\r")
    repl.expect("   ...:")
    repl.type("return n + 1\r")
    repl.wait(lambda: len(repl.lines) == 4)
    assert repl.lines[2] == "   ...:     return n + 1"
    assert repl.enter("", "In [2]:") == []
    assert repl.enter("f(1)", "In [3]:") == ["Out[2]: 2", ""]


@pytest.mark.slow
def test_pasted_lines_are_one_cell(repl: Terminal) -> None:
    repl.type("\x1b[200~a = 1\n\nif a:\n    b = 2\n\nb\x1b[201~")
    repl.expect("   ...: b")
    assert repl.enter("", "In [2]:") == ["Out[1]: 2", ""]


@pytest.mark.slow
def test_lines_typed_ahead_are_taken_in_order(repl: Terminal) -> None:
    repl.type("a = 1\rb = a + 1\ra + b\r")
    repl.expect("Out[3]: 3")


@pytest.mark.slow
def test_what_is_typed_while_a_cell_runs_waits_for_the_prompt(repl: Terminal) -> None:
    repl.type("import time; print('on'); time.sleep(0.5); print('off')\r")
    repl.wait(lambda: "on" in repl.lines)
    repl.type("1 + 1")
    repl.expect("In [2]: 1 + 1")
    assert repl.lines[2:] == ["on", "off", "", "In [2]: 1 + 1"]


@pytest.mark.slow
def test_an_error_is_shown_in_colour_with_the_line(repl: Terminal) -> None:
    shown = repl.enter("1/0", "In [2]:")
    assert shown[:3] == ["Traceback (most recent call last):", '  File "Cell In[1]", line 1, in <module>', "    1/0"]
    assert repl.colour("ZeroDivisionError") != "default"
    repl.enter("import sys; print('oh', file=sys.stderr)", "In [3]:")
    assert repl.colour("oh") == "red"


@pytest.mark.slow
def test_no_color_is_obeyed(open_terminal: Open) -> None:
    repl = open_terminal("repl", NO_COLOR="1")
    repl.enter("import sys; print('oh', file=sys.stderr); 1/0", "In [2]:")
    assert repl.colour("oh") == "default"
    assert repl.colour("ZeroDivisionError") == "default"


@pytest.mark.slow
def test_ctrl_c_stops_the_cell_and_keeps_the_variables(repl: Terminal) -> None:
    repl.enter("x = 5", "In [2]:")
    repl.type("print('on'); import time; time.sleep(60)\r")
    repl.wait(lambda: "on" in repl.lines)
    repl.type("\x03")
    repl.expect("KeyboardInterrupt")
    repl.expect("In [3]:")
    assert repl.enter("x", "In [4]:") == ["Out[3]: 5", ""]


@pytest.mark.slow
def test_ctrl_c_at_the_prompt_drops_what_was_typed(repl: Terminal) -> None:
    repl.type("1/0")
    repl.expect("1/0")
    repl.type("\x03")
    repl.wait(lambda: repl.lines[-1] == "In [1]:")
    assert repl.enter("2", "In [2]:") == ["Out[1]: 2", ""]


@pytest.mark.slow
def test_ctrl_d_leaves(repl: Terminal) -> None:
    repl.type("\x04")
    assert repl.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("word", ["exit", "quit()"])
def test_a_word_leaves_too(repl: Terminal, word: str) -> None:
    repl.type(f"{word}\r")
    assert repl.end() == 0


def test_a_cell_that_calls_sys_exit_does_not_end_the_conversation(repl: Terminal) -> None:
    assert "exit code 3" in repl.enter("import sys; sys.exit(3)", "In [2]:")[0]


@pytest.mark.slow
def test_sigterm_ends_it_and_leaves_the_terminal_as_it_was(repl: Terminal) -> None:
    repl.child.send_signal(signal.SIGTERM)
    assert repl.end() == 128 + signal.SIGTERM
    flags = termios.tcgetattr(repl.fd)[3]
    assert flags & termios.ECHO
    assert flags & termios.ICANON


@pytest.mark.slow
def test_input_is_asked_and_passwords_are_not_shown(repl: Terminal) -> None:
    repl.type("print('a', end=' '); name = input('who? ')\r")
    repl.expect("a who?")
    repl.type("Ada\r")
    repl.expect("In [2]:")
    repl.type("import getpass; len(getpass.getpass('secret? '))\r")
    repl.wait(lambda: repl.lines[-1].startswith("secret?"))
    repl.type("hunter2\r")
    repl.expect("Out[2]: 7")
    repl.expect("In [3]:")
    assert "hunter2" not in repl.text
    assert repl.enter("name", "In [4]:") == ["Out[3]: 'Ada'", ""]


@pytest.mark.slow
def test_ctrl_c_and_ctrl_d_end_a_question(repl: Terminal) -> None:
    repl.type("input('one? ')\r")
    repl.wait(lambda: repl.lines[-1].startswith("one?"))
    repl.type("\x03")
    repl.expect("KeyboardInterrupt")
    repl.expect("In [2]:")
    repl.type("input('two? ')\r")
    repl.wait(lambda: repl.lines[-1].startswith("two?"))
    repl.type("\x04")
    repl.expect("EOFError")


@pytest.mark.slow
def test_output_comes_while_the_cell_runs(repl: Terminal) -> None:
    repl.type("!echo first; sleep 60\r")
    repl.wait(lambda: repl.lines[-1] == "first")
    repl.type("\x03")
    repl.expect("In [2]:")


@pytest.mark.slow
def test_tab_completes_names_of_the_session(repl: Terminal) -> None:
    repl.enter("globals()['wonder' + 'ful_name'] = 1", "In [2]:")
    repl.type("wonderf\t")
    repl.expect("In [2]: wonderful_name")
    assert repl.enter("", "In [3]:") == ["Out[2]: 1", ""]
    repl.type("wonderful_name.re\t")
    repl.expect("real")
    repl.type("\x03")


@pytest.mark.timeout(60)
def test_completion_that_never_ends_does_not_hold_up_the_prompt(repl: Terminal) -> None:
    repl.enter("B = type('B', (), {'__dir__': lambda self: [0 for _ in iter(int, 1)]}); b = B()", "In [2]:")
    repl.type("b.\t")
    repl.expect("In [2]: b.")
    repl.type("stuck")
    repl.expect("In [2]: b.stuck")
    repl.type("\x03")
    repl.wait(lambda: repl.lines[-1].endswith("]:"))
    repl.type("6 * 7\r")
    repl.expect("Out[2]: 42")
    repl.wait(lambda: repl.lines[-1] == "In [3]:")
    assert repl.enter("type(b).__name__", "In [4]:") == ["Out[3]: 'B'", ""]


def test_tab_indents_where_nothing_stands_before_it(repl: Terminal) -> None:
    repl.type("if 1:\r")
    repl.expect("   ...:")
    repl.type("\x7f\tprint(3)\r")
    repl.wait(lambda: len(repl.lines) == 4)
    assert repl.lines[2] == "   ...:     print(3)"
    assert repl.enter("", "In [2]:") == ["3", ""]


def test_load_puts_a_file_of_this_machine_into_the_next_cell(repl: Terminal, tmp_path: Path) -> None:
    (tmp_path / "here" / "double.py").write_text("def double(x):\n\n    return 2 * x\n\ndouble(21)\n")
    repl.type("%load dou\t")
    repl.expect("%load double.py")
    repl.type("\r")
    repl.expect("   ...: double(21)")
    assert repl.enter("", "In [2]:") == ["Out[1]: 42", ""]
    assert "No such file" in repl.enter("%load nothing.py", "In [2]:")[0]


@pytest.mark.slow
def test_images_are_saved_beside_what_is_there(repl: Terminal, tmp_path: Path) -> None:
    here = tmp_path / "here"
    (here / "cloche-1.png").write_text("mine")
    code = f"from IPython.display import Image, SVG, HTML, display; import base64; p = base64.b64decode('{PIXEL}')"
    repl.enter(code, "In [2]:")
    assert repl.enter("Image(p)", "In [3]:")[0] == "[saved as cloche-2.png]"
    assert (here / "cloche-1.png").read_text() == "mine"
    assert (here / "cloche-2.png").read_bytes() == base64.b64decode(PIXEL)
    assert repl.enter("""display(SVG('<svg xmlns="http://www.w3.org/2000/svg"/>'))""", "In [4]:") == [
        "[saved as cloche-3.svg]",
        "",
    ]
    assert repl.enter("display(HTML('<b>x</b>'))", "In [5]:") == ["[HTML of 8 characters, not shown]", ""]


def test_cleared_output_is_taken_away(repl: Terminal) -> None:
    repl.enter("from IPython.display import clear_output", "In [2]:")
    shown = repl.enter("for i in range(3): print('step', i, 'x' * 150); i < 2 and clear_output()", "In [3]:")
    assert shown == ["step 2 " + "x" * 93, "x" * 57, ""]


@pytest.mark.slow
def test_sequences_that_a_terminal_answers_do_not_reach_it(repl: Terminal) -> None:
    shown = repl.enter(r"print('\x1b[6n\x1b[c\x1b]0;owned\x07 fine')", "In [2]:")
    assert shown == [" fine", ""]
    assert repl.screen.title != "owned"


@pytest.mark.slow
def test_history_is_kept_for_the_next_time(open_terminal: Open, tmp_path: Path) -> None:
    first = open_terminal("repl")
    first.enter("a_line_to_keep = 1", "In [2]:")
    first.enter(" a_line_to_forget = 1", "In [3]:")
    first.type("\x04")
    assert first.end() == 0
    second = open_terminal("repl")
    second.type("\x1b[A")
    second.expect("In [1]: a_line_to_keep = 1")
    file = tmp_path / "state/cloche/python-history"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "forget" not in file.read_text()


def test_a_narrow_terminal_will_do(open_terminal: Open) -> None:
    repl = open_terminal("repl", columns=30)
    repl.enter("'x' * 40", "In [2]:")
    assert "".join(repl.lines[-4:-2]) == "Out[1]: '" + "x" * 40 + "'"


def test_a_folder_that_cannot_be_written_costs_the_history_only(open_terminal: Open) -> None:
    repl = open_terminal("repl", XDG_STATE_HOME="/dev/null")
    assert repl.enter("1", "In [2]:") == ["Out[1]: 1", ""]


@pytest.mark.slow
def test_state_stays_and_the_prompt_shows_the_folder(shell: Terminal) -> None:
    assert shell.enter("x=5; echo $x", SHELL) == ["5"]
    assert shell.enter("false", SHELL) == []
    assert shell.enter("echo $? $x", SHELL) == ["1 5"]
    assert shell.enter("cd; pwd", "cloche:~$") == ["/home/user"]
    assert shell.enter("cd /tmp", "cloche:/tmp$") == []


def test_ctrl_c_stops_the_command_and_not_the_shell(shell: Terminal) -> None:
    shell.type("echo on; sleep 60\r")
    shell.wait(lambda: "on" in shell.lines)
    shell.type("\x03")
    shell.wait(lambda: shell.lines[-1] == SHELL)
    assert shell.enter("echo $?", SHELL) == ["130"]


def test_read_asks_at_the_terminal(shell: Terminal) -> None:
    shell.type("read -p 'Name? ' x; echo hi $x\r")
    shell.wait(lambda: shell.lines[-1].startswith("Name?"))
    shell.type("Ann\r")
    shell.wait(lambda: shell.lines[-1] == SHELL)
    assert "hi Ann" in shell.lines


def test_a_command_may_take_several_lines(shell: Terminal) -> None:
    assert shell.enter("for i in 1 2; do\recho $i\rdone", SHELL)[-2:] == ["1", "2"]
    assert shell.enter("cat <<END\rtext\rEND", SHELL)[-1:] == ["text"]
    assert "syntax error" in shell.enter("if ; then", SHELL)[0]


def test_tab_completes_commands_and_files(shell: Terminal) -> None:
    shell.enter("echo inside > some-file", SHELL)
    shell.type("ca\t")
    shell.draw(0.5)
    shell.type("\x03")
    shell.wait(lambda: shell.lines[-1] == SHELL)
    shell.type("cat som\t")
    shell.expect("cat some-file")
    assert shell.enter("", SHELL) == ["inside"]


def test_exit_leaves_with_its_code(shell: Terminal) -> None:
    shell.type("exit 3\r")
    assert shell.end() == 3


def test_ctrl_d_leaves_with_the_last_code(shell: Terminal) -> None:
    shell.enter("(exit 4)", SHELL)
    shell.type("\x04")
    assert shell.end() == 4


def test_repl_in_bash_is_the_same_shell(open_terminal: Open) -> None:
    shell = open_terminal("repl", "-l", "bash", prompt=SHELL)
    assert shell.enter("echo $((1 + 1))", SHELL) == ["2"]


@pytest.mark.slow
def test_repl_in_another_language_keeps_state_and_sends_commands_to_bash(open_terminal: Open) -> None:
    lua = open_terminal("repl", "-l", "lua", prompt="lua>")
    lua.enter("x = 41", "lua>")
    assert lua.enter("x + 1", "lua>") == ["=> 42"]
    assert lua.enter("!echo from bash", "lua>") == ["from bash"]
    assert "attempt to call a nil value" in "".join(lua.enter("nothing()", "lua>"))
    lua.type("print('go' .. 'ing') while true do end\r")
    lua.expect("going")
    lua.type("\x03")
    lua.expect_prompt("lua>")
    assert lua.enter("x", "lua>")[-1] == "=> 41"
    lua.type("\x04")
    assert lua.end() == 0


def test_input_of_a_run_is_asked_at_the_terminal(program: list[str], prepared: None) -> None:
    code = "from getpass import getpass; print('hello', input('name? '), len(getpass('word? ')))"
    with closing(Terminal([*program, "run", "-c", code])) as terminal:
        terminal.expect("name?")
        terminal.type("Ada\r")
        terminal.expect("word?")
        terminal.type("hunter2\r")
        terminal.expect("hello Ada 7")
        assert terminal.end() == 0
        assert "hunter2" not in terminal.text


def test_the_sandbox_has_no_files_of_the_folder_the_repl_runs_in(repl: Terminal) -> None:
    assert repl.enter("import os; os.listdir()", "In [2]:") == ["Out[1]: []", ""]
