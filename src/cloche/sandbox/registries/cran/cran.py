"""CRAN as webR builds it: packages for R."""

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound
from cloche.sandbox.languages import languages
from cloche.sandbox.registries.archive_reader import copy_entry, open_tar, remove_top
from cloche.sandbox.registries.base_address import base_address
from cloche.sandbox.registries.cran.names import BASE, POPULAR
from cloche.sandbox.registries.index_cache import CheckContent, IndexCache
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.resolver import Candidate, CandidateSource, PackageNeed, solve_requirements
from cloche.sandbox.registries.spelling import check_spelling

VARIABLE = "CLOCHE_CRAN_URL"
DEFAULT = "https://repo.r-wasm.org/"
FIELDS = ("Depends", "Imports", "LinkingTo")
"""Fields with the packages that a package needs."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.]*")
_VERSION = re.compile(r"\d+(?:[.-]\d+)*")
_NEED = re.compile(r"\s*([A-Za-z][A-Za-z0-9.]*)\s*(?:\(\s*(>=|<=|>|<|==|!=)\s*([\d.-]+)\s*\))?\s*")
_WASM = b"\0asm"


class Cran(Registry):
    """webR's repository, or a compatible one."""

    language = "r"
    popular = POPULAR

    def parse(self, text: str) -> WantedPackage:
        name, _, version = text.strip().partition("@")
        if not _NAME.fullmatch(name) or (version and not _VERSION.fullmatch(version)):
            raise ConfigError(f"{text[:200]!r} is no R package; give a name as in 'dplyr'.")
        return WantedPackage(name, version)

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        series = ".".join(languages()["r"].version.split(".")[:2])
        base = base_address(VARIABLE, DEFAULT)
        wanted = self.without(BASE, roots, web)
        folder = f"{base}bin/emscripten/contrib/{series}/"
        needs = [_make_need(name, "==" if version else "", version) for name, version in wanted.items()]
        data = await web.ask(f"{folder}PACKAGES")
        if data is None:
            raise PackageNotFound(
                f"{folder} has no list of packages: set {VARIABLE} to a repository for webR {series}."
            )
        found = await solve_requirements(needs, _Packages(data.decode(errors="replace"), self), here)
        return [_pick_version(each, folder, base) for each in found]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        label = f"{pick.name} {pick.version}"
        described = False
        with open_tar(archive, label) as entries:
            for path, contents in entries:
                name = remove_top(path)
                if path.partition("/")[0] != pick.name or not name:
                    raise PackageDamaged(
                        f"{label}: {path[:200]!r} lies outside of the package's folder. It was refused."
                    )
                described |= name == "DESCRIPTION"
                if name.endswith(".so"):
                    head = contents.read(4)
                    if head != _WASM:
                        raise PackageDamaged(f"{label}: {name} is no WebAssembly module. It was refused.")
                    with target.open(zipfile.ZipInfo(name), "w") as writer:
                        writer.write(head)
                        while piece := contents.read(1 << 20):
                            writer.write(piece)
                else:
                    copy_entry(contents, target, name)
        if not described:
            raise PackageDamaged(f"{label} has no DESCRIPTION. It was refused.")

    def provider(self, module: str) -> str:
        if not _NAME.fullmatch(module) or module in BASE:
            raise PackageNotFound(f"{module[:100]!r} is no package that could be installed.")
        return check_spelling(self.popular, module)


class _Packages(CandidateSource):
    """The list of a repository: a block of fields for each package."""

    def __init__(self, text: str, registry: Cran) -> None:
        self._text = "\n\n" + text.replace("\r\n", "\n") + "\n\n"
        self._registry = registry

    async def candidates(self, name: str) -> Sequence[Candidate] | None:
        found: list[Candidate] = []
        at = -1
        while (at := self._text.find(f"\nPackage: {name}\n", at + 1)) >= 0:
            start, end = self._text.rfind("\n\n", 0, at + 1) + 2, self._text.find("\n\n", at + 1)
            fields = _parse_fields(self._text[start:end])
            if _VERSION.fullmatch(fields.get("Version", "")):
                found.append(Candidate(name, fields["Version"], _list_needs(name, fields), fields.get("MD5sum", "")))
        return sorted(found, key=lambda each: _version_key(each.version), reverse=True) or None

    def unknown(self, name: str) -> PackageNotFound:
        error = self._registry.unknown(name)
        return PackageNotFound(f"{error} Only what was built for webR can be installed.")


def _parse_fields(block: str) -> dict[str, str]:
    whole = re.sub(r"\n[ \t]+", " ", block)
    return {name: value.strip() for name, colon, value in (line.partition(":") for line in whole.split("\n")) if colon}


def _list_needs(owner: str, fields: Mapping[str, str]) -> tuple[PackageNeed, ...]:
    needs: dict[str, PackageNeed] = {}
    for text in ",".join(fields.get(each, "") for each in FIELDS).split(","):
        found = _NEED.fullmatch(text)
        if found and found[1] not in BASE and found[1] != owner:
            needs.setdefault(found[1], _make_need(found[1], found[2] or "", found[3] or ""))
    return tuple(needs.values())


def _make_need(name: str, sign: str, version: str) -> PackageNeed:
    return PackageNeed(name, f"{sign} {version}".strip(), lambda text: _meets_bound(text, sign, version))


def _meets_bound(text: str, sign: str, version: str) -> bool:
    one, other = _version_key(text), _version_key(version)
    checks = {">=": one >= other, "<=": one <= other, ">": one > other, "<": one < other, "!=": one != other}
    return checks.get(sign, one == other if sign else True)


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _pick_version(each: Candidate, folder: str, base: str) -> PickedVersion:
    digest = str(each.data or "").lower()
    return PickedVersion(
        name=each.name,
        version=each.version,
        at=each.name,
        address=f"{folder}{quote(each.name)}_{quote(each.version)}.tgz",
        base=base,
        checks=(CheckContent("md5", digest),) if digest else (),
        identity=f"{folder} {each.name} {each.version}",
        requires=tuple(f"{need.name} {need.text}".strip() for need in each.needs),
    )


REGISTRY = Cran
