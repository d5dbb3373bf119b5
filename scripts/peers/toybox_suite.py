"""toybox' tests of its tools, of which those count that the tools of this machine pass."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from beside import harness
from beside.cases import FOLDER as CASE_FOLDER
from beside.cases import SUITE, Case, Outcome

NAME = "toybox"
FOLDER = "scripts/runtest.sh"
FRESH = False
ENV: Mapping[str, str] = {
    "TEST_HOST": "1",
    "TOPDIR": SUITE,
    "FILES": f"{SUITE}/tests/files",
    "LC_COLLATE": "C",
    "TESTDIR": CASE_FOLDER,
    "VERBOSE": "all",
    "USER": "user",
}
TOOLS: Mapping[str, str] = {}
SECONDS = 60.0
DEVICES = "needs devices, users, mounts or processes of a real Linux"
NOT_APPLYING: Mapping[str, str] = {
    **dict.fromkeys(("chattr", "losetup", "mount", "mknod", "ifconfig", "modinfo", "blkid"), DEVICES),
    **dict.fromkeys(("useradd", "su", "sudo", "renice", "pidof", "pgrep", "pkill"), DEVICES),
    "sh": "tests toybox' own shell",
}


def list_cases(checkout: Path) -> list[Case]:
    """One for each file of tests."""
    found = sorted((checkout / "tests").glob("*.test"))
    return [_read_case(path) for path in found if path.stem not in NOT_APPLYING]


def _read_case(path: Path) -> Case:
    script = f'. "$TOPDIR"/scripts/runtest.sh; C="$(which $CMDNAME)"; cd testdir; . "$TOPDIR"/tests/{path.name}'
    run = f"bash -c {shlex.quote(script)} 2>&1"
    return Case(
        name=path.name,
        # The harness colours what it prints to a terminal, which the output of a sandbox's command is.
        code=f"set -o pipefail; {run} | cat",
        real=run,
        folders=("testdir",),
        env={"CMDNAME": path.stem},
        seconds=SECONDS,
    )


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """The tests that passed."""
    return harness.find_passed(case, outcome)
