"""The installed packages of one sandbox in languages other than Python."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import ConfigError, PackageDamaged, PackageError, PackagesUnreachable
from cloche.limits import REQUIREMENT_LIMIT, RESOLVE_TIMEOUT
from cloche.sandbox.cache.downloads import Report
from cloche.sandbox.packages.install_budget import InstallBudget
from cloche.sandbox.packages.package import InstallReport, Package
from cloche.sandbox.packages.staging import open_stage
from cloche.sandbox.registries.index_cache import IndexCache
from cloche.sandbox.registries.library_store import store_index, store_picks
from cloche.sandbox.registries.lookup import find_registry, is_registered
from cloche.sandbox.registries.registry import Registry

Mount = Callable[[Sequence[Package]], Awaitable[None]]

ADVICE = "The proxies of the environment are used; check the address (docs/packages.md), or try again later."
_AT = re.compile(r"[A-Za-z0-9@_][\w.@+~/-]*")


class LibraryOrder(msgspec.Struct, frozen=True):
    """The options of an installation."""

    upgrade: bool = False
    owner: bool = False
    """Whether the owner of the sandbox asks, whose attempts are not counted."""
    report: Report | None = None


class InstalledLibraries:
    """The installed packages, and how they change; one change at a time."""

    def __init__(self, mount: Mount, budget: InstallBudget) -> None:
        self._mount = mount
        self._budget = budget
        self._packages: dict[str, list[Package]] = {}
        self._roots: dict[str, dict[str, str]] = {}
        self._turn = anyio.Lock()
        self.warnings: list[str] = []
        """Notes of the last installation."""

    @property
    def packages(self) -> list[Package]:
        """Everything that is installed, including generated lists."""
        return [each for found in self._packages.values() for each in found]

    @property
    def roots(self) -> dict[str, str]:
        """The requirements: versions by language and name."""
        return {f"{language}:{name}": spec for language, found in self._roots.items() for name, spec in found.items()}

    def adopt(self, packages: Iterable[Package], roots: Mapping[str, str]) -> None:
        """Take over packages that are mounted already; raises PackageDamaged if they are not valid."""
        for each in packages:
            _check_adopted(each)
            self._packages.setdefault(each.language, []).append(each)
        for key, spec in roots.items():
            language, _, name = key.partition(":")
            if is_registered(language):
                self._roots.setdefault(language, {})[name] = spec

    async def install(self, language: str, names: Iterable[str], order: LibraryOrder) -> InstallReport:
        """Install what is missing, all of it or nothing."""
        registry = await to_thread.run_sync(find_registry, language)
        wanted = dict(registry.parse(each) for each in names)
        if not order.owner:
            self._budget.count_attempt()
            self._budget.check()
        if len(wanted) > REQUIREMENT_LIMIT:
            raise ConfigError(f"{len(wanted)} packages at once are more than {REQUIREMENT_LIMIT}.")
        async with self._turn:
            return await self._install(registry, wanted, order)

    async def provide(self, language: str, module: str, order: LibraryOrder) -> InstallReport:
        """Install the package that provides a module; raises PackageNotFound if none is known."""
        registry = await to_thread.run_sync(find_registry, language)
        return await self.install(language, [registry.provider(module)], order)

    async def uninstall(self, language: str, names: Iterable[str]) -> list[Package]:
        """Remove required packages, and what only they needed; returns what was removed."""
        registry = await to_thread.run_sync(find_registry, language)
        async with self._turn:
            roots = self._roots.get(registry.language, {})
            kept = {name: spec for name, spec in roots.items() if name not in set(names)}
            if len(kept) == len(roots):
                return []
            before = self._packages.get(registry.language, [])
            after = await self._resolve(registry, kept, _list_versions(before), LibraryOrder()) if kept else []
            await self._apply(registry.language, after, kept)
            return [each for each in before if each not in after and not each.library]

    async def _install(self, registry: Registry, wanted: Mapping[str, str], order: LibraryOrder) -> InstallReport:
        before = self._packages.get(registry.language, [])
        roots = {**self._roots.get(registry.language, {})}
        there = {each.name: each.version for each in before}
        # If it is asked for again without a version, the installed one is kept.
        changes = {
            name: spec
            for name, spec in wanted.items()
            if order.upgrade or name not in roots or (spec and roots[name] != spec)
        }
        already = tuple(f"{name} {there[name]}" for name in wanted if name not in changes and name in there)
        if not changes:
            return InstallReport(already=already)
        roots.update(changes)
        here = {
            name: version for name, version in _list_versions(before).items() if not (order.upgrade and name in changes)
        }
        after = await self._resolve(registry, roots, here, order)
        await self._apply(registry.language, after, roots)
        return _compare_packages(before, after, already)

    async def _resolve(
        self, registry: Registry, roots: Mapping[str, str], here: Mapping[str, str], order: LibraryOrder
    ) -> list[Package]:
        try:
            with anyio.fail_after(RESOLVE_TIMEOUT):
                async with open_stage() as stage:
                    web = IndexCache(stage, order.report or (lambda _: None), ADVICE)
                    picks = await registry.resolve(roots, here, web)
                    found = await store_picks(picks, registry, web, self._budget.spend)
                    index = await store_index(registry, found)
        except TimeoutError:
            raise PackagesUnreachable(
                f"Finding and fetching {', '.join(roots)[:200]} took longer than {RESOLVE_TIMEOUT:g} s. {ADVICE}"
            ) from None
        except OSError as error:
            raise PackageError(
                f"Could not keep packages: {error.strerror or error}. Make room, or set CLOCHE_CACHE to another folder."
            ) from error
        self.warnings = web.warnings
        if len(found) + len(self.packages) > 2 * REQUIREMENT_LIMIT:
            raise PackageError(f"{len(found)} packages are more than the {REQUIREMENT_LIMIT} a sandbox may have.")
        return [*sorted(found, key=lambda each: (each.at, each.name)), *index]

    async def _apply(self, language: str, packages: list[Package], roots: dict[str, str]) -> None:
        with anyio.CancelScope(shield=True):
            # Not cancelled: stopped half-way, the state would be unknown. The sandbox's own limit bounds it.
            others = [each for each in self.packages if each.language != language]
            await self._mount([*others, *packages])
            self._packages[language], self._roots[language] = packages, roots


def _list_versions(packages: Sequence[Package]) -> dict[str, str]:
    """The version of each package at the top."""
    return {each.name: each.version for each in reversed(packages) if not each.library}


def _compare_packages(before: Sequence[Package], after: Sequence[Package], already: tuple[str, ...]) -> InstallReport:
    # In some languages all packages share one folder, in others a name may be in several.
    old = {(each.at, each.name): each for each in before if not each.library}
    new = {(each.at, each.name): each for each in after if not each.library}
    named = {each.name: each for each in old.values()}
    added = [each for each in new.values() if each.name not in named]
    changed = [(named[each.name], each) for key, each in new.items() if each.name in named and old.get(key) != each]
    return InstallReport(tuple(added), tuple(changed), already)


def _check_adopted(package: Package) -> None:
    """A saved sandbox may be forged."""
    place = package.at.split("/")
    sound = is_registered(package.language) and place[0] == package.language and _AT.fullmatch(package.at)
    if not sound or any(part in ("", ".", "..") for part in place):
        raise PackageDamaged(f"{package.name[:100]!r} {package.version[:100]!r} is no package.")
