"""What all tests share: the event loop, the assets, Ctrl-C, and what a skipped test means in CI."""

import os
import signal
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path

import anyio
import pytest
from blockbuster import BlockBuster, blockbuster_ctx

from cloche.sandbox.cache import assets as engine_assets
from cloche.sandbox.cache import auto_prune

# With sniffio, which the A2A library brings, anyio's plugin takes the pause between two tests for a running loop.
vars(import_module("anyio._core._eventloop"))["sniffio"] = None

FETCH_TIMEOUT = 300
"""Seconds for a test that may have to fetch the assets first."""

OTHER_SYSTEM = "only on "
"""How the reason of a skip begins that is right in CI too: the test is for another operating system."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Lets all tests run on the other event loop too."""
    parser.addoption("--uvloop", action="store_true", help="run asynchronous tests on uvloop")


@pytest.fixture(scope="session")
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Runs every asynchronous test on asyncio, or on uvloop."""
    return "asyncio", {"use_uvloop": bool(request.config.getoption("uvloop"))}


@pytest.fixture(autouse=True)
def _unblocked_loop() -> Iterator[BlockBuster]:
    with blockbuster_ctx("cloche") as blocked:
        # A path is resolved; tests ask for it where they stand.
        for name, function in blocked.functions.items():
            if name.startswith("os."):
                function.can_block_in("assets.py", "cache_dir")
            # Files in /proc come from the kernel: reading them does not block.
            for where in ("_measure", "processor_time"):
                function.can_block_in("watchdog.py", where)
            for where in ("_may_raise", "_set_priority"):
                function.can_block_in("priority.py", where)
            # A small file that comes with Cloche, once.
            function.can_block_in("languages.py", "languages")
        yield blocked


@pytest.fixture(scope="session")
def assets() -> Path:
    """The folder of the engine's files, fetched by the first process that asks."""
    return anyio.run(engine_assets.fetch_assets)


@pytest.fixture(scope="session")
def framework_python() -> Path:
    """A Python with the frameworks that adapters and recipes are for."""
    # Not at the top: a test has this file alone.
    return anyio.run(import_module("tests.framework_python").make_python)


def pytest_configure() -> None:
    """Has the programs that tests start obey Ctrl-C: a shell starts its background jobs so that they ignore it.

    The cache is pruned only where a test is about that.
    """
    os.environ.setdefault(auto_prune.VARIABLE, "0")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives the tests that need the assets the time to fetch them."""
    if not engine_assets.assets_ready():
        for item in items:
            if "assets" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.timeout(FETCH_TIMEOUT))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns a skip into a failure in CI, where nothing may be missing."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not reason.removeprefix("Skipped: ").startswith(OTHER_SYSTEM):
            report.outcome = "failed"
            report.longrepr = f"skipped, which counts as failed in CI: {reason}"
    return report
