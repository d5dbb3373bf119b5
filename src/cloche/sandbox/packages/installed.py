"""The installed packages of one sandbox, and how they change: each change is an `install_plan`."""

import posixpath
import zipfile
from collections.abc import Iterable, Sequence
from email.message import Message
from pathlib import Path, PurePath

import anyio
from anyio import to_thread
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cloche.errors import ConfigError, PackageDamaged, PackageError, PackageNotFound
from cloche.limits import REQUIREMENT_LIMIT
from cloche.sandbox.cache.downloads import Report
from cloche.sandbox.packages.blobs import read_metadata
from cloche.sandbox.packages.host_pip.sources import fetch_source
from cloche.sandbox.packages.host_pip.stub_wheels import list_base_stubs
from cloche.sandbox.packages.import_names import find_package
from cloche.sandbox.packages.install_budget import InstallBudget
from cloche.sandbox.packages.install_plan import InstallOrder, InstallPlan
from cloche.sandbox.packages.installer import Mount, ReadFile, WriteFile
from cloche.sandbox.packages.local_wheels import (
    check_adopted,
    check_requires,
    check_root,
    read_host_file,
    store_local_wheel,
)
from cloche.sandbox.packages.package import InstallReport, Package
from cloche.sandbox.packages.pyodide_lock import load_lock
from cloche.sandbox.packages.requirements import is_file, parse_requirement, read_requirements
from cloche.sandbox.packages.staging import open_stage
from cloche.sandbox.packages.wheels import BROKEN, check_directory


