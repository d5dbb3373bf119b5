"""RubyGems: packages for Ruby."""

import functools
import gzip
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.limits import MB
from cloche.sandbox.languages import languages
from cloche.sandbox.registries.archive_reader import BROKEN, add_entry, copy_entry, open_tar, read_small, read_tar
from cloche.sandbox.registries.base_address import base_address
from cloche.sandbox.registries.gem.names import DEFAULT_GEMS, POPULAR, STANDARD
from cloche.sandbox.registries.gem.versions import Requirement, compare_versions, is_version
from cloche.sandbox.registries.index_cache import CheckContent, IndexCache
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.resolver import Candidate, CandidateSource, PackageNeed, solve_requirements
from cloche.sandbox.registries.spelling import check_spelling
from cloche.sandbox.registries.tool_syntax import ToolSyntax

VARIABLE = "CLOCHE_GEM_URL"
DEFAULT = "https://rubygems.org/"
METADATA_LIMIT = 4 * MB

_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,100}", re.ASCII)
_KEYS = ("extensions", "require_paths", "executables", "bindir")
_KEY = re.compile(r"([a-z_]+):(.*)$")
_ITEM = re.compile(r"\s*-\s+(.+)$")
_GEMS = {
    "active_support": "activesupport",
    "active_model": "activemodel",
    "concurrent": "concurrent-ruby",
    "zip": "rubyzip",
}
"""Gems whose name differs from what they provide."""


class _Release(msgspec.Struct, frozen=True):
    sha256: str


class Gem(Registry):
    """RubyGems, or a compatible server."""

    language = "ruby"
    tools = (
        ToolSyntax(
            "gem",
            {"install": "install", "i": "install", "update": "upgrade", "uninstall": "remove", "list": "list"},
            valued=frozenset(("-i", "--install-dir", "--source", "-s", "--platform", "-P")),
            version=frozenset(("-v", "--version")),
            joint=":",
        ),
    )
    popular = POPULAR

    def parse(self, text: str) -> WantedPackage:
        name, _, versions = text.strip().partition(":")
        if "@" in name:
            name, _, versions = text.strip().partition("@")
        try:
            Requirement(_split_versions(versions))
        except ValueError:
            raise ConfigError(
                f"{versions[:100]!r} names no versions of {name[:100]}: give '~> 3.1' or '1.2.3'."
            ) from None
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{text[:200]!r} is no gem; give a name as in 'rainbow' or 'rainbow:~> 3.1'.")
        return WantedPackage(name, versions)

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        base = base_address(VARIABLE, DEFAULT)
        wanted = self.without(DEFAULT_GEMS, roots, web)
        needs = [_make_need(name, Requirement(_split_versions(versions))) for name, versions in wanted.items()]
        found = await solve_requirements(needs, _Index(base, web, self), here)
        return [_pick_version(each, base) for each in found]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        label = f"{pick.name} {pick.version}"
        about: dict[str, list[str]] | None = None
        packed = False
        with open_tar(archive, label) as entries:
            for name, contents in entries:
                if name == "metadata.gz":
                    about = _read_metadata(read_small(contents, METADATA_LIMIT, f"{label}: metadata.gz"), label)
                elif name == "data.tar.gz":
                    packed = True
                    for path, data in read_tar(contents, label, packed="gz"):
                        copy_entry(data, target, path)
        if about is None or not packed:
            raise PackageDamaged(f"{label} is no gem: it has no metadata or no data. It was refused.")
        if about["extensions"]:
            raise PackageUnsupported(
                f"{label} is native: it builds {about['extensions'][0][:100]} when it is installed. Only gems of pure "
                "Ruby can be used."
            )
        paths = about["require_paths"] or ["lib"]
        known = {
            "name": pick.name,
            "version": pick.version,
            "require_paths": paths,
            "executables": about["executables"],
        }
        add_entry(target, "cloche.json", json.dumps({**known, "bindir": (about["bindir"] or ["bin"])[0]}).encode())

    def provider(self, module: str) -> str:
        first, _, rest = module.partition("/")
        if not _NAME.fullmatch(first) or module in STANDARD:
            raise PackageNotFound(f"{module[:100]!r} is nothing that a gem could bring.")
        dashed = f"{first}-{rest.partition('/')[0]}"
        name = _GEMS.get(first) or (dashed if dashed in self.popular else first)
        return check_spelling(self.popular, name)


