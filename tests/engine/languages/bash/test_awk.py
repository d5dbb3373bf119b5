"""awk in a real sandbox: its files, the commands it starts, and what happens when it never ends."""

import pytest

from cloche import Sandbox

TABLE = "name,team,points\nann,red,10\nbob,blue,9\ncid,red,5\n"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (
            "awk -F, 'NR > 1 { s[$2] += $3 } END { for (t in s) print t, s[t] | \"sort\" }' table.csv",
            "blue 9\nred 15\n",
        ),
        ("awk -F, 'NR == FNR { t[$1] = $2; next } $1 in t { print $1, t[$1] }' table.csv <(echo bob)", "bob blue\n"),
        ("awk -F, 'NR > 1 { print $1 > $2 \".txt\" }' table.csv; cat red.txt blue.txt", "ann\ncid\nbob\n"),
        ("awk 'BEGIN { while ((\"cat table.csv\" | getline line) > 0) n++; print n }'", "4\n"),
        ("printf 'BEGIN { print f(2) }\\nfunction f(x) { return x * x }\\n' > p.awk; awk -f p.awk", "4\n"),
        ('awk \'BEGIN { print system("test -f table.csv"), system("test -f none") }\'', "0 1\n"),
        ("python3 -c 'print(3, 4)' | awk '{ print sqrt($1 ^ 2 + $2 ^ 2) }'", "5\n"),
        ("printf 'a\\0b\\0' | awk -v RS='\\0' '{ print NR, $0 }'", "1 a\n2 b\n"),
    ],
)
async def test_what_people_do_with_awk(box: Sandbox, command: str, output: str) -> None:
    await box.bash("cat > table.csv", stdin=TABLE, check=True)
    result = await box.bash(command, timeout=20)
    assert (result.stdout, result.stderr) == (output, "")


async def test_awk_says_why_it_cannot_write(box: Sandbox) -> None:
    result = await box.bash("mkdir -p d; awk 'BEGIN { print 1 > \"d\" }'")
    assert result.stderr == "awk: cmd. line:1: fatal: cannot redirect to `d' for writing: Is a directory\n"
    assert result.exit_code == 2


async def test_an_endless_awk_costs_the_shell_nothing(box: Sandbox) -> None:
    await box.bash("kept=1", check=True)
    result = await box.bash("awk 'BEGIN { while (1) s = s + 1 }'", timeout=1)
    assert result.timed_out
    assert (await box.bash("echo $kept")).stdout == "1\n"
