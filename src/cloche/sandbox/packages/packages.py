"""The packages of one sandbox."""

import zipfile
from collections.abc import Iterable, Sequence
from email.message import Message
from pathlib import Path, PurePath

import anyio
import msgspec
from anyio import to_thread
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from cloche.errors import ConfigError, PackageConflict, PackageDamaged, PackageError, PackageNotFound
from cloche.limits import MB, PACKAGES_LIMIT, REQUIREMENTS
from cloche.sandbox.downloads import Report
from cloche.sandbox.packages.blobs import read_metadata
from cloche.sandbox.packages.broker import Answer, find
from cloche.sandbox.packages.entrance import Mount, ReadFile
from cloche.sandbox.packages.imports import find_package
from cloche.sandbox.packages.local import read_host, read_local
from cloche.sandbox.packages.lock import Lock, load_lock
from cloche.sandbox.packages.package import Installed, Package
from cloche.sandbox.packages.requirements import Listed, is_file, parse, read_requirements
from cloche.sandbox.packages.resolving import Query, pins
from cloche.sandbox.packages.stubs import Stub, base_stubs


class Order(msgspec.Struct):
    """How to install, besides what."""

    upgrade: bool = False
    """Whether what is named may become newer."""
    pre: bool = False
    """Whether versions before their release count."""
    constraints: list[str] = []
    hashes: dict[str, set[str]] = {}
    """SHA-256 of the files that may be used for a package."""
    guest: bool = False
    """Whether the code in the sandbox asks: it gets packages by name, and no address is opened for it."""

    def add(self, listed: Listed) -> None:
        """Take over what a file says besides its requirements."""
        self.constraints += listed.constraints
        self.hashes |= listed.hashes
        self.pre |= listed.pre


class Packages:
    """What is installed in one sandbox, and how that changes; one change at a time."""

    def __init__(self, mount: Mount, read_file: ReadFile) -> None:
        self._mount = mount
        self.read_file = read_file
        self._packages: dict[str, Package] = {}
        self._roots: dict[str, str] = {}
        self._turn = anyio.Lock()
        self._spent: dict[Path, int] = {}

    @property
    def packages(self) -> list[Package]:
        """Everything that is installed, shared libraries too."""
        return list(self._packages.values())

    async def install(
        self,
        requirements: Iterable[str | PurePath],
        order: Order | None = None,
        *,
        upgrade: bool = False,
        report: Report | None = None,
    ) -> Installed:
        """Install what is not there yet; text that ends in .whl is a path in the sandbox, a Path one of the host.

        A Path that does not end in .whl is a file of requirements.
        """
        async with self._turn:
            return await self._apply(await self._plan(list(requirements), order or Order(upgrade=upgrade), report))

    async def missing(self, requirements: Iterable[str]) -> list[str]:
        """Those of the requirements that are not met."""
        plan = await self._open_plan(Order())
        for each in requirements:
            plan.ask(parse(each))
        return list(plan.wanted)

    async def uninstall(self, names: Iterable[str]) -> list[Package]:
        """Remove packages, and give those that were there."""
        async with self._turn:
            names = {canonicalize_name(name) for name in names}
            gone = [each for each in self._packages.values() if each.name in names]
            with anyio.CancelScope(shield=True):
                if gone:
                    await self._mount([each for each in self._packages.values() if each.name not in names])
                for each in gone:
                    del self._packages[each.name]
                    self._roots.pop(each.name, None)
        return gone

    async def list(self) -> list[tuple[str, str]]:
        """Name and version of every package, those included that the sandbox comes with."""
        there = {stub.name: stub.version for stub in await to_thread.run_sync(base_stubs)}
        there |= {each.name: each.version for each in self._packages.values() if not each.library}
        return sorted(there.items())

    async def show(self, name: str) -> tuple[Package, Message] | None:
        """An installed package and what its author says of it."""
        package = self._packages.get(canonicalize_name(name))
        if package is None or package.library:
            return None
        return package, await to_thread.run_sync(_read_metadata, package.blob)

    async def provide(self, module: str, *, report: Report | None = None) -> Installed:
        """Install the package that brings a module; PackageNotFound if none is known to."""
        lock = await to_thread.run_sync(load_lock)
        name = find_package(module, lock)
        async with self._turn:
            plan = await self._plan([name], Order(guest=True), report)
            if not any(module in each.imports for each in plan.packages.values()):
                raise PackageNotFound(
                    f"The package {name!r} has no module {module!r}; install the right one by its name."
                )
            return await self._apply(plan)

    async def _plan(self, wanted: "Sequence[str | PurePath]", order: Order, report: Report | None) -> "_Plan":
        if len(wanted) > REQUIREMENTS:
            raise ConfigError(f"{len(wanted)} requirements are more than {REQUIREMENTS}.")
        plan = await self._open_plan(order)
        for each in wanted:
            if isinstance(each, PurePath) and each.suffix != ".whl":
                listed = await read_requirements(each.as_posix(), read_host)
                order.add(listed)
                for inner in listed.requirements:
                    await self._take(PurePath(inner) if is_file(inner) else inner, plan)
            else:
                await self._take(each, plan)
        if plan.wanted:
            await plan.resolve(report or (lambda _: None))
        return plan

    async def _take(self, wanted: str | PurePath, plan: "_Plan") -> None:
        if isinstance(wanted, PurePath) or is_file(wanted):
            plan.offer(await read_local(wanted, self.read_file, plan.lock, guest=plan.order.guest))
        else:
            plan.ask(parse(wanted))

    async def _open_plan(self, order: Order) -> "_Plan":
        plan = _Plan(await to_thread.run_sync(load_lock), order, dict(self._packages), dict(self._roots))
        plan.base = await to_thread.run_sync(base_stubs)
        return plan

    async def _apply(self, plan: "_Plan") -> Installed:
        await to_thread.run_sync(self._account, plan.packages)
        before, after = self._packages, plan.packages
        done = Installed(
            tuple(each for name, each in after.items() if name not in before),
            tuple((before[name], now) for name, now in after.items() if name in before and before[name] != now),
            tuple(plan.already),
        )
        with anyio.CancelScope(shield=True):
            # Bounded by the sandbox; stopped half-way, nobody would know what is there.
            if done.added or done.changed:
                await self._mount(list(after.values()))
            self._packages, self._roots = after, plan.roots
        return done

    def _account(self, packages: dict[str, Package]) -> None:
        if len(packages) > REQUIREMENTS:
            raise PackageError(f"{len(packages)} packages are more than the {REQUIREMENTS} a sandbox may have.")
        spent = self._spent | {each.blob: each.blob.stat().st_size for each in packages.values()}
        if sum(spent.values()) > PACKAGES_LIMIT:
            raise PackageError(f"A sandbox may install {PACKAGES_LIMIT // MB} MB of packages; this would be more.")
        self._spent = spent


