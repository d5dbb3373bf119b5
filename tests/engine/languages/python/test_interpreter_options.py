"""Options of `python3` and PYTHON... variables that change what a program does."""

import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

SEE = "import sys; print(sys.flags.optimize, __debug__, sys.path[0])"


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (f"python3 -c '{SEE}'", "0 True \n"),
        (f"python3 -O -c '{SEE}'", "1 False \n"),
        (f"PYTHONOPTIMIZE=2 python3 -c '{SEE}'", "2 False \n"),
        (f"PYTHONOPTIMIZE=2 python3 -I -c '{SEE}'", "0 True /lib/python314.zip\n"),
        ("echo 'assert 0' > m.py; python3 -O -c 'import m; print(1)'; rm m.py", "1\n"),
        ("PYTHONWARNINGS=error python3 -c 'import warnings; warnings.warn(1)' 2>&1 | tail -1", "UserWarning: 1\n"),
        ("printf 'no python\\nprint(7)\\n' > x.py; python3 -x x.py; rm x.py", "7\n"),
    ],
)
async def test_options_of_the_interpreter_take_effect(box: Sandbox, command: str, printed: str) -> None:
    assert (await box.bash(command, check=True)).stdout == printed