class _Index(CandidateSource):
    def __init__(self, base: str, web: IndexCache, registry: Gem) -> None:
        self._base = base
        self._web = web
        self._registry = registry
        self._ruby = languages()["ruby"].version + ".0"

    async def candidates(self, name: str) -> Sequence[Candidate] | None:
        data = await self._web.ask(f"{self._base}info/{quote(name)}")
        if data is None:
            return None
        found: dict[str, Candidate] = {}
        for line in data.decode(errors="replace").splitlines():
            if line.strip() in ("", "---") or line.startswith("created_at"):
                continue
            candidate = self._read(name, line)
            if candidate is not None:
                found[candidate.version] = candidate
        return sorted(found.values(), key=functools.cmp_to_key(lambda a, b: compare_versions(b.version, a.version)))

    def unknown(self, name: str) -> PackageNotFound:
        return self._registry.unknown(name)

    def _read(self, name: str, line: str) -> Candidate | None:
        """One line is one version; those for other machines, or for another Ruby, are skipped."""
        version, _, rest = line.partition(" ")
        needs, _, conditions = rest.partition("|")
        known = dict(_split_pair(each) for each in conditions.split(",") if ":" in each)
        if version.startswith("-") or not is_version(version) or "-" in version:
            return None
        try:
            if not Requirement(known.get("ruby", ">= 0").split("&")).allows(self._ruby):
                return None
            wanted = [_split_pair(each) for each in needs.split(",") if ":" in each]
            # Gems of Ruby itself are available in the version that it has.
            needed = [_make_need(one, Requirement(text.split("&"))) for one, text in wanted if one not in DEFAULT_GEMS]
        except ValueError:
            return None
        return Candidate(name, version, tuple(needed), _Release(known.get("checksum", "").lower()))


def _split_versions(versions: str) -> list[str]:
    return [each for each in versions.split(",") if each.strip()] or [">= 0"]


def _make_need(name: str, requirement: Requirement) -> PackageNeed:
    return PackageNeed(name, requirement.text, requirement.allows)


def _split_pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition(":")
    return name.strip(), value.strip()


def _pick_version(each: Candidate, base: str) -> PickedVersion:
    digest = each.data.sha256 if isinstance(each.data, _Release) else ""
    full = f"{each.name}-{each.version}"
    return PickedVersion(
        name=each.name,
        version=each.version,
        at=full,
        address=f"{base}gems/{quote(full)}.gem",
        base=base,
        checks=(CheckContent("sha256", digest),) if digest else (),
        requires=tuple(f"{need.name}:{need.text}" for need in each.needs),
    )


def _read_metadata(data: bytes, label: str) -> dict[str, list[str]]:
    """The few lists and strings of a gem's metadata that matter; it is YAML, as RubyGems writes it."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = read_small(file, METADATA_LIMIT, f"{label}: its metadata").decode(errors="replace")
    except (*BROKEN, OSError) as error:
        raise PackageDamaged(f"{label}: its metadata cannot be read: {error}. It was refused.") from None
    found: dict[str, list[str]] = {key: [] for key in _KEYS}
    current: list[str] | None = None
    for line in text.splitlines():
        key = _KEY.match(line)
        if key:
            current = found.get(key[1])
            if current is not None:
                current += _read_words(key[2])
        elif current is not None and (item := _ITEM.match(line)):
            current.append(_strip_quotes(item[1]))
    return found


def _read_words(text: str) -> list[str]:
    inner = text.strip().removeprefix("[").removesuffix("]")
    return [_strip_quotes(each) for each in inner.split(",") if each.strip()]


def _strip_quotes(text: str) -> str:
    return text.strip().strip("\"'")


REGISTRY = Gem
