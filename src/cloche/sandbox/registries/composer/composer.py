"""Composer: packages for PHP, from Packagist."""

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound
from cloche.sandbox.languages import languages
from cloche.sandbox.packages.package import Package
from cloche.sandbox.registries.archive_reader import (
    Entry,
    add_entry,
    copy_entry,
    is_zip,
    open_tar,
    open_zip,
    remove_top,
)
from cloche.sandbox.registries.base_address import base_address
from cloche.sandbox.registries.composer.autoload import Autoload, find_classes, merge_autoload
from cloche.sandbox.registries.composer.names import EXTENSIONS, POPULAR
from cloche.sandbox.registries.composer.versions import Constraint, parse_version
from cloche.sandbox.registries.index_cache import CheckContent, IndexCache
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.resolver import Candidate, CandidateSource, PackageNeed, solve_requirements
from cloche.sandbox.registries.spelling import check_spelling
from cloche.sandbox.registries.tool_syntax import ToolSyntax

VARIABLE = "CLOCHE_COMPOSER_URL"
DEFAULT = "https://repo.packagist.org/"
UNSET = "__unset"
ABOUT = "cloche.json"

_NAME = re.compile(r"[a-z0-9](?:[_.-]?[a-z0-9]+)*/[a-z0-9](?:[_.-]{0,2}[a-z0-9]+)*")
_PLATFORM = re.compile(r"php(-64bit|-ipv6|-zts|-debug)?|hhvm|composer(-plugin-api|-runtime-api)?|(ext|lib)-.+")


_CLASSES = {
    "Brick\\Math\\": "brick/math",
    "Carbon\\": "nesbot/carbon",
    "Dotenv\\": "vlucas/phpdotenv",
    "Faker\\": "fakerphp/faker",
    "GuzzleHttp\\": "guzzlehttp/guzzle",
    "League\\CommonMark\\": "league/commonmark",
    "League\\Csv\\": "league/csv",
    "Monolog\\": "monolog/monolog",
    "Mustache": "mustache/mustache",
    "Parsedown": "erusev/parsedown",
    "PhpParser\\": "nikic/php-parser",
    "Psr\\Log\\": "psr/log",
    "Ramsey\\Uuid\\": "ramsey/uuid",
    "Twig\\": "twig/twig",
    "Webmozart\\Assert\\": "webmozart/assert",
}
"""Packages by the prefix of their classes' names."""


class _Dist(msgspec.Struct, frozen=True):
    url: str = ""
    reference: str | None = None
    shasum: str | None = None


class _Entry(msgspec.Struct, frozen=True):
    version: str
    require: dict[str, str] | list[Any] = {}
    dist: _Dist | None = None
    type: str = "library"
    autoload: dict[str, Any] | list[Any] = {}


class Composer(Registry):
    """Packagist, or a compatible repository."""

    language = "php"
    tools = (
        ToolSyntax(
            "composer",
            {"require": "install", "update": "upgrade", "remove": "remove", "show": "list"},
            valued=frozenset(("-d", "--working-dir")),
            joint=":",
        ),
    )
    popular = POPULAR

    def parse(self, text: str) -> WantedPackage:
        name, _, versions = re.sub(r"[:@]", " ", text.strip(), count=1).partition(" ")
        versions = versions.strip().strip("\"'")
        if not _NAME.fullmatch(name.lower()):
            raise ConfigError(f"{text[:200]!r} is no package; give vendor and name, as in 'monolog/monolog:^3'.")
        try:
            Constraint(versions)
        except ValueError:
            raise ConfigError(f"{versions[:100]!r} names no versions of {name}: give '^3.1' or '1.2.*'.") from None
        return WantedPackage(name.lower(), versions)

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        base = base_address(VARIABLE, DEFAULT)
        needs = [_make_need(name, versions) for name, versions in roots.items()]
        found = await solve_requirements(needs, _Index(base, web, self), here)
        return [
            _pick_version(each, each.data, base) for each in found if isinstance(each.data, _Entry) and each.data.dist
        ]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        label = f"{pick.name} {pick.version}"
        autoload = Autoload.read(json.loads(pick.extra or "{}"))
        found: dict[str, str] = {}
        opened = open_zip if is_zip(archive) else open_tar
        with opened(archive, label) as entries:
            for name, contents in _strip_top(entries):
                if name == ABOUT:
                    continue
                if name.endswith((".php", ".inc")) and autoload.scans(name):
                    data = contents.read()
                    for each in find_classes(data.decode(errors="replace")):
                        found[each] = name
                    add_entry(target, name, data)
                else:
                    copy_entry(contents, target, name)
        add_entry(target, ABOUT, json.dumps(autoload.described(found)).encode())

    def index(self, packages: Sequence[Package]) -> dict[str, bytes]:
        described = {each.name: _read_description(each) for each in packages}
        return {"autoload.json": json.dumps(merge_autoload(packages, described), indent=1).encode()} if packages else {}

    def provider(self, module: str) -> str:
        name = _package_of(module) or module.lower()
        if not _NAME.fullmatch(name):
            raise PackageNotFound(f"Which package brings {module[:100]!r} is not known: require it as vendor/name.")
        return check_spelling(self.popular, name)


