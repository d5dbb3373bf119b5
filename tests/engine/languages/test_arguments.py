"""What a program is started with: its arguments, and the file that it was read from."""

import pytest

from cloche import Sandbox
from tests.engine.languages.programs import PROGRAMS

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


ODD = [
    "a",
    "b c",
    "",
    'it\'s "quoted"',
    "ünï→😀",
    "$HOME ${x} $(id)",
    "#{1 + 1}",
    "100% %s",
    "back\\slash\\n",
    "-x",
    "--args",
    "two\nlines",
    "]]",
]

every = pytest.mark.parametrize("language", PROGRAMS)


@every
async def test_arguments_are_seen_as_they_were_given(box: Sandbox, language: str) -> None:
    result = await box.run(PROGRAMS[language].show, language=language, args=ODD)
    assert result.error is None
    assert result.stdout == "".join(f"[{each}]" for each in ODD) + "\n"


@every
async def test_arguments_belong_to_their_cell(box: Sandbox, language: str) -> None:
    program = PROGRAMS[language]
    await box.run(program.show, language=language, args=["x"], file="/workspace/first", check=True)
    assert (await box.run(program.show, language=language)).stdout == "\n"
    assert (await box.run(program.name, language=language)).stdout == program.nameless + "\n"


@every
async def test_a_file_is_the_name_of_the_program(box: Sandbox, language: str) -> None:
    program = PROGRAMS[language]
    file = f"/workspace/sub/möre $x.{program.extension}"
    result = await box.run(program.name, language=language, file=file)
    assert (result.stdout, result.stderr) == (file + "\n", "")


@every
async def test_tracebacks_name_the_file(box: Sandbox, language: str) -> None:
    program = PROGRAMS[language]
    file = f"/workspace/$1.{program.extension}"
    error = (await box.run(program.wrong, language=language, file=file)).error
    assert error is not None
    assert error.line == 2
    assert file in error.traceback
    assert "<cell" not in error.traceback
    after = (await box.run(program.wrong, language=language)).error
    assert after is not None
    assert after.line == 2
    assert file not in after.traceback


@every
async def test_code_that_cannot_be_read_is_reported_with_its_file(box: Sandbox, language: str) -> None:
    program = PROGRAMS[language]
    file = f"/workspace/broken.{program.extension}"
    error = (await box.run("\n" + program.broken, language=language, file=file)).error
    assert error is not None
    assert error.line == 2
    assert file in error.traceback
    assert "<cell" not in error.traceback + error.message


NEIGHBOURS = {
    "javascript": (
        "import one from './part.mjs'\nrequire('./part').hello(__dirname, __filename, `${import.meta.url}`, one)",
        {
            "part.js": "exports.hello = (...words) => console.log('hello', ...words)",
            "part.mjs": "export default 1",
        },
        "hello /workspace/sub /workspace/sub/main.js file:///workspace/sub/main.js 1",
    ),
    "typescript": (
        "import { hello } from './part.ts'\nhello(__dirname as string, __filename)",
        {"part.ts": "export const hello = (...words: string[]): void => console.log('hello', ...words)"},
        "hello /workspace/sub /workspace/sub/main.ts",
    ),
    "ruby": (
        "require_relative 'part'\nhello(__dir__, __FILE__)",
        {"part.rb": "def hello(*words) = puts(['hello', *words].join(' '))"},
        "hello /workspace/sub /workspace/sub/main.rb",
    ),
    "php": (
        "require __DIR__ . '/part.php'; hello(__DIR__, __FILE__); function again() {}",
        {"part.php": "<?php function hello(...$words) { echo implode(' ', ['hello', ...$words]), \"\\n\"; }"},
        "hello /workspace/sub /workspace/sub/main.php",
    ),
}


@pytest.mark.parametrize("language", NEIGHBOURS)
async def test_a_file_finds_those_beside_it(box: Sandbox, language: str) -> None:
    code, files, told = NEIGHBOURS[language]
    for name, text in files.items():
        await box.write(f"sub/{name}", text)
    file = f"/workspace/sub/main.{PROGRAMS[language].extension}"
    result = await box.run(code, language=language, file=file)
    assert (result.stdout, result.error) == (told + "\n", None)


WARNINGS = {
    "ruby": "warn 'careful', uplevel: 0",
    "php": "echo $nowhere;",
    "perl": "warn 'careful';",
}


@pytest.mark.parametrize("language", WARNINGS)
async def test_warnings_name_the_file(box: Sandbox, language: str) -> None:
    result = await box.run(WARNINGS[language], language=language, file="/workspace/main")
    assert "/workspace/main" in result.stdout + result.stderr
    assert "<cell>" not in result.stdout + result.stderr


async def test_a_file_of_php_can_be_run_again(box: Sandbox) -> None:
    code = "function twice() { return __LINE__; } class Twice {} echo twice();"
    for _ in range(2):
        assert (await box.run(code, language="php", file="/workspace/twice.php")).stdout == "1"
    assert (await box.run("function twice() { return 3; } echo twice();", language="php")).stdout == "3"
    assert (await box.run(code, language="php", file="/workspace/twice.php")).stdout == "1"


async def test_what_code_makes_of_its_arguments_stays_when_none_are_given(box: Sandbox) -> None:
    for assign, show, language in [
        ("arg = 5", "print(arg)", "lua"),
        ("@ARGV = (5);", "print @ARGV, qq(\\n);", "perl"),
        ("ARGV << '5'", "puts ARGV", "ruby"),
        ("$argv = [5];", "echo $argv[0], PHP_EOL;", "php"),
        ("process.argv = [5]", "console.log(...process.argv)", "javascript"),
    ]:
        await box.run("", language=language)
        await box.run(assign, language=language, check=True)
        assert (await box.run(show, language=language)).stdout == "5\n"
