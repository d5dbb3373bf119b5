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
    """A package by name, and a version range; empty means any."""

    name: str
    versions: str


class PickedVersion(msgspec.Struct, frozen=True):
    """One chosen version: where it comes from and where it goes."""

    name: str
    version: str
    at: str
    """Where its files go, relative to the folder of its language."""
    address: str
    """Of the archive."""
    base: str
    """The registry that named it."""
    checks: tuple[CheckContent, ...] = ()
    identity: str = ""
    """What distinguishes this archive from all others, if there is no hash."""
    requires: tuple[str, ...] = ()
    extra: str = ""
    """Metadata that packing needs, as JSON."""
    optional: bool = False
    """Whether it may be left out if it cannot be used here."""


class Registry(ABC):
    """A registry of the packages of one language."""

    language: ClassVar[str]
    tools: ClassVar[tuple[ToolSyntax, ...]] = ()
    """Its usual commands; the language's line in catalog.json names them too."""
    popular: ClassVar[frozenset[str]] = frozenset()
    """Popular packages: a name that is nearly one of them counts as a misspelling."""

    @abstractmethod
    def parse(self, text: str) -> WantedPackage:
        """Parse what a person writes, such as `lodash@4`; raises ConfigError if it is not valid."""

    @abstractmethod
    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        """Everything that the roots need, each by its name and versions; installed versions stay if they can."""

    @abstractmethod
    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        """Check an archive and write what is needed of it; blocks.

        Raises PackageUnsupported when it has native code, PackageDamaged when it is not what it should be.
        """

    @abstractmethod
    def provider(self, module: str) -> str:
        """The package that provides a module, by the name in the code; raises PackageNotFound if there is none."""

    def index(self, packages: Sequence[Package]) -> dict[str, bytes]:
        """Files about all packages together, by name; blocks."""
        return {}

    def without(self, own: frozenset[str], roots: Mapping[str, str], web: IndexCache) -> dict[str, str]:
        """The roots without those that the language itself has; these are only mentioned."""
        for name in own.intersection(roots):
            web.warnings.append(f"{name} comes with {self.language}: nothing has to be installed")
        return {name: versions for name, versions in roots.items() if name not in own}

    def unknown(self, name: str) -> PackageNotFound:
        """The error for an unknown name."""
        near = suggest_name(self.popular, name)
        mean = f" Did you mean {' or '.join(near)}?" if near else " Check the spelling."
        return PackageNotFound(f"No {self.language} package is called {name[:200]!r} in its registry.{mean}")
