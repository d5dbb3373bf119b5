"""The way of a sandbox to its packages; what installing takes is loaded when it is first needed."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from anyio import CancelScope, to_thread

from cloche.errors import ConfigError, PackageError
from cloche.sandbox.asks import Answerer, Ask
from cloche.sandbox.downloads import Report
from cloche.sandbox.files.folders import Folders
from cloche.sandbox.packages.package import Package

if TYPE_CHECKING:
    from cloche.sandbox.packages.packages import Packages

Mount = Callable[[Sequence[Package]], Awaitable[None]]
"""Lets the sandbox see exactly these packages."""

ReadFile = Callable[[str, int], Awaitable[bytes]]
"""Reads a file of the sandbox; one of more bytes than this is refused."""


class Entrance:
    """The packages of one sandbox, for its owner and for the code in it."""

    def __init__(self, mount: Mount, files: Callable[[], Folders], *, allowed: bool, automatic: bool) -> None:
        self._mount = mount
        self._files = files
        self._allowed = allowed
        self._automatic = automatic
        self._packages: Packages | None = None
        self._waiting: tuple[str | PurePath, ...] = ()
        self._answering: set[CancelScope] = set()

    @property
    def installed(self) -> list[Package]:
        """What is installed, shared libraries left out."""
        return [each for each in self._packages.packages if not each.library] if self._packages else []

    @property
    def answerers(self) -> dict[str, Answerer]:
        """What answers the questions of the guest."""
        return {"pip": self._answer, "provide": self._answer}

    @property
    def everything(self) -> tuple[list[Package], dict[str, str]]:
        """All that is installed, and what was asked for, by name."""
        return (self._packages.packages, self._packages.roots) if self._packages else ([], {})

    async def adopt(self, packages: list[Package], roots: dict[str, str]) -> None:
        """Take over packages that are mounted already."""
        if packages:
            (await self._open()).adopt(packages, roots)

    def plan(self, requirements: Iterable[str | PurePath]) -> None:
        """Have these installed before the sandbox starts."""
        if isinstance(requirements, str):
            raise ConfigError(f"packages={requirements!r} is one text: give a list of requirements")
        self._waiting = tuple(requirements)

    async def prepare(self, report: Report | None) -> None:
        """Install what was planned."""
        if self._waiting:
            await self.install(self._waiting, report=report)
            self._waiting = ()

    async def install(
        self, requirements: Iterable[str | PurePath], *, upgrade: bool = False, report: Report | None = None
    ) -> list[Package]:
        """Install, and give what is new."""
        packages = await self._open()
        # No call is running: whoever still asks was left behind by one, and must not be waited for.
        for scope in self._answering:
            scope.cancel()
        return (await packages.install(requirements, upgrade=upgrade, report=report)).packages

    async def _open(self) -> "Packages":
        made = await to_thread.run_sync(self._make)
        self._packages = self._packages or made
        return self._packages

    def _make(self) -> "Packages":
        # Most sandboxes install nothing, and should not pay for the 30 ms that this takes.
        from cloche.sandbox.packages.packages import Packages  # noqa: PLC0415

        return Packages(self._mount, self._read_file)

    async def _read_file(self, path: str, limit: int) -> bytes:
        return await to_thread.run_sync(partial(self._files().read, path, limit=limit))

    async def _answer(self, ask: Ask) -> None:
        packages = await self._open()
        answer = await to_thread.run_sync(_load_answers)
        with CancelScope() as scope:
            self._answering.add(scope)
            try:
                await answer(ask, packages, allowed=self._allowed, automatic=self._automatic)
            finally:
                self._answering.discard(scope)
        if scope.cancelled_caught:
            raise PackageError("The installation was stopped: the owner of the sandbox installs packages.")


def _load_answers() -> "Callable[..., Awaitable[None]]":
    from cloche.sandbox.packages.answers import answer  # noqa: PLC0415 - as above

    return answer
