"""Finds one version of each package that meets all requirements; on a conflict, backtracks to its cause."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from cloche.errors import PackageConflict, PackageError, PackageNotFound, PackageUnsupported
from cloche.limits import REQUIREMENT_LIMIT
from cloche.sandbox.registries.index_cache import run_together

STEPS = 5000
"""How many versions are tried before the search is abandoned."""

SHOWN = 5
"""How many versions an error names."""


class PackageNeed(msgspec.Struct, frozen=True):
    """A package that is needed, and in which versions."""

    name: str
    text: str
    """The versions, as a person would write them."""
    allows: Callable[[str], bool]


class Candidate(msgspec.Struct, frozen=True):
    """One version that could be chosen."""

    name: str
    version: str
    needs: tuple[PackageNeed, ...] = ()
    data: object = None
    """Data that the registry needs later."""


class CandidateSource(ABC):
    """The source of candidates."""

    @abstractmethod
    async def candidates(self, name: str) -> Sequence[Candidate] | None:
        """Every usable version, best first; None if there is no such package."""

    async def complete(self, candidate: Candidate) -> Candidate:
        """The candidate with all that it needs, if finding that out costs something."""
        return candidate

    def hindrance(self, name: str) -> str:
        """Why no version of a package can be used here, if there is a reason."""
        return ""

    @abstractmethod
    def unknown(self, name: str) -> PackageNotFound:
        """The error for an unknown name."""


class _Level(msgspec.Struct):
    name: str
    options: Iterator[Candidate]
    blamed: set[str]
    """The packages that made options fail so far."""


async def solve_requirements(
    roots: Sequence[PackageNeed], source: CandidateSource, here: Mapping[str, str]
) -> list[Candidate]:
    """A version of everything that is needed; installed versions stay if they can."""
    return await _Search(roots, source, here).run()


class _Search:
    def __init__(self, roots: Sequence[PackageNeed], source: CandidateSource, here: Mapping[str, str]) -> None:
        self._roots = roots
        self._source = source
        self._here = here
        self._chosen: dict[str, Candidate] = {}
        self._levels: list[_Level] = []
        self._known: dict[str, Sequence[Candidate] | None] = {}
        self._trouble: PackageError | None = None

    async def run(self) -> list[Candidate]:
        for _ in range(STEPS):
            name = next(self._missing(), None)
            if name is None:
                return list(self._chosen.values())
            if len(self._chosen) >= REQUIREMENT_LIMIT:
                raise PackageError(f"These are more than {REQUIREMENT_LIMIT} packages: that is too much.")
            await run_together({each for each in self._missing() if each not in self._known}, self._learn)
            self._levels.append(_Level(name, iter(await self._options(name)), self._needing(name)))
            await self._advance()
        raise PackageConflict("No set of versions was found that goes together: there are too many to try.")

    def _needs(self) -> Iterator[tuple[str, PackageNeed]]:
        for need in self._roots:
            yield "", need
        for each in self._chosen.values():
            for need in each.needs:
                yield each.name, need

    def _missing(self) -> Iterator[str]:
        return (need.name for _, need in self._needs() if need.name not in self._chosen)

    def _needing(self, name: str) -> set[str]:
        return {by for by, need in self._needs() if need.name == name}

    async def _learn(self, name: str) -> Sequence[Candidate] | None:
        if name not in self._known:
            self._known[name] = await self._source.candidates(name)
        return self._known[name]

    async def _options(self, name: str) -> list[Candidate]:
        known = await self._learn(name)
        if known is None:
            self._trouble = self._trouble or self._absent(name)
            return []
        needs = [need for _, need in self._needs() if need.name == name]
        fitting = [each for each in known if all(need.allows(each.version) for need in needs)]
        if not fitting:
            self._trouble = self._trouble or self._unfit(name, known)
        return sorted(fitting, key=lambda each: each.version != self._here.get(name))

    async def _advance(self) -> None:
        """Take the next option of the latest level; if there is none, go back to the latest level with a conflict."""
        while self._levels:
            level = self._levels[-1]
            option = await self._next(level)
            if option is not None:
                self._chosen[level.name] = option
                return
            self._levels.pop()
            while self._levels and self._levels[-1].name not in level.blamed:
                self._chosen.pop(self._levels.pop().name, None)
            if self._levels:
                culprit = self._levels[-1]
                culprit.blamed |= level.blamed - {culprit.name}
                self._chosen.pop(culprit.name, None)
        raise self._trouble or PackageConflict("These packages do not go together.")

    async def _next(self, level: _Level) -> Candidate | None:
        for option in level.options:
            whole = await self._source.complete(option)
            if self._fits(whole, level.blamed):
                return whole
        return None

    def _fits(self, option: Candidate, blamed: set[str]) -> bool:
        """Whether everything that is chosen is compatible with an option."""
        fits = True
        for need in option.needs:
            other = self._chosen.get(need.name)
            if other is not None and not need.allows(other.version):
                blamed.add(need.name)
                blamed |= self._needing(need.name)
                fits = False
                if self._trouble is None:
                    self._trouble = PackageConflict(
                        f"{option.name} {option.version} needs {need.name} {need.text}, and {other.version} was "
                        f"chosen{self._reasons(need.name)}."
                    )
        return fits

    def _absent(self, name: str) -> PackageError:
        needers = sorted(self._needing(name) - {""})
        error = self._source.unknown(name)
        return error if not needers else PackageNotFound(f"{needers[0]} needs {name!r}: {error}")

    def _unfit(self, name: str, known: Sequence[Candidate]) -> PackageError:
        if why := self._source.hindrance(name) if not known else "":
            return PackageUnsupported(f"No version of {name} can be used here: {why}{self._reasons(name)}.")
        newest = ", ".join(each.version for each in known[:SHOWN]) or "none"
        needs = [need for _, need in self._needs() if need.name == name]
        if len(needs) > 1 and all(any(need.allows(each.version) for each in known) for need in needs):
            return PackageConflict(f"No version of {name} is right for all{self._reasons(name)}; there are {newest}.")
        return PackageNotFound(
            f"No version of {name} fits {needs[0].text or 'at all'}{self._reasons(name)}; there are {newest}."
        )

    def _reasons(self, name: str) -> str:
        reasons = [f"{by or 'you'} asked for {need.text or 'any'}" for by, need in self._needs() if need.name == name]
        return f" ({'; '.join(reasons[:SHOWN])})" if reasons else ""
