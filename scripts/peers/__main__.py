"""Runs the tests of another project against our runtime: python scripts/peers NAME CHECKOUT [options of pytest].

The interpreter must have Cloche, pytest and what those tests import; nothing of theirs is kept here.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from counting import Counting
from embedded import close_all

SUITES = ("openhands", "swerex", "mini")


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
    os.chdir(checkout)
    suite.prepare(checkout)
    counting = Counting(suite.FILES_NOT_APPLYING, suite.NOT_APPLYING)
    given = options or [suite.FOLDER]
    try:
        pytest.main(["-q", "--tb=short", "-p", "no:cacheprovider", *suite.OPTIONS, *given], plugins=[counting])
    finally:
        close_all()
    sys.stdout.write(f"{counting.report()}\n")
    return 1 if counting.failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
