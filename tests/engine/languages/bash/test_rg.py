"""rg in a real sandbox, beside what ripgrep itself was recorded to say."""

import json
import shlex

import pytest

from cloche import Sandbox
from tests.engine.languages.bash.rg_cases import CHANGES, COMMANDS, EXPECTED, TREE

RECORDED: dict[str, tuple[str, int]] = json.loads(EXPECTED.read_text())


@pytest.mark.parametrize("part", range(4))
async def test_rg_does_what_ripgrep_does(shell: Sandbox, part: int) -> None:
    commands = COMMANDS.strip().splitlines()[part::4]
    script = 'for command; do (eval "$command"); echo "[$?] after $command"; done'
    result = await shell.bash(f"cd $(mktemp -d); {TREE}\nset -- {shlex.join(commands)}\n{script}")
    said = [(command, *RECORDED[command]) for command in commands]
    assert result.stdout == "".join(f"{out}[{code}] after {command}\n" for command, out, code in said)


@pytest.mark.parametrize("command", CHANGES.strip().splitlines())
async def test_rg_follows_rules_and_links_as_ripgrep_does(shell: Sandbox, command: str) -> None:
    result = await shell.bash(f"cd $(mktemp -d); {TREE}\n{command}")
    assert [result.stdout, result.exit_code] == RECORDED[command]


@pytest.mark.parametrize(
    ("command", "printed", "code"),
    [
        ("rg --files --sortr modified -g '*.{js,ts}'", "new.ts\nsub/old.js\n", 0),
        ("rg --files --sort modified", "sub/old.js\nnew.ts\n", 0),
        ("rg -l two --sortr=modified", "new.ts\nsub/old.js\n", 0),
        ("rg -U 'two\\nthree' sub", "sub/old.js:two\nsub/old.js:three\n", 0),
        ("rg 'two\\nthree' sub", "", 2),
        ("rg 'o(?=n)' sub", "", 2),
        ("rg -Po 'o(?=n)' sub", "sub/old.js:o\n", 0),
        ("rg '(' .", "", 2),
        ("rg '[a' .", "", 2),
        ("rg", "", 2),
        ("rg --nosuch x", "", 2),
        ("rg one nosuch", "", 2),
        ("rg one nosuch sub", "sub/old.js:one\n", 2),
        ("rg -q --no-messages one nosuch sub", "", 0),
        ("rg -t nosuch one", "", 2),
        ("printf '' | rg one", "", 1),
        ("rg --stats -c two sub | tail -n +3 | head -2", "1 matches\n1 matched lines\n", 0),
        ("rg --type-list | grep ^rust", "rust: *.rs\n", 0),
        ("rg --pre cat one", "", 2),
        ("printf '\\xef\\xbb\\xbfone' > bom; rg -n --column '^one' bom", "1:1:one\n", 0),
        ("printf '\\xff\\xfeo\\0n\\0e\\0' > wide; rg one wide", "one\n", 0),
        ("printf 'o\\0n\\0e\\0' > wide; rg -E utf-16le one wide", "one\n", 0),
        ("rg -E nosuch one", "", 2),
        ("printf 'one' | rg -f - sub", "sub/old.js:one\n", 0),
        ("printf 'three' | rg -f -", "sub/old.js:three\n", 0),
        (": > none; rg -f none sub", "", 1),
        ("rg --path-separator . one", "sub.old.js:one\n", 0),
        ("rg -v --count-matches one sub/old.js", "2\n", 0),
        ("rg --vimgrep --no-column one sub", "sub/old.js:1:one\n", 0),
        ("rg --passthru -A1 one sub/old.js", "one\ntwo\n", 0),
        ("printf 'a\\nb\\nb\\na\\n' | rg -A1 --no-context-separator --context-separator X a", "a\nb\nX\na\n", 0),
        ("rg --files -g '[abc'", "", 2),
        ("mkdir -p .git/info; echo sub > .git/info/exclude; rg --no-ignore-exclude -l one", "sub/old.js\n", 0),
        ("echo sub > rules; rg --ignore-file rules --no-ignore-files -l one", "sub/old.js\n", 0),
        ("echo sub > .gitignore; rg --no-require-git --require-git -l one", "sub/old.js\n", 0),
    ],
)
async def test_rg_sorts_by_time_and_says_what_it_cannot_do(
    shell: Sandbox, command: str, printed: str, code: int
) -> None:
    tree = "mkdir sub; printf 'one\\ntwo\\nthree\\n' > sub/old.js; printf 'two\\n' > new.ts"
    result = await shell.bash(f"cd $(mktemp -d); {tree}; touch -d 2020-01-01 sub/old.js; {command}")
    assert (result.stdout, result.exit_code) == (printed, code)
    assert (result.stderr == "") == (code != 2)
