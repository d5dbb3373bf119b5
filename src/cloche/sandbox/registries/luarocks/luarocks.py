"""LuaRocks: packages for Lua."""

import ast
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cloche.errors import ConfigError, PackageNotFound, PackageUnsupported
from cloche.sandbox.languages import languages
from cloche.sandbox.registries.base_address import base_address
from cloche.sandbox.registries.index_cache import IndexCache
from cloche.sandbox.registries.luarocks.lua_table import (
    LENGTH,
    NotPlainData,
    as_list,
    as_table,
    read_assignments,
    read_entry,
)
from cloche.sandbox.registries.luarocks.names import POPULAR
from cloche.sandbox.registries.luarocks.rocks import pack_all, pack_source
from cloche.sandbox.registries.luarocks.versions import VersionConstraints, version_key
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.resolver import Candidate, CandidateSource, PackageNeed, solve_requirements
from cloche.sandbox.registries.spelling import check_spelling
from cloche.sandbox.registries.tool_syntax import ToolSyntax

VARIABLE = "CLOCHE_LUAROCKS_URL"
DEFAULT = "https://luarocks.org/"

_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,100}", re.ASCII)
_DEPENDENCY = re.compile(r"\s*([\w.-]+(?:/[\w.-]+)?)\s*(.*)", re.DOTALL)
_ROCKS = {"pl": "penlight", "cjson": "lua-cjson", "lfs": "luafilesystem", "socket": "luasocket", "json": "json-lua"}
"""Rocks whose name differs from what they provide."""


class LuaRocks(Registry):
    """luarocks.org, or a compatible server."""

    language = "lua"
    tools = (
        ToolSyntax(
            "luarocks",
            {"install": "install", "remove": "remove", "list": "list", "purge": ""},
            valued=frozenset(("--server", "--tree", "--lua-version", "--from")),
            version_follows=True,
        ),
    )
    popular = POPULAR

    def parse(self, text: str) -> WantedPackage:
        name, _, versions = text.strip().partition("@")
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{text[:200]!r} is no rock; give a name as in 'inspect' or 'inspect@3.1.1'.")
        try:
            VersionConstraints(versions)
        except ValueError:
            raise ConfigError(f"{versions[:100]!r} names no versions of {name}: give '3.1.1' or '>= 3'.") from None
        return WantedPackage(name.lower(), versions)

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        base = base_address(VARIABLE, DEFAULT)
        needs = [_make_need(name, versions) for name, versions in roots.items()]
        return [_pick_version(each, base) for each in await solve_requirements(needs, _Manifest(base, web, self), here)]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        about = ast.literal_eval(pick.extra)
        label = f"{pick.name} {pick.version}"
        if about["arch"] == "all":
            pack_all(archive, target, label)
        else:
            pack_source(archive, about["build"], target, label)

    def provider(self, module: str) -> str:
        first = module.partition(".")[0].lower()
        if not _NAME.fullmatch(first):
            raise PackageNotFound(f"{module[:100]!r} is no module that a rock could bring.")
        return check_spelling(self.popular, _ROCKS.get(first, first))


class _Manifest(CandidateSource):
    def __init__(self, base: str, web: IndexCache, registry: LuaRocks) -> None:
        self._base = base
        self._web = web
        self._registry = registry
        self._lua = languages()["lua"].version

    async def candidates(self, name: str) -> Sequence[Candidate] | None:
        data = await self._web.ask(f"{self._base}manifest-{self._lua}")
        text = data.decode(errors="replace") if data else ""
        # Modules and commands are listed too, further below.
        at = max(text.find("repository"), 0)
        try:
            known = read_entry(text[at:], name)
        except NotPlainData:
            known = None
        if not as_table(known):
            return None
        found = [
            Candidate(name, version, (), _pick_arch(files))
            for version, files in as_table(known).items()
            if isinstance(version, str) and _pick_arch(files)
        ]
        return sorted(found, key=lambda each: _preference_key(each.version), reverse=True)

    async def complete(self, candidate: Candidate) -> Candidate:
        full = f"{candidate.name}-{candidate.version}"
        data = await self._web.ask(f"{self._base}{quote(full)}.rockspec")
        if data is None or len(data) > LENGTH:
            raise PackageNotFound(f"The registry lists {full} but has no {full}.rockspec.")
        try:
            spec = read_assignments(data.decode(errors="replace"))
            needs = self._read_needs(full, as_list(spec.get("dependencies")))
        except (NotPlainData, ValueError) as error:
            raise PackageUnsupported(f"The rockspec of {full} cannot be read: {error}.") from None
        _check_spec(full, spec)
        about = {"arch": candidate.data, "build": {"build": spec.get("build"), "source": spec.get("source")}}
        return Candidate(candidate.name, candidate.version, tuple(needs), repr(about))

    def unknown(self, name: str) -> PackageNotFound:
        return self._registry.unknown(name)

    def _read_needs(self, full: str, texts: list[Any]) -> list[PackageNeed]:
        needs: list[PackageNeed] = []
        for text in texts:
            found = _DEPENDENCY.fullmatch(str(text))
            if not found:
                raise ValueError(f"it needs {text!r}")
            name, versions = found[1].rpartition("/")[2].lower(), found[2]
            if name == "lua":
                if not VersionConstraints(versions).allows(self._lua):
                    raise PackageUnsupported(f"{full} needs Lua {versions}; the sandbox has {self._lua}.")
            else:
                needs.append(_make_need(name, versions))
        return needs


def _pick_arch(files: Any) -> str:
    kinds = {as_table(each).get("arch") for each in as_list(files)}
    return "all" if "all" in kinds else "src" if "src" in kinds else ""


def _preference_key(version: str) -> tuple[Any, ...]:
    """The newest release; development versions come last."""
    return (re.search(r"scm|dev|cvs", version) is None, *version_key(version))


def _make_need(name: str, versions: str) -> PackageNeed:
    constraints = VersionConstraints(versions)
    return PackageNeed(name, constraints.text, constraints.allows)


def _check_spec(full: str, spec: Mapping[str, Any]) -> None:
    if spec.get("external_dependencies"):
        raise PackageUnsupported(
            f"{full} is native: it needs libraries of the system. Only rocks of pure Lua can be used."
        )
    kind = as_table(spec.get("build")).get("type", "builtin")
    if kind not in ("builtin", "none", "module"):
        raise PackageUnsupported(f"{full} is built by {str(kind)[:50]!r}, and nothing is built here.")


def _pick_version(each: Candidate, base: str) -> PickedVersion:
    about = str(each.data)
    arch = ast.literal_eval(about)["arch"]
    full = f"{each.name}-{each.version}"
    return PickedVersion(
        name=each.name,
        version=each.version,
        at="",
        address=f"{base}{quote(full)}.{arch}.rock",
        base=base,
        identity=f"{full} {arch} {base}",
        requires=tuple(f"{need.name} {need.text}".strip() for need in each.needs),
        extra=about,
    )


REGISTRY = LuaRocks
