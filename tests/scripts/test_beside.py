"""Suites that are run in sandboxes and beside the real tools, with small suites of our own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITES = Path(__file__).parents[2] / "scripts" / "peers"
PATIENCE = 100
pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="the real tools are confined by bubblewrap"),
]

SPEC = """## compare_shells: dash bash

#### what both do
argv.py "a b" "it's"
## stdout: ['a b', "it's"]

#### what only the real one has
test -d /sys/class/net && echo kernel
## STDOUT:
kernel
## END

#### what the real one does not do
echo no
## stdout: yes

#### what bash does in its own way
echo $BASH_VERSION | cut -c 1; exit 3
## status: 0
## OK bash status: 3
## stdout: 5

#### what has no end
if test -d /sys/class/net; then echo real; else while :; do :; done; fi
## stdout: real
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SUITES), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one file of cases."""
    spec = tmp_path / "oils" / "spec"
    spec.mkdir(parents=True)
    (spec / "alias.test.sh").write_text(SPEC)
    return spec.parent


@pytest.mark.slow
def test_only_what_the_real_tool_passes_counts(checkout: Path, prepared: object) -> None:
    failures = checkout.parent / "failures"
    done = run("oils", str(checkout), "--json", "--failures", str(failures))
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert (counts["passed"], counts["applying"]) == (2, 4)
    assert counts["note"] == "oils: 2 of 4 that apply passed (50.0 %); 0 of 1 files whole"
    told = failures.read_text()
    assert "==== alias.test.sh:1" in told
    assert "-kernel" in told
    assert "took too long" in told


def test_what_the_real_tools_did_is_kept_beside_the_checkout(checkout: Path, prepared: object) -> None:
    assert run("oils", str(checkout), "test.sh:0").returncode == 0
    kept = json.loads((checkout.parent / "oils.oils.json").read_text())
    assert [each["stdout"] for each in kept.values()] == ["['a b', \"it's\"]\n"]


def test_a_case_can_be_chosen_and_is_shown(checkout: Path, prepared: object) -> None:
    done = run("oils", str(checkout), "test.sh:1")
    assert "==== alias.test.sh:1" in done.stdout
    assert done.stdout.splitlines()[-1] == "oils: 0 of 1 that apply passed (0.0 %); 0 of 1 files whole"


def test_expected_lines_are_counted_one_by_one(tmp_path: Path, prepared: object) -> None:
    folder = tmp_path / "busybox" / "shell" / "ash_test" / "ash-misc"
    folder.mkdir(parents=True)
    (folder.parent / "run-all").touch()
    script = folder / "a.tests"
    script.write_text("recho a 'b\tc'\ntest -d /sys/class/net && echo kernel\necho other\n")
    script.chmod(0o755)
    (folder / "a.right").write_text("argv[1] = <a>\nargv[2] = <b^Ic>\nkernel\nnot that\n")
    done = run("ash", str(tmp_path / "busybox"), "--json")
    assert json.loads(done.stdout)["note"] == "ash: 2 of 3 that apply passed (66.7 %); 0 of 1 files whole"
