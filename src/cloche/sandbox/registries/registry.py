"""The interface of a package registry."""

import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from cloche.errors import PackageNotFound
from cloche.sandbox.packages.package import Package
from cloche.sandbox.registries.index_cache import CheckContent, IndexCache
from cloche.sandbox.registries.spelling import suggest_name
from cloche.sandbox.registries.tool_syntax import ToolSyntax


class WantedPackage(NamedTuple):
    """A package by name, and which versions of it will do; empty: any."""

    name: str
    versions: str


class PickedVersion(msgspec.Struct, frozen=True):
    """One version that was chosen: where it comes from and where it goes."""

    name: str
    version: str
    at: str
    """Where its files belong, below the folder of its language."""
    address: str
    """Of the archive."""
    base: str
    """The registry that named it."""
    checks: tuple[CheckContent, ...] = ()
    identity: str = ""
    """What distinguishes this archive from all others, where no hash does."""
    requires: tuple[str, ...] = ()
    extra: str = ""
    """What its registry says of it that packing needs to know, as JSON."""
    optional: bool = False
    """Whether it may be left out when it cannot be used here."""


class Registry(ABC):
    """Where the packages of one language come from."""

    language: ClassVar[str]
    tools: ClassVar[tuple[ToolSyntax, ...]] = ()
    """The commands that people know for it; the language's line in catalog.json names them too."""
    popular: ClassVar[frozenset[str]] = frozenset()
    """Packages that many use: a name that is nearly one of them is taken for a misspelling."""

    @abstractmethod
    def parse(self, text: str) -> WantedPackage:
        """Read what a person writes, such as `lodash@4`; ConfigError when it is nothing."""

    @abstractmethod
    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        """Everything that the roots need, each by its name and versions; what is here in a version stays if it can."""

    @abstractmethod
    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        """Check an archive and write what is needed of it; blocks.

        Raises PackageUnsupported when it has native code, PackageDamaged when it is not what it should be.
        """

    @abstractmethod
    def provider(self, module: str) -> str:
        """The package that brings a module, by what code writes to load it; PackageNotFound when none can be."""

    def index(self, packages: Sequence[Package]) -> dict[str, bytes]:
        """Files about all packages together, by name; blocks."""
        return {}

    def without(self, own: frozenset[str], roots: Mapping[str, str], web: IndexCache) -> dict[str, str]:
        """The roots without what the language has itself, which is only mentioned."""
        for name in own.intersection(roots):
            web.warnings.append(f"{name} comes with {self.language}: nothing has to be installed")
        return {name: versions for name, versions in roots.items() if name not in own}

    def unknown(self, name: str) -> PackageNotFound:
        """The error for a name that nobody has."""
        near = suggest_name(self.popular, name)
        mean = f" Did you mean {' or '.join(near)}?" if near else " Check the spelling."
        return PackageNotFound(f"No {self.language} package is called {name[:200]!r} in its registry.{mean}")
