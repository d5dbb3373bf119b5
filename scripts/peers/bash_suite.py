"""bash's own tests, counted by the lines that they are expected to print."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from beside import lines
from beside.cases import FOLDER as CASE_FOLDER
from beside.cases import Case, Outcome

NAME = "bash"
FOLDER = "tests/run-all"
FRESH = False
PRINTED = ".printed"
ENV: Mapping[str, str] = {
    "THIS_SH": "bash",
    "BASH_TSTOUT": f"{CASE_FOLDER}/{PRINTED}",
    "BUILD_DIR": "..",
    "TAB": "\t",
}
TOOLS: Mapping[str, str] = lines.TOOLS
SECONDS = 60.0
NOT_APPLYING: Mapping[str, str] = {
    "run-all": "runs the others",
    "run-minimal": "runs the others",
    "run-gprof": "measures",
}
"""Scripts that are no tests."""
JUDGING = re.compile(r"^\s*diff\b.*$", re.MULTILINE)
"""The lines in which they compare; that is done here."""
RIGHT = re.compile(r"[\w.-]+\.right")


def list_cases(checkout: Path) -> list[Case]:
    """One for each script that runs a file of tests."""
    tests = checkout / "tests"
    found = [path for path in sorted(tests.glob("run-*")) if path.name not in NOT_APPLYING and path.suffix == ""]
    return [case for path in found if (case := _read_case(path)) is not None]


def _read_case(path: Path) -> Case | None:
    text = path.read_text(errors="replace")
    right = RIGHT.search(text)
    if right is None:
        return None
    script = shlex.quote(JUDGING.sub(":", text))
    code = f"export PATH=.:$PATH; bash -c {script} sh"
    expected = (path.parent / right.group()).read_text(errors="replace").splitlines()
    return Case(name=path.name, code=code, files=path.parent, output=PRINTED, seconds=SECONDS, expected=expected)


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """The expected lines that were printed."""
    return lines.match_lines(case, case.expected, outcome.stdout)
