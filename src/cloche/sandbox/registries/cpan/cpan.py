"""CPAN: packages for Perl, from any mirror."""

import functools
import gzip
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec
from anyio import to_thread

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.limits import MB
from cloche.sandbox.registries.archive_reader import BROKEN, read_small
from cloche.sandbox.registries.base_address import base_address
from cloche.sandbox.registries.cpan.distribution import read_dist
from cloche.sandbox.registries.cpan.names import ABSENT, CORE, POPULAR, PRAGMAS
from cloche.sandbox.registries.index_cache import CheckContent, IndexCache
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.resolver import Candidate, CandidateSource, PackageNeed, solve_requirements
from cloche.sandbox.registries.spelling import check_spelling
from cloche.sandbox.registries.tool_syntax import ToolSyntax

VARIABLE = "CLOCHE_CPAN_URL"
DEFAULT = "https://www.cpan.org/"
INDEX = "modules/02packages.details.txt.gz"
INDEX_LIMIT = 256 * MB

_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:::|-)\w+)*", re.ASCII)
_DIST = re.compile(
    r"(?P<name>[A-Za-z_][\w+.]*?(?:-[A-Za-z_][\w+.]*)*?)-v?(?P<version>\d[\w.]*)(?:-TRIAL)?\.(?:tar\.gz|tgz|tar\.bz2|zip)"
)


class _File(msgspec.Struct, frozen=True):
    """An archive of the mirror."""

    path: str
    name: str
    version: str


class Cpan(Registry):
    """A mirror of CPAN."""

    language = "perl"
    tools = (
        ToolSyntax("cpan", {"": "install"}),
        ToolSyntax("cpanm", {"": "install"}, valued=frozenset(("-l", "-L", "--mirror", "--local-lib"))),
    )
    popular = POPULAR

    def parse(self, text: str) -> WantedPackage:
        name, _, version = text.strip().partition("@")
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{text[:200]!r} is no module; give a name as in 'Text::CSV'.")
        if version:
            raise ConfigError(
                f"{text[:200]!r}: of a module, the newest version is installed; leave '@{version[:50]}' out."
            )
        return WantedPackage(name.replace("-", "::"), "")

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        base = base_address(VARIABLE, DEFAULT)
        data = await web.ask(base + INDEX)
        if data is None:
            raise PackageNotFound(f"{base} has no {INDEX}: set {VARIABLE} to a mirror of CPAN.")
        index = _Index(await to_thread.run_sync(_unpack_index, data))
        source = _Mirror(base, web, index, self)
        needs = [PackageNeed(name, "", _allow_any) for module in roots if (name := source.demand(module))]
        return [await source.pick(each) for each in await solve_requirements(needs, source, here)]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        dist = read_dist(archive, pick.name, f"{pick.name} {pick.version}")
        if dist.native:
            raise PackageUnsupported(
                f"{pick.name} {pick.version} is native: {dist.native} has to be compiled, and it has no form in pure "
                "Perl. Only modules of pure Perl can be used."
            )
        for name, data in sorted(dist.modules.items()):
            target.writestr(zipfile.ZipInfo(name), data)

    def provider(self, module: str) -> str:
        name = module.removesuffix(".pm").replace("/", "::")
        if not _NAME.fullmatch(name) or name in PRAGMAS:
            raise PackageNotFound(f"{module[:100]!r} is no module that CPAN could bring.")
        return check_spelling(self.popular, name)


class _Index:
    """Which archive contains a module."""

    def __init__(self, text: bytes) -> None:
        self._text = b"\n" + text

    def find(self, module: str) -> str | None:
        """The path of the archive, below authors/id."""
        at = self._text.find(f"\n{module} ".encode())
        if at < 0:
            return None
        words = self._text[at + 1 : at + 2000].partition(b"\n")[0].decode(errors="replace").split()
        return words[2] if len(words) == 3 else None


class _Mirror(CandidateSource):
    def __init__(self, base: str, web: IndexCache, index: _Index, registry: Cpan) -> None:
        self._base = base
        self._web = web
        self._index = index
        self._registry = registry
        self._files: dict[str, _File] = {}

    def demand(self, module: str) -> str | None:
        """The distribution of a module; an error if there is none, None if Perl itself has it."""
        path = self._index.find(module)
        if path is None:
            raise self._registry.unknown(module)
        found = self._take(path)
        if found is None and _dist_name(path) in ABSENT:
            raise PackageUnsupported(
                f"{module} is a part of perl that the sandbox's Perl does not have: it needs sockets, threads, a "
                "compiler or another system."
            )
        if found is None:
            self._web.warnings.append(f"{module} comes with perl: nothing has to be installed")
        return found

    def _take(self, path: str) -> str | None:
        found = _DIST.fullmatch(path.rpartition("/")[2])
        if not found:
            raise PackageDamaged(f"The index names {path[:200]!r}, which is no distribution.")
        if found["name"] in CORE or found["name"] in ABSENT:
            return None
        self._files[found["name"]] = _File(path, found["name"], found["version"])
        return found["name"]

    async def candidates(self, name: str) -> Sequence[Candidate] | None:
        file = self._files.get(name)
        return [Candidate(name, file.version)] if file else None

    async def complete(self, candidate: Candidate) -> Candidate:
        label = f"{candidate.name} {candidate.version}"
        pick = await self.pick(candidate)
        archive = await self._web.fetch(pick.address, pick.checks, base=self._base)
        dist = await to_thread.run_sync(read_dist, archive, candidate.name, label)
        wanted = {name for module in dist.requires if (name := self._needed(module, label))}
        return Candidate(
            candidate.name, candidate.version, tuple(PackageNeed(each, "", _allow_any) for each in sorted(wanted))
        )

    def _needed(self, module: str, label: str) -> str | None:
        path = None if module in PRAGMAS else self._index.find(module)
        if path is None:
            # Older than the index, or Perl's own.
            return None
        return self._take(path)

    async def pick(self, each: Candidate) -> PickedVersion:
        file = self._files[each.name]
        digest = await self._checksum(file.path)
        return PickedVersion(
            name=each.name,
            version=each.version,
            at="",
            address=f"{self._base}authors/id/{quote(file.path)}",
            base=self._base,
            checks=(CheckContent("sha256", digest),) if digest else (),
            identity=file.path,
            requires=tuple(need.name for need in each.needs),
        )

    async def _checksum(self, path: str) -> str:
        """The archive's hash according to the author's folder."""
        folder, _, file = path.rpartition("/")
        data = await self._web.ask(f"{self._base}authors/id/{quote(folder)}/CHECKSUMS")
        if data is None:
            return ""
        block = re.search(rf"'{re.escape(file)}'\s*=>\s*\{{(.*?)\}}", data.decode(errors="replace"), re.DOTALL)
        digest = re.search(r"'sha256'\s*=>\s*'([0-9a-f]{64})'", block[1]) if block else None
        return digest[1] if digest else ""

    def unknown(self, name: str) -> PackageNotFound:
        return self._registry.unknown(name)


def _dist_name(path: str) -> str:
    found = _DIST.fullmatch(path.rpartition("/")[2])
    return found["name"] if found else ""


def _allow_any(_: str) -> bool:
    return True


@functools.lru_cache(maxsize=1)
def _unpack_index(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return read_small(file, INDEX_LIMIT, "The index")
    except (*BROKEN, OSError) as error:
        raise PackageDamaged(f"The index of the mirror cannot be read: {error}.") from None


REGISTRY = Cpan
