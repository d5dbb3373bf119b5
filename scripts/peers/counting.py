"""A plugin of pytest that leaves out what does not apply, and counts the rest."""

from collections.abc import Mapping

import pytest


class Counting:
    """Counts the tests of a suite: passed, failed, and those that do not apply, with the reason."""

    def __init__(self, files: Mapping[str, str], tests: Mapping[str, str]) -> None:
        self._files = files
        self._tests = tests
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.left_out: dict[str, str] = {}

    def pytest_ignore_collect(self, collection_path: object) -> bool | None:
        """Do not even import files of which nothing applies."""
        name = str(collection_path).rpartition("/")[2]
        if name not in self._files:
            return None
        self.left_out[name] = self._files[name]
        return True

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what does not apply."""
        out = [item for item in items if self._reason(item)]
        self.left_out |= {item.nodeid: self._reason(item) for item in out}
        items[:] = [item for item in items if not self._reason(item)]
        config.hook.pytest_deselected(items=out)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test went; one that its own suite skips does not count."""
        if report.skipped and not hasattr(report, "wasxfail"):
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else "its own suite skips it"
            self.left_out[report.nodeid] = f"skipped by its own suite: {str(why).removeprefix('Skipped: ')}"
        elif report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    def _reason(self, item: pytest.Item) -> str:
        return self._tests.get(item.name, "") or self._tests.get(getattr(item, "originalname", ""), "")

    def report(self) -> str:
        """The counts, what failed, and why the others were left out."""
        passed = self.passed - self.failed
        lines = [f"{len(passed)} of {len(passed | self.failed)} that apply passed."]
        lines += [f"  failed: {name}" for name in sorted(self.failed)]
        lines += [f"  left out: {name}: {why}" for name, why in sorted(self.left_out.items())]
        return "\n".join(lines)