class _Plan:
    """How the packages of a sandbox would be after an installation."""

    def __init__(self, lock: Lock, order: Order, packages: dict[str, Package], roots: dict[str, str]) -> None:
        self.lock = lock
        self.order = order
        self.packages = packages
        self.roots = roots
        self.base: tuple[Stub, ...] = ()
        self.wanted: dict[str, str] = {}
        self.already: list[str] = []

    def ask(self, requirement: Requirement) -> None:
        """Take up a requirement, unless it is met or not for this Python."""
        if self.order.guest and requirement.url:
            raise ConfigError(f"{str(requirement)!r}: from inside, packages come by name or as a file, not by address.")
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
        """Take up a package that was given as a file."""
        if self.packages.get(package.name) == package:
            self.already.append(f"{package.name} {package.version}")
            return
        self.packages[package.name] = package
        self.wanted[package.name] = f"{package.name}=={package.version}"

    async def resolve(self, report: Report) -> None:
        """Find what is missing; first with everything that is there as it is, then with all of it anew."""
        roots = self.roots | self.wanted
        free = self.wanted if self.order.upgrade else {}
        here = tuple(
            Stub(each.name, each.version, each.requires) for each in self.packages.values() if not each.library
        )
        here += tuple(stub for stub in self.base if stub.name not in self.packages)
        kept = tuple(stub for stub in here if stub.name not in free)
        query = Query(
            tuple(sorted(roots.values())), (*sorted(self.order.constraints), *pins(kept)), here, self.order.pre
        )
        try:
            answer = await find(query, self.lock, report)
        except PackageError as error:
            if not kept or not _hindered(error):
                raise
            query = msgspec.structs.replace(query, constraints=tuple(sorted(self.order.constraints)))
            answer = await find(query, self.lock, report)
        self._take(answer)

    def _take(self, answer: Answer) -> None:
        for each in answer.packages:
            allowed = self.order.hashes.get(each.name)
            if allowed and each.blob.name.partition("-")[0] not in allowed:
                raise PackageDamaged(f"{each.name} {each.version} does not have a hash that the requirements name.")
            self.packages[each.name] = each
        for name, text in self.wanted.items():
            package = self.packages.get(name)
            # An address is fetched once; afterwards the package is here.
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
        package = self.packages.get(name)
        for extra in requirement.extras if package else ():
            for text in package.requires if package else ():
                if not self._extra_met(text, extra, there):
                    return None
        return version

    def _extra_met(self, text: str, extra: str, there: dict[str, str]) -> bool:
        try:
            needed = Requirement(text)
        except InvalidRequirement:
            return True
        if not needed.marker or "extra" not in str(needed.marker):
            return True
        if not needed.marker.evaluate({**self.lock.target.environment, "extra": extra}):
            return True
        version = there.get(canonicalize_name(needed.name))
        return version is not None and needed.specifier.contains(version, prereleases=True)


def _hindered(error: PackageError) -> bool:
    """Whether what is there may be the reason."""
    return isinstance(error, PackageConflict | PackageNotFound)


def _read_metadata(blob: Path) -> Message:
    with zipfile.ZipFile(blob) as archive:
        return read_metadata(archive)
