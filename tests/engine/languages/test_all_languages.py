"""What holds in every language, on good days and on bad ones."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cloche import ConfigError, Result, Sandbox
from cloche.sandbox.languages import languages
from tests.engine.languages.snippets import SNIPPETS

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[3]
every = pytest.mark.parametrize("language", SNIPPETS)
QUICK = ("javascript", "lua", "scheme", "sql")
"""Languages that load quickly; the others are slow where each test loads its own."""
every_afresh = pytest.mark.parametrize(
    "language", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in SNIPPETS]
)


async def say(box: Sandbox, language: str, what: str, **options: object) -> Result:
    return await box.run(getattr(SNIPPETS[language], what), language=language, **options)  # type: ignore[arg-type]


async def is_alive(box: Sandbox, language: str) -> bool:
    return (await say(box, language, "hello")).stdout == "hello\n"


@every
async def test_output_and_exit_code(box: Sandbox, language: str) -> None:
    result = await say(box, language, "hello")
    assert (result.stdout, result.stderr, result.error, result.exit_code) == ("hello\n", "", None, 0)


@every
async def test_state_stays_between_cells(box: Sandbox, language: str) -> None:
    await say(box, language, "keep", check=True)
    assert (await say(box, language, "kept")).value == ("[1] 41" if language == "r" else "41")


@every
async def test_files_are_the_same_for_all(box: Sandbox, language: str) -> None:
    await say(box, language, "write", check=True)
    assert (await box.bash("cat out.txt")).stdout == f"from {language}"
    await box.run("open('in.txt', 'w').write('from python')")
    assert (await say(box, language, "read")).stdout == "from python\n"


@every
async def test_input_comes_from_stdin_or_is_asked_for(box: Sandbox, language: str) -> None:
    result = await say(box, language, "echo", stdin="a line\n")
    assert result.stdout == "a line\n"


@every
async def test_the_environment_is_seen(box: Sandbox, language: str) -> None:
    await box.set_env({"COLOUR": f"blue {language}"})
    assert (await say(box, language, "env")).stdout == f"blue {language}\n"


@every
async def test_an_error_is_in_its_line(box: Sandbox, language: str) -> None:
    result = await say(box, language, "wrong")
    assert result.error is not None
    assert result.error.line == 2
    assert result.exit_code == 1
    shown = f"{result.error.message}{result.error.traceback}{result.stderr}"
    assert not [word for word in ("/tmp/", "file://", "node_modules", ".ts:") if word in shown]
    assert await is_alive(box, language)


@every
async def test_a_syntax_error_at_the_end_is_one(box: Sandbox, language: str) -> None:
    result = await say(box, language, "broken")
    assert result.error is not None
    assert (result.error.line or 0) in (2, 3)
    assert await is_alive(box, language)


@every
async def test_leaving_ends_the_run_and_not_the_sandbox(box: Sandbox, language: str) -> None:
    result = await say(box, language, "leave")
    assert (result.exit_code, result.error) == (3, None)
    assert await is_alive(box, language)


@every
async def test_a_loop_is_stopped_as_promised(box: Sandbox, language: str) -> None:
    await box.run("mine = 1")
    await say(box, language, "keep")
    result = await say(box, language, "loop", timeout=0.5)
    assert result.timed_out
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    soft = languages()[language].interrupt == "soft"
    assert result.state == ("kept" if soft else "lost")
    kept = (await say(box, language, "kept")).value
    assert (kept is not None and "41" in kept) is soft
    assert await is_alive(box, language)
    assert (await box.run("mine")).value == "1"


@every
async def test_deep_recursion_is_an_error(box: Sandbox, language: str) -> None:
    result = await say(box, language, "recursion", timeout=20)
    assert result.error is not None
    assert not result.timed_out
    assert await is_alive(box, language)


@every
@pytest.mark.slow
async def test_a_flood_is_cut_and_nothing_breaks(box: Sandbox, language: str) -> None:
    result = await say(box, language, "flood", timeout=60)
    assert result.error is None
    assert result.truncated
    assert len(result.stdout) < 2 << 20
    assert result.stdout.endswith("0123456789\n")
    assert await is_alive(box, language)


@every
@pytest.mark.slow
async def test_too_much_memory_is_an_error(box: Sandbox, language: str) -> None:
    await box.run("mine = 2")
    result = await say(box, language, "huge", timeout=60)
    assert result.error is not None
    assert not result.timed_out
    assert await is_alive(box, language)
    assert (await box.run("mine")).value == "2"


@every
async def test_memory_is_reported_and_given_back(box: Sandbox, language: str) -> None:
    await say(box, language, "hello")
    state = {each.name: each for each in await box.languages()}[language]
    assert state.loaded
    assert 0 < state.memory < (languages()[language].memory << 20) * 1.1
    assert await box.unload(language)
    state = {each.name: each for each in await box.languages()}[language]
    assert (state.loaded, state.memory) == (False, 0)
    assert not await box.unload(language)
    assert await is_alive(box, language)


@every
async def test_a_profile_has_time_and_memory(box: Sandbox, language: str) -> None:
    result = await say(box, language, "hello", profile=True)
    assert result.profile is not None
    assert result.profile["duration_ms"] > 0
    assert result.profile["memory_peak_kb"] > 0


@every
async def test_it_is_a_command_in_bash(box: Sandbox, language: str) -> None:
    known = languages()[language]
    name = f"prog.{known.extensions[0]}"
    await box.write(name, SNIPPETS[language].hello if language != "php" else f"<?php {SNIPPETS[language].hello}")
    result = await box.bash(f"{known.commands[0]} {name} | tr a-z A-Z; echo ${{PIPESTATUS[0]}}")
    assert (result.stdout, result.stderr) == ("HELLO\n0\n", "")
    await box.write(name, SNIPPETS[language].leave if language != "php" else f"<?php {SNIPPETS[language].leave}")
    assert (await box.bash(f"{known.commands[0]} {name}; echo $?")).stdout == "3\n"
    await box.write(name, SNIPPETS[language].wrong if language != "php" else f"<?php\n{SNIPPETS[language].wrong}")
    failed = await box.bash(f"{known.commands[0]} {name}")
    assert failed.exit_code not in (0, 127)
    assert name in failed.stderr
    assert "file://" not in failed.stderr


@every
async def test_its_command_prints_its_version_and_refuses_what_it_does_not_know(box: Sandbox, language: str) -> None:
    command = languages()[language].commands[0]
    version = await box.bash(f"{command} {'-v' if language == 'lua' else '--version'} < /dev/null")
    assert (version.exit_code, version.stderr) == (0, "")
    assert version.stdout
    missing = await box.bash(f"{command} nowhere/missing.x < /dev/null")
    assert missing.exit_code not in (0, 127)
    assert missing.stderr
    # R only warns of what it does not know, and goes on.
    wrong = await box.bash(f"{command} {'-e' if language == 'r' else '--versoin'} < /dev/null")
    assert wrong.exit_code not in (0, 127)
    assert wrong.stderr


@every_afresh
async def test_a_timeout_while_it_is_loaded_keeps_what_is_there(language: str) -> None:
    async with Sandbox() as box:
        await box.run("mine = 3")
        early = await say(box, language, "hello", timeout=0.001)
        assert (early.timed_out, early.state) == (True, "kept")
        assert await is_alive(box, language)
        assert (await box.run("mine")).value == "3"


@every
async def test_a_command_that_does_not_end_is_stopped_by_timeout(box: Sandbox, language: str) -> None:
    known = languages()[language]
    code = SNIPPETS[language].loop
    await box.write("endless", code if language != "php" else f"<?php {code}")
    # Loaded before the clock of `timeout` runs.
    await say(box, language, "hello")
    result = await box.bash(f"timeout 0.5 {known.commands[0]} endless; echo $?", timeout=20)
    assert result.stdout == "124\n"
    assert await is_alive(box, language)


@every_afresh
async def test_several_sandboxes_speak_it_at_once(language: str) -> None:
    async with Sandbox() as one, Sandbox() as other:
        await say(one, language, "keep")
        assert await is_alive(other, language)
        assert "41" in ((await say(one, language, "kept")).value or "")
        assert "41" not in ((await say(other, language, "kept")).value or "")


async def test_a_program_that_waits_for_a_command_is_stopped_with_it(box: Sandbox) -> None:
    await say(box, "ruby", "hello")
    stopped = await box.bash("timeout 1 ruby -e 'system(\"sleep 60\")'; echo $?", timeout=20)
    assert stopped.stdout == "124\n"
    assert (await box.bash("ruby -e 'puts `echo again`'")).stdout == "again\n"


async def test_a_wrong_name_gets_the_nearest(box: Sandbox) -> None:
    for wrong, right in {"rubby": "ruby", "js": "javascript", "node": "javascript", "TypeScript": "typescript"}.items():
        with pytest.raises(ConfigError, match=f"Did you mean '{right}'"):
            await box.run("1", language=wrong)
    with pytest.raises(ConfigError, match="Known: python, bash, javascript"):
        await box.run("1", language="cobol")


async def test_a_pipeline_of_languages(box: Sandbox) -> None:
    await box.write("data.csv", "b,2\na,1\nc,3\n")
    command = (
        "cat data.csv | ruby -ne 'puts $_.strip.split(\",\").reverse.join(\",\")' | perl -pe 's/,/ /' "
        "| python3 -c 'import sys; [print(line.split()[1], line.split()[0]) for line in sys.stdin]' | sort"
    )
    assert (await box.bash(command)).stdout == "a 1\nb 2\nc 3\n"


def test_the_page_of_languages_follows_the_catalogue() -> None:
    page = (ROOT / "docs" / "languages.md").read_text()
    rows = re.findall(r"^\| \[(\w+)\]\(#\w+\) \| (\S+) \| (.*?) ?\|", page, re.MULTILINE)
    known = [(each.title, each.version, list(each.commands)) for each in languages().values()]
    assert [(title, version, re.findall(r"`([\w-]+)`", commands)) for title, version, commands in rows] == known


@pytest.mark.parametrize("language", [path.suffix[1:] for path in sorted((ROOT / "examples").glob("hello.*"))])
def test_the_examples_say_hello(language: str) -> None:
    run = [str(Path(sys.executable).with_name("cloche")), "run", "-l", language, f"examples/hello.{language}"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Hello" in done.stdout


@pytest.mark.slow
def test_the_command_line_names_line_and_exit_code() -> None:
    run = [str(Path(sys.executable).with_name("cloche")), "run"]
    done = subprocess.run(
        [*run, "--json", "-l", "ruby", "-c", "x = 1\nfoo("], capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["error"]["line"] == 2
    looped = subprocess.run([*run, "-l", "php", "--timeout", "1", "-c", "while(true){}"], check=False)
    assert looped.returncode == 124


@pytest.mark.parametrize(
    ("language", "code", "hint"),
    [
        ("javascript", "foo(", "the ( in line 1 is never closed"),
        ("typescript", "let a: number[] = [", "the [ in line 1 is never closed"),
        ("ruby", "def f\n  if 1\nend\n", "what line 2 opens is never closed"),
        ("perl", "foo(", "the ( in line 1 is never closed"),
        ("r", "library(nosuchpackage)", 'install.packages("nosuchpackage")'),
        ("lua", "function f()\n  x = 1", "the 'function' of line 1 has no 'end'"),
        ("scheme", "(foo", "the parenthesis opened in line 1, column 1 is never closed"),
    ],
)
async def test_who_sees_the_traceback_sees_the_hint(box: Sandbox, language: str, code: str, hint: str) -> None:
    result = await box.run(code, language=language)
    assert result.error is not None
    assert result.error.message.count(hint) == result.error.traceback.count(hint) == 1
