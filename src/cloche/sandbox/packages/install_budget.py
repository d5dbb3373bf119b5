"""How much one sandbox may install over its life, in all languages."""

from pathlib import Path

from cloche.errors import PackageError
from cloche.limits import MB, PACKAGES_LIMIT
from cloche.sandbox.packages.package import Package

ATTEMPTS = 1000
"""The most installations that the code in one sandbox may ask for."""


class InstallBudget:
    """Counts attempts and bytes; raises PackageError if it is too much."""

    def __init__(self) -> None:
        self._spent: dict[Path, int] = {}
        self._asked = 0

    def count_attempt(self) -> None:
        """Count a request of the code in the sandbox."""
        self._asked += 1
        if self._asked > ATTEMPTS:
            raise PackageError(f"This sandbox has asked for packages {ATTEMPTS} times; that is all it may.")

    def count(self, package: Package) -> None:
        """Count a package that is stored; blocks."""
        self.spend(package.blob, package.blob.stat().st_size)

    def spend(self, blob: Path, size: int) -> None:
        """Count what was stored, whether it is used or not; one blob counts once."""
        self._spent[blob] = size
        self.check()

    def check(self) -> None:
        """Raise if nothing is left."""
        if sum(self._spent.values()) > PACKAGES_LIMIT:
            raise PackageError(f"A sandbox may install {PACKAGES_LIMIT // MB} MB of packages; this would be more.")
