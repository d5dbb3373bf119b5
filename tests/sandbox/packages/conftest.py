"""A cache, an index and a distribution of its own for each test, and packages that are mounted nowhere."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cloche.sandbox.packages import blobs
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.package import Package
from tests.sandbox.packages.wheel_index import WheelIndex, write_lock


class Mounted:
    """Stands in for the sandbox: remembers what it was to see, and reads files of a folder."""

    def __init__(self) -> None:
        self.changes: list[list[Package]] = []
        self.files: dict[str, bytes] = {}

    async def mount(self, packages: Sequence[Package]) -> None:
        self.changes.append(list(packages))

    async def read(self, path: str, limit: int) -> bytes:
        if len(self.files.get(path, b"")) > limit:
            raise OSError(27, "File too large", path)
        if path not in self.files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return self.files[path]

    @property
    def names(self) -> list[str]:
        """What the sandbox sees now."""
        return sorted(f"{each.name} {each.version}" for each in self.changes[-1]) if self.changes else []


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLOCHE_CACHE", str(folder))
    return folder


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelIndex]:
    """The only index that pip knows."""
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    with WheelIndex(tmp_path / "index") as index:
        monkeypatch.setenv("PIP_INDEX_URL", f"{index.address}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield index


@pytest.fixture
def distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelIndex]:
    """The Pyodide distribution, at first empty."""
    with WheelIndex(tmp_path / "distribution") as index:
        monkeypatch.setenv("CLOCHE_PYODIDE_URL", f"{index.address}/files/")
        monkeypatch.setenv("CLOCHE_PYODIDE_LOCK", str(tmp_path / "lock.json"))
        write_lock(tmp_path / "lock.json", {})
        yield index


@pytest.fixture
def mounted() -> Mounted:
    return Mounted()


async def leave_plain(_: Sequence[Path]) -> None:
    """Stands in for the compiler, which needs the whole engine."""


@pytest.fixture
def plain_blobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blobs without bytecode."""
    monkeypatch.setattr(blobs, "compile_blobs", leave_plain)


@pytest.fixture
def packages(
    plain_blobs: None, cache: Path, index: WheelIndex, distribution: WheelIndex, mounted: Mounted
) -> InstalledPackages:
    """The packages of a sandbox that is none."""
    return InstalledPackages(mounted.mount, mounted.read)
