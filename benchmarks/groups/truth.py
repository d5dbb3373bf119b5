"""How often the shell and its tools answer as the real ones do, by suites that others wrote: counted, not timed."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
from anyio import to_thread

from benchmarks.measure import Row, Scale, Target
from benchmarks.peers import ROOT, PeerFailed

CHECKOUTS = "CLOCHE_SUITES"
"""The environment variable that names the folder of the checkouts."""
LIMIT = 1200
"""Seconds that one suite may take."""


class Counted(msgspec.Struct, frozen=True):
    """A suite, the folder of its checkout, and the share of what applies that has to pass, in per cent."""

    suite: str
    folder: str
    what: str
    least: float


class Counts(msgspec.Struct, frozen=True):
    """What a runner of suites prints."""

    passed: int
    applying: int
    note: str


SUITES = (
    Counted("bash", "bash", "bash's own tests, expected lines", 90),
    Counted("ash", "busybox", "busybox' tests of its shell, expected lines", 90),
    Counted("oils", "oils", "Oils' spec tests", 95),
    Counted("awk", "awk", "one-true-awk's tests", 97),
    Counted("jq", "jq", "jq's tests and its manual's", 99),
    Counted("busybox", "busybox", "busybox' tests of its tools", 93),
    Counted("toybox", "toybox", "toybox' tests of its tools", 88),
    Counted("subprocess", "cpython", "CPython's test_subprocess", 85),
    Counted("r7rs", "chibi", "chibi's tests of R7RS", 99),
)


async def rows(_: Scale) -> list[Row]:
    """A row for each suite; one whose checkout was not given says so."""
    given = os.environ.get(CHECKOUTS)
    return [await to_thread.run_sync(_row, counted, Path(given or "/nowhere")) for counted in SUITES]


def _row(counted: Counted, folder: Path) -> Row:
    checkout = folder / counted.folder
    if not checkout.is_dir():
        why = f"not counted: {CHECKOUTS} names no folder with a checkout in {counted.folder}"
        return Row(name=counted.what, unit="%", ours=[], note=why)
    found = _run(counted.suite, checkout)
    target = Target("median", counted.least, at_least=True)
    return Row(name=counted.what, unit="%", ours=[100 * found.passed / found.applying], target=target, note=found.note)


def _run(suite: str, checkout: Path) -> Counts:
    command = [sys.executable, str(ROOT / "scripts" / "peers"), suite, str(checkout), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode != 0:
        raise PeerFailed(f"{suite}: {done.stderr.strip()[-300:]}")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Counts)
