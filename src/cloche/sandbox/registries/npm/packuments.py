"""npm's metadata of a package, and the choice among its versions."""

import base64
import binascii
import re
from urllib.parse import quote

import msgspec

from cloche.errors import PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.sandbox.registries.index_cache import CheckContent, IndexCache
from cloche.sandbox.registries.npm.npmrc import NpmSettings
from cloche.sandbox.registries.npm.semver import VersionRange, parse_range, parse_version

ACCEPT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"
NAME = re.compile(r"(?:@[a-z0-9~][\w.~-]*/)?[a-z0-9~_-][\w.~-]*", re.ASCII | re.IGNORECASE)
OS, CPU = "linux", "wasm32"
"""The platform that packages are chosen for: programs see paths as on Linux, and nothing native."""

SHOWN = 5
"""How many versions an error names."""


class _Dist(msgspec.Struct, frozen=True):
    tarball: str
    integrity: str = ""
    shasum: str = ""


class _Optional(msgspec.Struct, frozen=True):
    optional: bool = False


class Manifest(msgspec.Struct, frozen=True, rename="camel"):
    """One version."""

    name: str
    version: str
    dist: _Dist
    dependencies: dict[str, str] = {}
    optional_dependencies: dict[str, str] = {}
    peer_dependencies: dict[str, str] = {}
    peer_dependencies_meta: dict[str, _Optional] = {}
    bundle_dependencies: list[str] | bool = []
    os: list[str] | str = []
    cpu: list[str] | str = []
    deprecated: str | bool | None = None

    @property
    def checks(self) -> tuple[CheckContent, ...]:
        """The hashes that its archive must have: the strongest known one."""
        found: list[CheckContent] = []
        for each in self.dist.integrity.split():
            algorithm, _, digest = each.partition("-")
            if algorithm in ("sha512", "sha256", "sha1"):
                try:
                    found.append(
                        CheckContent(algorithm, base64.b64decode(digest.partition("?")[0], validate=True).hex())
                    )
                except binascii.Error:
                    continue
        if found:
            return (max(found, key=lambda each: len(each.digest)),)
        return (CheckContent("sha1", self.dist.shasum.lower()),) if self.dist.shasum else ()

    @property
    def misfit(self) -> str:
        """The other machines that it is for, if it is not for ours."""
        system, machine = _as_list(self.os), _as_list(self.cpu)
        fits = _admits_system(system, OS) and _admits_system(machine, CPU)
        return "" if fits else " ".join([*system, *machine])


class _Packument(msgspec.Struct, frozen=True, rename="kebab"):
    name: str
    versions: dict[str, msgspec.Raw] = {}
    dist_tags: dict[str, str] = {}


class KnownPackage:
    """All versions of one package."""

    def __init__(self, data: bytes, base: str) -> None:
        self._all = msgspec.json.decode(data, type=_Packument)
        self.base = base
        self._sorted = sorted(
            ((version, text) for text in self._all.versions if (version := parse_version(text))), reverse=True
        )

    def choose(self, spec: str, preferred: str | None) -> Manifest:
        """The version that npm would choose: the preferred one, the one tagged `latest`, else the newest that fits."""
        tags = self._all.dist_tags
        wanted = parse_range(spec)
        if spec in tags:
            return self.manifest(tags[spec])
        if wanted is None:
            raise PackageNotFound(
                f"{self._all.name} has no version or tag {spec[:100]!r}; tags: {', '.join(tags)[:300]}."
            )
        for text in (preferred, tags.get("latest")):
            version = parse_version(text) if text else None
            if text in self._all.versions and version and wanted.allows(version):
                return self.manifest(text or "")
        return self._newest(wanted, spec)

    def _newest(self, wanted: VersionRange, spec: str) -> Manifest:
        fitting = [text for version, text in self._sorted if wanted.allows(version)]
        if not fitting:
            newest = ", ".join(text for _, text in self._sorted[:SHOWN]) or "none"
            raise PackageNotFound(f"No version of {self._all.name} fits {spec[:100]!r}: the newest are {newest}.")
        # Deprecated versions only if there is nothing else.
        for text in fitting[:SHOWN]:
            manifest = self.manifest(text)
            if not manifest.deprecated:
                return manifest
        return self.manifest(fitting[0])

    def manifest(self, text: str) -> Manifest:
        """The metadata of one version."""
        try:
            found = msgspec.json.decode(self._all.versions[text], type=Manifest)
        except (KeyError, msgspec.ValidationError) as error:
            raise PackageDamaged(f"{self._all.name} {text[:50]}: its registry sent invalid data ({error}).") from None
        if parse_version(found.version) is None or found.version != text:
            raise PackageDamaged(
                f"{self._all.name} {text[:50]} says that it is {found.version[:50]!r}. It was refused."
            )
        return found


class PackumentCatalogue:
    """Asks npm's registries, once for each package."""

    def __init__(self, settings: NpmSettings, web: IndexCache) -> None:
        self._settings = settings
        self._web = web
        self._known: dict[str, KnownPackage | None] = {}

    async def find(self, name: str) -> KnownPackage | None:
        """The metadata of a package; None if there is none with that name."""
        if name not in self._known:
            base = self._settings.registry(name)
            data = await self._web.ask(base + quote(name, safe="@"), accept=ACCEPT)
            try:
                self._known[name] = KnownPackage(data, base) if data is not None else None
            except msgspec.DecodeError as error:
                raise PackageDamaged(f"What the registry says of {name} cannot be read: {error}.") from None
        return self._known[name]


def read_spec(name: str, spec: str) -> tuple[str, str]:
    """The package and the versions of a dependency; an alias means the package it names."""
    if spec.startswith("npm:"):
        real, at, versions = spec[4:].rpartition("@")
        name, spec = (real, versions) if at and real else (spec[4:], "")
    if not NAME.fullmatch(name) or len(name) > 214:
        raise PackageNotFound(f"{name[:200]!r} is no name of an npm package.")
    if ":" in spec or "/" in spec:
        raise PackageUnsupported(
            f"{name} is wanted from {spec[:200]!r}: packages come from the registry only, not from addresses or git."
        )
    return name, spec


def _as_list(value: list[str] | str) -> list[str]:
    return [value] if isinstance(value, str) else value


def _admits_system(listed: list[str], ours: str) -> bool:
    if f"!{ours}" in listed:
        return False
    named = [each for each in listed if not each.startswith("!")]
    return not named or ours in named or "any" in named
