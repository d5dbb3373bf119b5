"""`cloche bench`."""

import json
import subprocess

import pytest

from cloche.cli.bench.trials import Figure
from tests.cli.conftest import Cloche

LIMIT = 100
NAMES = [
    "cold start to the first value",
    "warm 1+1",
    "bash echo hi",
    "memory, Python and bash used",
    "5 MB file in",
    "5 MB file out",
    "a loop stopped, after its timeout",
    "pool: hand-out to the first value",
]


@pytest.fixture
def quick(program: list[str], prepared: None) -> list[str]:
    """The shortest run there is."""
    return [*program, "bench", "--quick"]


@pytest.mark.slow
@pytest.mark.timeout(LIMIT)
def test_every_figure_is_measured_and_machines_can_read_it(quick: list[str]) -> None:
    done = subprocess.run([*quick, "--json"], capture_output=True, text=True, timeout=LIMIT, check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [figure["name"] for figure in report["figures"]] == NAMES
    for figure in report["figures"]:
        assert figure["median"] > 0
        assert figure["count"] >= 1
    assert {"cloche", "deno", "python", "bash"} <= report["versions"].keys()
    assert report["figures"][6]["note"] == "variables kept"


@pytest.mark.slow
@pytest.mark.timeout(LIMIT)
def test_people_get_a_table(quick: list[str]) -> None:
    done = subprocess.run(quick, capture_output=True, text=True, timeout=LIMIT, check=False)
    lines = done.stdout.splitlines()
    assert lines[3].split() == ["median", "p95", "n"]
    assert [line[:36].strip() for line in lines[4:]] == NAMES


def test_a_wrong_option_is_2(cloche: Cloche) -> None:
    done = cloche("bench", "--confinement", "perhaps")
    assert done.returncode == 2
    assert "'perhaps'" in done.stderr


def test_a_figure_has_its_unit_in_both_texts() -> None:
    assert Figure("a", "ms", 1.234, 20.06, 5).texts() == ("1.23 ms", "20.1 ms")
