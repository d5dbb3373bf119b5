"""The runner of other projects' suites, on a suite of our own."""

import subprocess
import sys
from pathlib import Path

import pytest

SUITES = Path(__file__).parents[2] / "scripts" / "peers"
PATIENCE = 100
pytestmark = pytest.mark.timeout(120)

ENVIRONMENT = """
import os
def execute(command, cwd, timeout=30, **env):
    return _run(command, cwd, {**os.environ, **env}, timeout)
"""
TESTS = """
import subprocess
import pytest
from minisweagent.environments.local import execute

def test_passes(tmp_path):
    done = execute("pwd; echo $WHO > made; exit 3", str(tmp_path), WHO="Ada")
    assert (done.stdout, done.returncode) == (f"{tmp_path}\\n", 3)
    assert (tmp_path / "made").read_text() == "Ada\\n"

def test_takes_too_long(tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        execute("sleep 60", str(tmp_path), timeout=1)

def test_fails(tmp_path):
    assert execute("echo hi", str(tmp_path)).stdout == "ho"

def test_local_environment_default_cwd():
    assert False

@pytest.mark.skip("never")
def test_is_skipped():
    pass
"""
STANDS_IN = """
from standins import stand_in
stand_in(["heavy"])
import heavy.inner
from heavy.errors import Wrong
try:
    raise Wrong("whatever", code=1)
except heavy.errors.Wrong as error:
    print(list(error.anything), heavy.inner.Maker().make())
try:
    import heavier
except ModuleNotFoundError:
    print("heavier is not there")
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=SUITES)


@pytest.mark.slow
def test_a_suite_is_run_in_a_sandbox_and_counted(tmp_path: Path, prepared: object) -> None:
    package = tmp_path / "src" / "minisweagent" / "environments"
    tests = tmp_path / "tests" / "environments"
    package.mkdir(parents=True)
    tests.mkdir(parents=True)
    (package / "local.py").write_text(ENVIRONMENT)
    (tests / "test_local.py").write_text(TESTS)
    done = run(str(SUITES), "mini", str(tmp_path))
    assert done.returncode == 1, done.stderr
    place = "tests/environments/test_local.py"
    assert done.stdout.splitlines()[-4:] == [
        "2 of 3 that apply passed.",
        f"  failed: {place}::test_fails",
        f"  left out: {place}::test_is_skipped: skipped by its own suite: never",
        f"  left out: {place}::test_local_environment_default_cwd: a sandbox does not begin in the folder of the host",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((), "NAME CHECKOUT"), (("nobody", "."), "NAME is one of"), (("mini", "/"), "has no tests/")],
)
def test_what_it_cannot_run_it_says(arguments: tuple[str, ...], said: str) -> None:
    done = run(str(SUITES), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_stand_ins_have_every_name_and_stand_only_for_what_is_named() -> None:
    done = run("-c", STANDS_IN)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[] ", "heavier is not there"]
