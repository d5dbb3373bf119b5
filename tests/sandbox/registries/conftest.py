"""A cache and registries of its own for each test, and packages that are mounted nowhere."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cloche.sandbox.packages.install_budget import InstallBudget
from cloche.sandbox.packages.package import Package
from cloche.sandbox.registries import http_client, index_cache
from cloche.sandbox.registries.libraries import InstalledLibraries
from tests.sandbox.registries.index_server import Site
from tests.sandbox.registries.makers import ComposerIndex, CpanIndex, CranIndex, GemIndex, NpmIndex, RockIndex

SETTINGS = ("NPM_CONFIG_REGISTRY", "npm_config_registry", "npm_config_prefix")


class Mounted:
    """Stands in for the sandbox: remembers what it was to see."""

    def __init__(self) -> None:
        self.changes: list[list[Package]] = []

    async def mount(self, packages: Sequence[Package]) -> None:
        self.changes.append(list(packages))

    @property
    def places(self) -> dict[str, str]:
        """The version of what lies where."""
        last = self.changes[-1] if self.changes else []
        return {each.at: each.version for each in last if not each.library}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLOCHE_CACHE", str(folder))
    return folder


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """One server, with the registries of all languages in it."""
    monkeypatch.setattr(http_client, "PAUSE", 0.01)
    monkeypatch.setattr(index_cache, "_down", {})
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Site() as served:
        yield served


@pytest.fixture
def npm(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NpmIndex:
    """The only registry that npm knows."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "npmrc").write_text(f"registry={site.address}/\n")
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    monkeypatch.setenv("npm_config_globalconfig", str(tmp_path / "none"))
    return NpmIndex(site)


@pytest.fixture
def gems(site: Site, monkeypatch: pytest.MonkeyPatch) -> GemIndex:
    monkeypatch.setenv("CLOCHE_GEM_URL", site.address)
    return GemIndex(site)


@pytest.fixture
def composer(site: Site, monkeypatch: pytest.MonkeyPatch) -> ComposerIndex:
    monkeypatch.setenv("CLOCHE_COMPOSER_URL", site.address)
    return ComposerIndex(site)


@pytest.fixture
def rocks(site: Site, monkeypatch: pytest.MonkeyPatch) -> RockIndex:
    monkeypatch.setenv("CLOCHE_LUAROCKS_URL", site.address)
    # One list has them all, and tests add to it.
    monkeypatch.setattr(index_cache, "FRESH", 0.0)
    return RockIndex(site)


@pytest.fixture
def cran(site: Site, monkeypatch: pytest.MonkeyPatch) -> CranIndex:
    monkeypatch.setenv("CLOCHE_CRAN_URL", site.address)
    # One list has them all, and tests add to it.
    monkeypatch.setattr(index_cache, "FRESH", 0.0)
    return CranIndex(site)


@pytest.fixture
def cpan(site: Site, monkeypatch: pytest.MonkeyPatch) -> CpanIndex:
    monkeypatch.setenv("CLOCHE_CPAN_URL", site.address)
    # One list has them all, and tests add to it.
    monkeypatch.setattr(index_cache, "FRESH", 0.0)
    return CpanIndex(site)


@pytest.fixture
def mounted() -> Mounted:
    return Mounted()


@pytest.fixture
def libraries(cache: Path, mounted: Mounted) -> InstalledLibraries:
    """The packages of a sandbox that is none."""
    return InstalledLibraries(mounted.mount, InstallBudget())
