"""What a program is started with: its arguments, and the file that it was read from."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from cloche import Sandbox
from tests.cli.conftest import PROGRAM

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


class Words(msgspec.Struct, frozen=True):
    """How a language says what the tests want said."""

    extension: str
    show: str
    """Prints the arguments, each in brackets."""
    name: str
    """Prints the file that the program was read from."""
    wrong: str
    """Fails at run time in line 2, in a function."""
    broken: str
    """Cannot be read."""
    nameless: str
    """What the name is where there is no file."""


WORDS = {
    "javascript": Words(
        "js",
        "console.log(process.argv.slice(2).map(each => `[${each}]`).join(''))",
        "console.log(process.argv[1])",
        "function fail() {\n  throw new Error('no')\n}\nfail()",
        "let = ;",
        "[cell]",
    ),
    "typescript": Words(
        "ts",
        "const all: string[] = process.argv.slice(2)\nconsole.log(all.map((each: string) => `[${each}]`).join(''))",
        "console.log(process.argv[1] as string)",
        "function fail(): void {\n  throw new Error('no')\n}\nfail()",
        "let x: = ;",
        "[cell]",
    ),
    "ruby": Words(
        "rb",
        "puts ARGV.map { |each| \"[#{each}]\" }.join",
        "puts $0 if __FILE__ == $0",
        "def fail_now\n  raise 'no'\nend\nfail_now",
        "def x(",
        "<cell>",
    ),
    "php": Words(
        "php",
        "echo implode('', array_map(fn ($each) => \"[$each]\", array_slice($argv, 1))), \"\\n\"; assert($argc == count($argv));",
        "echo $argv[0], \"\\n\";",
        "function fail() {\n  throw new Exception('no');\n}\nfail();",
        "$x = = 2;",
        "-",
    ),
    "lua": Words(
        "lua",
        "for _, each in ipairs(arg) do io.write('[', each, ']') end print()",
        "print(arg[0])",
        "function fail()\n  error('no')\nend\nfail()",
        "x = = 2",
        "lua",
    ),
    "perl": Words(
        "pl",
        "print map({ \"[$_]\" } @ARGV), \"\\n\";",
        "print \"$0\\n\";",
        "sub fail {\n  die 'no';\n}\nfail();",
        "my $x = = 2;",
        "-e",
    ),
    "r": Words(
        "R",
        "cat(paste0('[', commandArgs(trailingOnly = TRUE), ']', recycle0 = TRUE), '\\n', sep = '')",
        "cat(attr(attr(function() 1, 'srcref'), 'srcfile')$filename, '\\n', sep = '')",
        "fail <- function() {\n  stop('no')\n}\nfail()",
        "x <- = 2",
        "<cell>",
    ),
    "scheme": Words(
        "scm",
        "(for-each (lambda (each) (display \"[\") (display each) (display \"]\")) (cdr (command-line))) (newline)",
        "(display (car (command-line))) (newline)",
        "(define (fail)\n  (car 1))\n(fail)",
        "(display",
        "scheme",
    ),
}

ODD = [
    "a",
    "b c",
    "",
    "it's \"quoted\"",
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

every = pytest.mark.parametrize("language", WORDS)


@every
async def test_arguments_are_seen_as_they_were_given(box: Sandbox, language: str) -> None:
    result = await box.run(WORDS[language].show, language=language, args=ODD)
    assert result.error is None
    assert result.stdout == "".join(f"[{each}]" for each in ODD) + "\n"


@every
async def test_arguments_belong_to_their_cell(box: Sandbox, language: str) -> None:
    words = WORDS[language]
    await box.run(words.show, language=language, args=["x"], file="/workspace/first", check=True)
    assert (await box.run(words.show, language=language)).stdout == "\n"
    assert (await box.run(words.name, language=language)).stdout == words.nameless + "\n"


@every
async def test_a_file_is_the_name_of_the_program(box: Sandbox, language: str) -> None:
    words = WORDS[language]
    file = f"/workspace/sub/möre $x.{words.extension}"
    result = await box.run(words.name, language=language, file=file)
    assert (result.stdout, result.stderr) == (file + "\n", "")


@every
async def test_tracebacks_name_the_file(box: Sandbox, language: str) -> None:
    words = WORDS[language]
    file = f"/workspace/$1.{words.extension}"
    error = (await box.run(words.wrong, language=language, file=file)).error
    assert error is not None
    assert error.line == 2
    assert file in error.traceback
    assert "<cell" not in error.traceback
    after = (await box.run(words.wrong, language=language)).error
    assert after is not None
    assert after.line == 2
    assert file not in after.traceback


@every
async def test_code_that_cannot_be_read_is_told_with_its_file(box: Sandbox, language: str) -> None:
    words = WORDS[language]
    file = f"/workspace/broken.{words.extension}"
    error = (await box.run("\n" + words.broken, language=language, file=file)).error
    assert error is not None
    assert error.line == 2
    assert file in error.traceback
    assert "<cell" not in error.traceback + error.message
