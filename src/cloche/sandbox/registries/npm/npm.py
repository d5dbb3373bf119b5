"""npm: packages for JavaScript and TypeScript."""

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from anyio import to_thread

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.limits import MB
from cloche.sandbox.registries.archive_reader import copy_entry, open_tar, read_small, remove_top
from cloche.sandbox.registries.index_cache import IndexCache
from cloche.sandbox.registries.npm.names import NODE_MODULES, POPULAR
from cloche.sandbox.registries.npm.node_modules_layout import Layout
from cloche.sandbox.registries.npm.npmrc import load_npm_settings
from cloche.sandbox.registries.npm.packuments import NAME, PackumentCatalogue
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.spelling import check_spelling
from cloche.sandbox.registries.tool_syntax import ToolSyntax

BUILDS = re.compile(r"node-gyp|node-pre-gyp|prebuild|cmake-js|napi|neon build|cargo")
"""Commands in scripts that build native code."""

MANIFEST_LIMIT = 4 * MB


class _Manifest(msgspec.Struct, frozen=True):
    scripts: Any = None
    gypfile: Any = False


class Npm(Registry):
    """npm's registry, and the registries in the user's npm settings."""

    language = "javascript"
    tools = (
        ToolSyntax(
            "npm",
            {
                **dict.fromkeys(("install", "i", "add", "in", "ins"), "install"),
                **dict.fromkeys(("update", "up", "upgrade"), "upgrade"),
                **dict.fromkeys(("uninstall", "remove", "rm", "un", "r", "unlink"), "remove"),
                **dict.fromkeys(("ls", "list", "ll", "la"), "list"),
            },
            valued=frozenset(("--registry", "--prefix", "--loglevel", "--depth", "--tag", "-C", "--omit", "--include")),
        ),
    )
    popular = POPULAR

    def parse(self, text: str) -> WantedPackage:
        text = text.strip()
        name, at, versions = text.rpartition("@") if "@" in text[1:] else (text, "", "")
        name = name if at else text
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{text[:200]!r} is no npm package; give a name as in 'lodash', 'lodash@4' or '@scope/name@^1.2'."
            )
        return WantedPackage(name, versions)

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        settings = await to_thread.run_sync(load_npm_settings)
        web.headers, web.certificates = settings.headers, settings.certificates
        layout = Layout(PackumentCatalogue(settings, web), here)
        try:
            # No range: npm's default.
            await layout.grow(
                {name: versions or "latest" if name not in here else versions for name, versions in roots.items()}
            )
        except PackageNotFound as error:
            bad = next((name for name in roots if f"no package {name!r}" in str(error)), None)
            raise (self.unknown(bad) if bad else error) from None
        web.warnings += layout.warnings
        return [
            PickedVersion(
                name=node.manifest.name,
                version=node.manifest.version,
                at=path,
                address=node.manifest.dist.tarball,
                base=node.base,
                checks=node.manifest.checks,
                requires=tuple(f"{name}@{spec}" for name, spec in node.manifest.dependencies.items()),
                optional=node.optional,
            )
            for path, node in layout.top.walk()
            if node.manifest is not None
        ]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        label, native = f"{pick.name} {pick.version}", ""
        found = False
        with open_tar(archive, label) as entries:
            for path, contents in entries:
                # Everything is in one folder, whatever its name.
                name = remove_top(path)
                if not name:
                    continue
                if name.endswith(".node"):
                    native = native or f"it brings {name}, a program for another machine"
                elif name == "binding.gyp":
                    native = native or "it has to be built from C++ (binding.gyp)"
                if name == "package.json":
                    data = read_small(contents, MANIFEST_LIMIT, f"{label}: package.json")
                    native, found = native or _find_build(data, label), True
                    target.writestr(zipfile.ZipInfo(name), data)
                else:
                    copy_entry(contents, target, name)
        if not found:
            raise PackageDamaged(f"{label} has no package.json. It was refused.")
        if native:
            raise PackageUnsupported(
                f"{label} is native: {native}. Only packages of pure JavaScript, or with WebAssembly, can be used."
            )

    def provider(self, module: str) -> str:
        name = "/".join(module.split("/")[: 2 if module.startswith("@") else 1])
        if module.startswith("node:") or name in NODE_MODULES:
            raise PackageNotFound(f"{module[:100]} belongs to Node, but this JavaScript has no such module.")
        if not NAME.fullmatch(name):
            raise PackageNotFound(f"{module[:200]!r} is no module that an npm package could bring.")
        return check_spelling(self.popular, name)


def _find_build(data: bytes, label: str) -> str:
    """The command that builds native code when a package is installed, if there is one."""
    try:
        manifest = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_Manifest)
    except msgspec.DecodeError as error:
        raise PackageDamaged(f"{label}: its package.json cannot be read: {error}. It was refused.") from None
    given: object = manifest.scripts
    scripts = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    if manifest.gypfile is True:
        return "it has to be built from C++ (gypfile)"
    for name in ("preinstall", "install", "postinstall"):
        script = scripts.get(name)
        if isinstance(script, str) and BUILDS.search(script):
            return f"its {name} script builds or fetches a program ({script[:100]})"
    return ""


REGISTRY = Npm
