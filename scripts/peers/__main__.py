"""Runs the tests of another project: python scripts/peers NAME CHECKOUT [options].

Those of projects with a runtime are run by pytest against ours: the interpreter must have Cloche, pytest and what those
tests import, and the options are pytest's. Those of shells and tools run in sandboxes and beside the real tools of this
machine: only what the real ones pass counts; --help lists the options. Nothing of theirs is kept here.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

AGAINST_RUNTIME = ("openhands", "swerex", "mini")
BESIDE_TOOLS = ("oils", "bash", "ash", "awk", "jq", "busybox", "toybox", "subprocess", "r7rs")
SUITES = (*AGAINST_RUNTIME, *BESIDE_TOOLS)


def main(arguments: list[str]) -> int:
    """Run a suite and print its counts."""
    if len(arguments) < 2 or arguments[0] not in SUITES:
        sys.stderr.write(f"{__doc__}\nNAME is one of {', '.join(SUITES)}.\n")
        return 2
    name, place, *options = arguments
    checkout = Path(place).resolve()
    suite: Any = import_module(f"{name}_suite")
    if not (checkout / suite.FOLDER).exists():
        sys.stderr.write(f"{checkout} has no {suite.FOLDER}: name the folder of a checkout of that project.\n")
        return 2
    if name in AGAINST_RUNTIME:
        return import_module("pytest_run").run_tests(name, checkout, options)
    return import_module("beside.command").run_beside(suite, checkout, options)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
