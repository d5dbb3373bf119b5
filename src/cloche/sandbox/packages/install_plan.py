"""Plans an installation: what a sandbox has, what it needs, what it will have. `package_broker` finds the packages."""

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from cloche.errors import ConfigError, PackageConflict, PackageDamaged, PackageError, PackageNotFound
from cloche.sandbox.cache.downloads import Report
from cloche.sandbox.packages.blobs import Spend
from cloche.sandbox.packages.host_pip.resolver import PipQuery, pin_versions
from cloche.sandbox.packages.host_pip.stub_wheels import StubWheel
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.package_broker import FoundPackages, find_packages
from cloche.sandbox.packages.pyodide_lock import PyodideLock
from cloche.sandbox.packages.requirements import ListedRequirement


class InstallOrder(msgspec.Struct):
    """The options of an installation."""

    upgrade: bool = False
    """Whether installed packages may be upgraded."""
    pre: bool = False
    """Whether pre-releases count."""
    constraints: list[str] = []
    hashes: dict[str, set[str]] = {}
    """SHA-256 of the files that may be used for a package."""
    owner: bool = False
    """Whether the owner of the sandbox asks: only owners may name an address, and their attempts are not counted."""

    def add(self, listed: ListedRequirement) -> None:
        """Add what a requirements file says besides its requirements."""
        self.constraints += listed.constraints
        self.hashes |= listed.hashes
        self.pre |= listed.pre


class InstallPlan:
    """What is installed, what is asked for, and the result."""

    def __init__(
        self, lock: PyodideLock, order: InstallOrder, packages: dict[str, Package], roots: dict[str, str]
    ) -> None:
        self.lock = lock
        self.order = order
        self.packages = packages
        self.roots = roots
        self.base: tuple[StubWheel, ...] = ()
        self.wanted: dict[str, str] = {}
        self.already: list[str] = []

    def ask(self, requirement: Requirement) -> None:
        """Add a requirement, unless it is met or not for this Python."""
        if requirement.url and not self.order.owner:
            raise ConfigError(
                f"{str(requirement)[:200]!r}: packages come by name, or as a wheel in the sandbox, not by address."
            )
        if requirement.marker and not requirement.marker.evaluate(dict(self.lock.target.environment)):
            return
        requirement.marker = None
        name = canonicalize_name(requirement.name)
        if not self.order.upgrade and (version := self._met(requirement)):
            self.already.append(f"{name} {version}")
            self.roots.setdefault(name, str(requirement))
        else:
            self.wanted[name] = str(requirement)

    def offer(self, package: Package) -> None:
        """Add a package that was given as a file."""
        if self.packages.get(package.name) == package:
            self.already.append(f"{package.name} {package.version}")
            return
        self.packages[package.name] = package
        self.wanted[package.name] = f"{package.name}=={package.version}"

    async def resolve(self, report: Report, spend: Spend) -> None:
        """Find what is missing: first with everything that is installed as it is, then with all of it free."""
        roots = self.roots | self.wanted
        free = self.wanted if self.order.upgrade else {}
        here = tuple(
            StubWheel(each.name, each.version, each.requires) for each in self.packages.values() if not each.library
        )
        here += tuple(stub for stub in self.base if stub.name not in self.packages)
        kept = tuple(stub for stub in here if stub.name not in free)
        query = PipQuery(
            tuple(sorted(roots.values())), (*sorted(self.order.constraints), *pin_versions(kept)), here, self.order.pre
        )
        try:
            self._take(await self._find(query, kept, report, spend))
        except PackageError as error:
            error.source = error.source and self._allowed_source(error.source)
            raise

    async def _find(self, query: PipQuery, kept: tuple[StubWheel, ...], report: Report, spend: Spend) -> FoundPackages:
        try:
            return await find_packages(query, self.lock, report, spend)
        except PackageError as error:
            if not kept or not _may_be_conflict(error):
                raise
            query = msgspec.structs.replace(query, constraints=tuple(sorted(self.order.constraints)))
            return await find_packages(query, self.lock, report, spend)

    def _allowed_source(self, source: str) -> str | None:
        """What may be built instead of a wheel: what the constraints allow, and nothing if hashes are named."""
        requirement = Requirement(source)
        name = canonicalize_name(requirement.name)
        if self.order.hashes.get(name):
            return None
        for each in map(Requirement, self.order.constraints):
            if canonicalize_name(each.name) == name:
                requirement.specifier &= each.specifier
        return str(requirement)

    def _take(self, answer: FoundPackages) -> None:
        for each in answer.packages:
            allowed = self.order.hashes.get(each.name)
            if allowed and each.blob.name.partition("-")[0] not in allowed:
                raise PackageDamaged(f"{each.name} {each.version} does not have a hash that the requirements name.")
            self.packages[each.name] = each
        for name, text in self.wanted.items():
            package = self.packages.get(name)
            # An address is fetched once; afterwards the package is installed.
            self.roots[name] = f"{name}=={package.version}" if package and " @ " in text else text

    def _met(self, requirement: Requirement) -> str | None:
        """The version that meets a requirement, extras included."""
        name = canonicalize_name(requirement.name)
        there = {stub.name: stub.version for stub in self.base} | {
            each.name: each.version for each in self.packages.values()
        }
        version = there.get(name)
        if requirement.url or not version or not requirement.specifier.contains(version, prereleases=True):
            return None
        return version if self._whole(name, frozenset(requirement.extras), there, set()) else None

    def _whole(self, name: str, extras: frozenset[str], there: dict[str, str], seen: set[str]) -> bool:
        """Whether everything that a package needs is installed."""
        seen.add(name)
        package = self.packages.get(name)
        for text in package.requires if package else ():
            needed = self._needed(text, extras)
            if needed is None:
                continue
            other = canonicalize_name(needed.name)
            version = there.get(other)
            if version is None or not needed.specifier.contains(version, prereleases=True):
                return False
            if other not in seen and not self._whole(other, frozenset(needed.extras), there, seen):
                return False
        return True

    def _needed(self, text: str, extras: frozenset[str]) -> Requirement | None:
        try:
            needed = Requirement(text)
        except InvalidRequirement:
            return None
        if needed.marker is None:
            return needed
        environments = [{**self.lock.target.environment, "extra": extra} for extra in ("", *extras)]
        return needed if any(needed.marker.evaluate(each) for each in environments) else None


def _may_be_conflict(error: PackageError) -> bool:
    """Whether the installed packages may be the reason."""
    return isinstance(error, PackageConflict | PackageNotFound)
