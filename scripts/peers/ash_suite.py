"""The tests of busybox' shell, counted by the lines that bash prints as they expect."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from beside import lines
from beside.cases import Case, Outcome

NAME = "ash"
FOLDER = "shell/ash_test/run-all"
FRESH = False
ENV: Mapping[str, str] = {"THIS_SH": "bash"}
TOOLS: Mapping[str, str] = lines.TOOLS
SECONDS = 20.0


def list_cases(checkout: Path) -> list[Case]:
    """One for each file that can be executed, as they choose them too."""
    found = sorted((checkout / "shell/ash_test").glob("ash-*/*.tests"))
    return [_read_case(path) for path in found if os.access(path, os.X_OK) and path.with_suffix(".right").exists()]


def _read_case(path: Path) -> Case:
    expected = path.with_suffix(".right").read_text(errors="replace").splitlines()
    name = f"{path.parent.name}/{path.name}"
    return Case(name=name, code=f"bash ./{path.name} 2>&1", files=path.parent, seconds=SECONDS, expected=expected)


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """The expected lines that were printed."""
    return lines.match_lines(case, case.expected, outcome.stdout)
