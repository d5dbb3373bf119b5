"""Tests of adapters that import a framework run where it is installed: test_frameworks.py starts them there."""

from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from cloche.sandbox.cache import snapshots
from cloche.sandbox.process.warm_up import warm_up

ADAPTERS = Path(__file__).parents[2] / "src/cloche/adapters"
FRAMEWORKS = sorted(path.stem for path in ADAPTERS.glob("*.py") if "with explain_missing" in path.read_text())
"""The modules that import a framework."""

collect_ignore = [] if find_spec("smolagents") else [f"test_{name}.py" for name in FRAMEWORKS]


@pytest.fixture(scope="session")
def prepared(assets: Path) -> None:
    """Everything that sandboxes start from, built by the first process that asks."""
    anyio.run(snapshots.build_prepared, warm_up)