class InstalledPackages:
    """The installed packages of one sandbox; one change at a time."""

    def __init__(
        self,
        mount: Mount,
        read_file: ReadFile,
        budget: InstallBudget | None = None,
        *,
        write_file: WriteFile | None = None,
    ) -> None:
        self._mount = mount
        self._budget = budget or InstallBudget()
        self.read_file = read_file
        self._write_file = write_file
        self._packages: dict[str, Package] = {}
        self._roots: dict[str, str] = {}
        self._turn = anyio.Lock()

    @property
    def packages(self) -> list[Package]:
        """Everything that is installed, including shared libraries."""
        return list(self._packages.values())

    @property
    def roots(self) -> dict[str, str]:
        """The requirements, by name."""
        return dict(self._roots)

    def adopt(self, packages: Iterable[Package], roots: dict[str, str]) -> None:
        """Take over packages that are mounted already; raises PackageDamaged if they are not valid."""
        self._packages = {each.name: check_adopted(each) for each in packages}
        self._roots = {name: check_root(name, text) for name, text in roots.items()}

    async def install(
        self,
        requirements: Iterable[str | PurePath],
        order: InstallOrder | None = None,
        *,
        upgrade: bool = False,
        report: Report | None = None,
    ) -> InstallReport:
        """Install what is missing; a string that ends in .whl is a path in the sandbox, a Path is one of the host.

        A Path that does not end in .whl is a file of requirements.
        """
        async with self._turn:
            return await self._apply(
                await self._plan(list(requirements), order or InstallOrder(upgrade=upgrade), report)
            )

    async def missing(self, requirements: Iterable[str]) -> list[str]:
        """The requirements that are not met."""
        plan = await self._open_plan(InstallOrder())
        for each in requirements:
            await to_thread.run_sync(plan.ask, parse_requirement(each))
        return list(plan.wanted)

    async def uninstall(self, names: Iterable[str]) -> list[Package]:
        """Remove packages; returns those that were installed."""
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
        """Name and version of every package, including those that every sandbox has."""
        there = {stub.name: stub.version for stub in await to_thread.run_sync(list_base_stubs)}
        there |= {each.name: each.version for each in self._packages.values() if not each.library}
        return sorted(there.items())

    async def show(self, name: str) -> tuple[Package, Message] | None:
        """An installed package and its metadata."""
        package = self._packages.get(canonicalize_name(name))
        if package is None or package.library:
            return None
        return package, await to_thread.run_sync(_read_metadata, package.blob)

    async def provide(self, module: str, *, report: Report | None = None) -> InstallReport:
        """Install the package that provides a module; raises PackageNotFound if none is known."""
        self._budget.count_attempt()
        name = await self.package_of(module)
        async with self._turn:
            plan = await self._plan([name], InstallOrder(), report)
            if not any(module in each.imports for each in plan.packages.values()):
                raise PackageNotFound(
                    f"The package {name!r} has no module {module!r}; install the right one by its name."
                )
            return await self._apply(plan)

    async def package_of(self, module: str) -> str:
        """The package that provides a module; raises PackageNotFound if none is known."""
        return await to_thread.run_sync(find_package, module, await to_thread.run_sync(load_lock))

    async def fetch_source(self, requirement: Requirement, folder: str) -> str:
        """Fetch the source archive of a package into a folder of the sandbox; returns its path there."""
        if requirement.url or self._write_file is None:
            raise ConfigError(f"{str(requirement)[:200]!r}: sources are fetched by name.")
        self._budget.count_attempt()
        async with open_stage() as stage:
            archive = await fetch_source(requirement, await to_thread.run_sync(load_lock), stage)
            data = await to_thread.run_sync(archive.read_bytes)
            self._budget.spend(Path(archive.name), len(data))
            path = posixpath.join(folder, archive.name)
            await self._write_file(path, data)
        return path

    async def _plan(
        self, wanted: "Sequence[str | PurePath]", order: InstallOrder, report: Report | None
    ) -> InstallPlan:
        if not order.owner:
            self._budget.count_attempt()
            self._budget.check()
        if len(wanted) > REQUIREMENT_LIMIT:
            raise ConfigError(f"{len(wanted)} requirements are more than {REQUIREMENT_LIMIT}.")
        plan = await self._open_plan(order)
        for each in wanted:
            if isinstance(each, PurePath) and each.suffix != ".whl":
                listed = await read_requirements(each.as_posix(), read_host_file)
                order.add(listed)
                for inner in listed.requirements:
                    await self._take(PurePath(inner) if is_file(inner) else inner, plan)
            else:
                await self._take(each, plan)
        if plan.wanted:
            await plan.resolve(report or (lambda _: None), self._budget.spend)
        return plan

    async def _take(self, wanted: str | PurePath, plan: InstallPlan) -> None:
        if isinstance(wanted, PurePath) or is_file(wanted):
            package = await store_local_wheel(wanted, self.read_file, plan.lock)
            await to_thread.run_sync(self._budget.count, package)
            check_requires(package, wanted)
            plan.offer(package)
        else:
            # A hostile package may have thousands of requirements.
            await to_thread.run_sync(plan.ask, parse_requirement(wanted))

    async def _open_plan(self, order: InstallOrder) -> InstallPlan:
        plan = InstallPlan(await to_thread.run_sync(load_lock), order, dict(self._packages), dict(self._roots))
        plan.base = await to_thread.run_sync(list_base_stubs)
        return plan

    async def _apply(self, plan: InstallPlan) -> InstallReport:
        await to_thread.run_sync(self._account, plan.packages)
        before, after = self._packages, plan.packages
        done = InstallReport(
            tuple(each for name, each in after.items() if name not in before),
            tuple((before[name], now) for name, now in after.items() if name in before and before[name] != now),
            tuple(plan.already),
        )
        with anyio.CancelScope(shield=True):
            # Not cancelled: stopped half-way, the state would be unknown. The sandbox's own limit bounds it.
            if done.added or done.changed:
                await self._mount(list(after.values()))
            self._packages, self._roots = after, plan.roots
        return done

    def _account(self, packages: dict[str, Package]) -> None:
        if len(packages) > REQUIREMENT_LIMIT:
            raise PackageError(f"{len(packages)} packages are more than the {REQUIREMENT_LIMIT} a sandbox may have.")
        for each in packages.values():
            self._budget.count(each)


def _read_metadata(blob: Path) -> Message:
    # A package of a saved sandbox may be forged.
    check_directory(blob)
    try:
        with zipfile.ZipFile(blob) as archive:
            return read_metadata(archive)
    except BROKEN as error:
        raise PackageDamaged(f"The package cannot be read: {error}.") from None
