"""Suites whose tests are run by pytest, against our runtime."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from counting import Counting
from embedded import close_all


def run_tests(name: str, checkout: Path, options: Sequence[str]) -> int:
    """Run a suite and print its counts."""
    suite: Any = import_module(f"{name}_suite")
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
