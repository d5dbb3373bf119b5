"""A sandbox's access to its packages, for its owner and the code in it; `installed` is loaded on first use."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import anyio
from anyio import CancelScope, to_thread

from cloche.errors import ConfigError, PackageError
from cloche.sandbox.cache.downloads import Report
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.packages.guest_pip.guest_errors import describing_for_guest
from cloche.sandbox.packages.install_budget import InstallBudget
from cloche.sandbox.packages.package import Package
from cloche.sandbox.process.host_requests import Answerer, HostRequest

if TYPE_CHECKING:
    from cloche.sandbox.packages.installed import InstalledPackages
    from cloche.sandbox.registries.libraries import InstalledLibraries

Mount = Callable[[Sequence[Package]], Awaitable[None]]
"""Makes exactly these packages visible in the sandbox."""

ReadFile = Callable[[str, int], Awaitable[bytes]]
"""Reads a file of the sandbox; a file with more bytes than this is refused."""

WriteFile = Callable[[str, bytes], Awaitable[None]]
"""Writes a file of the sandbox."""

PYTHON = "python"

OFF = "installing packages from inside is switched off for this sandbox (allow_install=False)"


class Installer:
    """The packages of one sandbox, for its owner and for the code in it."""

    def __init__(self, mount: Mount, files: Callable[[], GuestFiles], *, allowed: bool, automatic: bool) -> None:
        self._mount = mount
        self._files = files
        self._allowed = allowed
        self._automatic = automatic
        self._budget = InstallBudget()
        self._packages: InstalledPackages | None = None
        self._libraries: InstalledLibraries | None = None
        self._mounting = anyio.Lock()
        self._waiting: tuple[str | PurePath, ...] = ()
        self._answering: set[CancelScope] = set()

    @property
    def installed(self) -> list[Package]:
        """What is installed, without shared libraries."""
        return [each for each in self.everything[0] if not each.library]

    @property
    def answerers(self) -> dict[str, Answerer]:
        """What answers requests of the guest, by kind."""
        return dict.fromkeys(("pip", "provide", "install", "registry"), self._answer)

    @property
    def everything(self) -> tuple[list[Package], dict[str, str]]:
        """All that is installed, and the requirements, by name."""
        parts = [each for each in (self._packages, self._libraries) if each is not None]
        return [one for each in parts for one in each.packages], {k: v for each in parts for k, v in each.roots.items()}

    async def adopt(self, packages: list[Package], roots: dict[str, str]) -> None:
        """Take over packages that are mounted already."""
        # Names of Python packages have no colon.
        own = {name: spec for name, spec in roots.items() if ":" not in name}
        if python := [each for each in packages if each.language == PYTHON]:
            (await self._open()).adopt(python, own)
        if others := [each for each in packages if each.language != PYTHON]:
            rest = {name: spec for name, spec in roots.items() if ":" in name}
            (await self._open_libraries()).adopt(others, rest)

    def plan(self, requirements: Iterable[str | PurePath]) -> None:
        """Plan to install these before the sandbox starts."""
        if isinstance(requirements, str):
            raise ConfigError(f"packages={requirements!r} is one text: give a list of requirements")
        self._waiting = tuple(requirements)

    async def prepare(self, report: Report | None) -> None:
        """Install what was planned."""
        if self._waiting:
            await self.install(self._waiting, owner=True, report=report)
            self._waiting = ()

    async def install(
        self,
        requirements: Iterable[str | PurePath],
        *,
        language: str = PYTHON,
        upgrade: bool = False,
        owner: bool = False,
        report: Report | None = None,
    ) -> list[Package]:
        """Install, and return what is new; requirements that the owner did not write have the rights of code inside."""
        if not owner and not self._allowed:
            raise PackageError(OFF)
        # No call is running: a request that is still open was left behind by one, and is not waited for.
        for scope in self._answering:
            scope.cancel()
        try:
            return await self._install(list(requirements), language, upgrade=upgrade, owner=owner, report=report)
        except (PackageError, ConfigError, OSError) as error:
            if owner:
                raise
            raise describing_for_guest(error) from None

    async def _install(
        self, names: list[str | PurePath], language: str, *, upgrade: bool, owner: bool, report: Report | None
    ) -> list[Package]:
        if language == PYTHON:
            packages = await self._open()
            from cloche.sandbox.packages.install_plan import InstallOrder  # noqa: PLC0415 - loaded above, in a thread

            return (await packages.install(names, InstallOrder(upgrade, owner=owner), report=report)).packages
        libraries = await self._open_libraries()
        from cloche.sandbox.registries.libraries import LibraryOrder as Choice  # noqa: PLC0415 - as above

        if bad := next((each for each in names if not isinstance(each, str)), None):
            raise ConfigError(f"{bad} is a file: packages of {language} are installed by name.")
        choice = Choice(upgrade=upgrade, owner=owner, report=report)
        return (await libraries.install(language, map(str, names), choice)).packages

    async def _open(self) -> "InstalledPackages":
        made = await to_thread.run_sync(self._make)
        self._packages = self._packages or made
        return self._packages

    def _make(self) -> "InstalledPackages":
        # Most sandboxes install nothing, and this import takes 30 ms.
        from cloche.sandbox.packages.installed import InstalledPackages  # noqa: PLC0415

        mount = partial(self._mount_part, True)
        return InstalledPackages(mount, self._read_file, self._budget, write_file=self._write_file)

    async def _open_libraries(self) -> "InstalledLibraries":
        made = await to_thread.run_sync(self._make_libraries)
        self._libraries = self._libraries or made
        return self._libraries

    def _make_libraries(self) -> "InstalledLibraries":
        from cloche.sandbox.registries.libraries import InstalledLibraries  # noqa: PLC0415 - as above

        return InstalledLibraries(partial(self._mount_part, False), self._budget)

    async def _mount_part(self, python: bool, packages: Sequence[Package]) -> None:
        """Set the packages of Python, or of the other languages; all of them are mounted together."""
        async with self._mounting:
            kept = [each for each in self.everything[0] if (each.language == PYTHON) is not python]
            await self._mount([*packages, *kept])

    async def _read_file(self, path: str, limit: int) -> bytes:
        return await to_thread.run_sync(partial(self._files().read, path, limit=limit))

    async def _write_file(self, path: str, data: bytes) -> None:
        await to_thread.run_sync(self._files().write, path, data)

    async def _answer(self, ask: HostRequest) -> None:
        with CancelScope() as scope:
            self._answering.add(scope)
            try:
                await self._answer_one(ask)
            finally:
                self._answering.discard(scope)
        if scope.cancelled_caught:
            raise PackageError("The installation was stopped: the owner of the sandbox installs packages.")

    async def _answer_one(self, ask: HostRequest) -> None:
        rules = {"allowed": self._allowed, "automatic": self._automatic}
        language = ask.content.get("language", PYTHON)
        if ask.content["kind"] != "registry" and language == PYTHON:
            packages = await self._open()
            await (await to_thread.run_sync(_load_answers))(ask, packages, **rules)
        else:
            libraries = await self._open_libraries()
            await (await to_thread.run_sync(_load_replies))(ask, libraries, **rules)


def _load_answers() -> "Callable[..., Awaitable[None]]":
    from cloche.sandbox.packages.guest_pip.package_requests import answer_package_request  # noqa: PLC0415 - as above

    return answer_package_request


def _load_replies() -> "Callable[..., Awaitable[None]]":
    from cloche.sandbox.registries.library_requests import answer_library_request  # noqa: PLC0415 - as above

    return answer_library_request
