"""busybox' tests of its tools, of which those count that the tools of this machine pass."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from beside import harness
from beside.cases import FOLDER as CASE_FOLDER
from beside.cases import TOOLS as TOOLS_FOLDER
from beside.cases import Case, Outcome

NAME = "busybox"
FOLDER = "testsuite/testing.sh"
FRESH = False
ENV: Mapping[str, str] = {"bindir": TOOLS_FOLDER, "srcdir": CASE_FOLDER, "tsdir": CASE_FOLDER}
TOOLS: Mapping[str, str] = {"busybox": '#!/bin/sh\nexec "$@"\n'}
"""There `busybox NAME` is the tool NAME."""
SECONDS = 60.0
DEVICES = "needs devices, users, mounts or processes of a real Linux"
ITSELF = "tests busybox itself"
NOT_APPLYING: Mapping[str, str] = {
    "all_sourcecode": ITSELF,
    "ash": ITSELF,
    "busybox": ITSELF,
    "parse": ITSELF,
    "makedevs": DEVICES,
    "mdev": DEVICES,
    "mkfs.minix": DEVICES,
    "mount": DEVICES,
    "pidof": DEVICES,
    "start-stop-daemon": DEVICES,
    "taskset": DEVICES,
    "hostid": DEVICES,
    "hostname": DEVICES,
    "uptime": DEVICES,
}


def list_cases(checkout: Path) -> list[Case]:
    """One for each file of tests, and one for each of the old kind, which are scripts that fail or not."""
    tests = checkout / "testsuite"
    new = [_read_file(path) for path in sorted(tests.glob("*.tests")) if path.stem not in NOT_APPLYING]
    old = [path for path in sorted(tests.glob("*/*")) if path.is_file() and path.parent.name not in NOT_APPLYING]
    return [*new, *(_read_script(path) for path in old)]


def _read_file(path: Path) -> Case:
    return Case(name=path.name, code=f"bash ./{path.name} 2>&1", files=path.parent, seconds=SECONDS)


def _read_script(path: Path) -> Case:
    name = f"{path.parent.name}/{path.name}"
    passed = f"PASS: {path.name}"
    script = shlex.quote(f"../{name}")
    run = f"mkdir tmp; cd tmp; d={CASE_FOLDER} bash -x -e {script} > .logfile.txt 2>&1"
    code = f"{run} && echo {shlex.quote(passed)} || {{ echo FAIL; cat .logfile.txt; }}"
    return Case(name=name, group=path.parent.name, code=code, files=path.parent.parent, seconds=SECONDS)


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """The tests that passed."""
    return harness.find_passed(case, outcome)
