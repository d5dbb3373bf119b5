"""A package, and the result of an installation."""

from pathlib import Path

import msgspec


class Package(msgspec.Struct, frozen=True):
    """One package in a sandbox."""

    name: str
    """Normalised for Python: lower case, words joined by dashes."""
    version: str
    blob: Path
    """A zip file of its files, stored without compression."""
    imports: tuple[str, ...] = ()
    """The modules it contains."""
    native: bool = False
    """Whether it has WebAssembly modules."""
    requires: tuple[str, ...] = ()
    """Its requirements, as its author wrote them."""
    library: bool = False
    """Whether it is there only for other packages: a shared library, or a list of what they provide."""
    language: str = "python"
    at: str = ""
    """Where its files are, relative to the folder of all packages."""


class InstallReport(msgspec.Struct, frozen=True):
    """What an installation did."""

    added: tuple[Package, ...] = ()
    changed: tuple[tuple[Package, Package], ...] = ()
    """What was installed in another version: before, now."""
    already: tuple[str, ...] = ()
    """The requirements that were met already, each with the version that meets it: `rich 15.0.0`."""

    @property
    def packages(self) -> list[Package]:
        """What is new, in alphabetical order; without shared libraries."""
        new = [*self.added, *(now for _, now in self.changed)]
        return sorted((each for each in new if not each.library), key=lambda each: each.name)