class _Index(CandidateSource):
    def __init__(self, base: str, web: IndexCache, registry: Composer) -> None:
        self._base = base
        self._web = web
        self._registry = registry
        self._php = f"{languages()['php'].version}.99"
        self._hindered: dict[str, str] = {}

    async def candidates(self, name: str) -> Sequence[Candidate] | None:
        data = await self._web.ask(f"{self._base}p2/{quote(name)}.json")
        if data is None:
            # A virtual package, which others provide under many names.
            return [Candidate(name, "1.0")] if name.endswith("-implementation") else None
        found = [each for entry in _read_versions(name, data) if (each := self._candidate(name, entry)) is not None]
        return sorted(found, key=lambda each: parse_version(each.version) or ((),), reverse=True)

    def hindrance(self, name: str) -> str:
        return self._hindered.get(name, "")

    def unknown(self, name: str) -> PackageNotFound:
        return self._registry.unknown(name)

    def _candidate(self, name: str, entry: _Entry) -> Candidate | None:
        if parse_version(entry.version) is None:
            return None
        wanted = entry.require if isinstance(entry.require, dict) else {}
        try:
            for platform, versions in wanted.items():
                if why := self._misses(platform, versions):
                    self._hindered.setdefault(name, f"{entry.version} needs {why}")
                    return None
            needs = [_make_need(one, versions) for one, versions in wanted.items() if not _PLATFORM.fullmatch(one)]
        except ValueError:
            return None
        return Candidate(name, entry.version, tuple(needs), entry)

    def _misses(self, platform: str, versions: str) -> str:
        if platform in ("php", "php-64bit") and not Constraint(versions).allows(self._php):
            return f"PHP {versions}"
        if platform.startswith("ext-") and platform[4:].lower().replace("_", "-") not in EXTENSIONS:
            return f"the extension {platform[4:]}"
        return ""


def _read_versions(name: str, data: bytes) -> list[_Entry]:
    """The versions of a package: each entry contains only its differences to the one before."""
    try:
        known = msgspec.json.decode(data, type=dict[str, Any])
        listed: list[dict[str, Any]] = msgspec.convert(known["packages"][name], list[dict[str, Any]])
        whole: dict[str, Any] = {}
        found: list[_Entry] = []
        for entry in listed:
            whole = {**whole, **entry} if known.get("minified") else entry
            whole = {key: value for key, value in whole.items() if value != UNSET}
            found.append(msgspec.convert(whole, _Entry))
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise PackageDamaged(f"What the registry says of {name} cannot be read: {error}.") from None
    return found


def _package_of(name: str) -> str:
    """The package of a known class, or of a component of Symfony, whose names follow a rule."""
    if found := re.match(r"Symfony\\Component\\([A-Za-z]+)", name):
        return "symfony/" + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", found[1]).lower()
    return next((package for prefix, package in _CLASSES.items() if name.startswith(prefix)), "")


def _make_need(name: str, versions: str) -> PackageNeed:
    constraint = Constraint(versions)
    return PackageNeed(name.lower(), constraint.text, constraint.allows)


def _pick_version(each: Candidate, entry: _Entry, base: str) -> PickedVersion:
    dist = entry.dist or _Dist()
    return PickedVersion(
        name=each.name,
        version=each.version.removeprefix("v"),
        at=each.name,
        address=dist.url,
        base=base,
        checks=(CheckContent("sha1", dist.shasum.lower()),) if dist.shasum else (),
        identity=f"{dist.url} {dist.reference or ''}",
        requires=tuple(f"{need.name}:{need.text}" for need in each.needs),
        extra=json.dumps(entry.autoload if isinstance(entry.autoload, dict) else {}, sort_keys=True),
    )


def _strip_top(entries: Iterator[Entry]) -> Iterator[Entry]:
    return ((name, contents) for path, contents in entries if (name := remove_top(path)))


def _read_description(package: Package) -> dict[str, Any]:
    with zipfile.ZipFile(package.blob) as archive:
        return msgspec.json.decode(archive.read(ABOUT))


REGISTRY = Composer
