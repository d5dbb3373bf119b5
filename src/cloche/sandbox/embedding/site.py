"""What a web server must serve to run the engine in a page: its code, assets, snapshot and packs, below one address."""

import functools
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache import packs, snapshots
from cloche.sandbox.cache.assets import asset_key, assets_dir, fetch_assets
from cloche.sandbox.cache.downloads import Report
from cloche.sandbox.languages import languages
from cloche.sandbox.process.warm_up import warm_up

BUNDLE = Path(__file__).parent / "built"
"""The engine for browsers; `make page` bundles it."""

ENTRY = "page.js"

HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Without these headers a page cannot share memory with its workers."""

TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""MIME types by the ending of a path; anything else is bytes."""

_BARE = re.compile(r"""((?:\bfrom|\bimport)\s*\(?\s*)(["'])([\w@][\w@/:.-]*)\2""")

_NEEDED = re.compile(
    r"python/.+\.zip"
    r"|node_modules/(just-bash/dist/bundle/.+\.js|(minimatch|brace-expansion)/dist/esm/.+\.js|sprintf-js/src/sprintf\.js"
    r"|(balanced-match/dist/esm|diff/libesm)/.+\.js|jq-wasm/[^/]+|isomorphic-git/index\.cloche\.js"
    r"|pyodide/(pyodide\.asm\.(cloche\.mjs|cloche\.wasm|clock\.wasm)|(data|hidden)\.cloche))"
)
"""The assets that a page loads."""

_PYTHON = re.compile(r"python/|node_modules/pyodide/")
"""The assets that are Python itself."""

_REWRITTEN = re.compile(r"node_modules/(just-bash/dist/bundle|minimatch/dist/esm|brace-expansion/dist/esm)/.+\.js")
"""Modules of npm packages that import others by the names that Node resolves: a worker has no import map."""

_SPRINTF = "node_modules/sprintf-js/src/sprintf.js"
"""The only package that is not a module yet and that the shell always needs."""

_PLACES = {
    "minimatch": "assets/node_modules/minimatch/dist/esm/index.js",
    "brace-expansion": "assets/node_modules/brace-expansion/dist/esm/index.js",
    "balanced-match": "assets/node_modules/balanced-match/dist/esm/index.js",
    "diff": "assets/node_modules/diff/libesm/index.js",
    "sprintf-js": f"assets/{_SPRINTF}",
}


class SiteIndex(msgspec.Struct, frozen=True):
    """What a page asks first."""

    root: str
    """Where the engine is, from the folder of the page."""
    languages: list[str]


class LanguageFiles(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a page is told of a language at `engine/ready/LANG`: whether it is there, or how far it is."""

    ready: bool = False
    step: str = ""
    done: int = 0
    total: int = 0
    error: str = ""
    files: list[tuple[str, int]] = []
    """What a first run loads, with the bytes of each, from the root of the engine."""
    later: list[str] = []
    """What may be needed later."""


class SiteFile(msgspec.Struct, frozen=True):
    """A file of the site: where it is, or its contents if those are made from the file."""

    path: Path
    data: bytes | None = None

    def read(self) -> bytes:
        """What is served."""
        return self.path.read_bytes() if self.data is None else self.data


class BrowserSite(msgspec.Struct, frozen=True):
    """The folder behind each part of a page's addresses."""

    assets: Path
    snapshot: Path
    packs: dict[str, Path]

    def find(self, address: str) -> SiteFile | None:
        """The file behind `NAME.js`, `assets/...`, `packs/LANG/...` or `snapshot`; None if there is none."""
        top, _, rest = address.lstrip("/").partition("/")
        match top:
            case "snapshot":
                return SiteFile(self.snapshot) if not rest and self.snapshot.is_file() else None
            case "assets":
                return self._find_asset(rest)
            case "packs":
                language, _, rest = rest.partition("/")
                path = _find_beneath(self.packs[language], rest) if language in self.packs else None
            case _:
                path = None if rest else _find_beneath(BUNDLE, top)
        return None if path is None else SiteFile(path)

    def list(self, names: Sequence[str]) -> Iterator[str]:
        """The addresses of everything that these languages need; each may call the shell."""
        yield from (path.name for path in sorted(BUNDLE.glob("*.js")))
        for path in sorted(self.assets.rglob("*")):
            name = path.relative_to(self.assets).as_posix()
            if path.is_file() and _NEEDED.fullmatch(name) and ("python" in names or not _PYTHON.match(name)):
                yield f"assets/{name}"
        if "python" in names:
            yield "snapshot"
        for name in (each for each in names if each in self.packs):
            folder = self.packs[name]
            yield from (
                f"packs/{name}/{path.relative_to(folder).as_posix()}"
                for path in sorted(folder.rglob("*"))
                if path.is_file()
            )

    def describe(self, language: str) -> LanguageFiles:
        """What a page needs of a language that is there."""
        mine = [address for address in self.list([language]) if not address.endswith("/manifest.json")]
        kinds = {address: _classify(address, language) for address in mine}
        first = [(each, self._find_path(each).stat().st_size) for each, kind in kinds.items() if kind == "first"]
        return LanguageFiles(
            ready=True, files=first, later=[address for address, kind in kinds.items() if kind == "later"]
        )

    def _find_path(self, address: str) -> Path:
        top, _, rest = address.partition("/")
        roots = {"assets": self.assets, **{f"packs/{name}": folder for name, folder in self.packs.items()}}
        if top == "packs":
            language, _, rest = rest.partition("/")
            top = f"packs/{language}"
        return roots[top] / rest if rest else self.snapshot

    def _find_asset(self, name: str) -> SiteFile | None:
        path = _find_beneath(self.assets, name) if _NEEDED.fullmatch(name) else None
        if path is None:
            return None
        if name == _SPRINTF:
            return SiteFile(path, _wrap_sprintf(path))
        return SiteFile(path, _rewrite_imports(path, name) if _REWRITTEN.fullmatch(name) else None)


async def build_site(wanted: Sequence[str] = (), report: Report | None = None) -> BrowserSite:
    """Fetch and build what is missing, with these languages: by default all."""
    check_bundle()
    assets = await fetch_assets(report)
    prepared = await snapshots.build_prepared(warm_up)
    found = {name: await packs.ensure_pack(name, report) for name in _with_packs(wanted or languages())}
    return BrowserSite(assets, prepared.snapshot, found)


def check_bundle() -> None:
    """Raise AssetsUnavailable unless the engine was bundled for browsers."""
    if not (BUNDLE / ENTRY).is_file():
        raise AssetsUnavailable("The engine is not bundled for browsers. In a checkout of Cloche, run: make page")


def known_site() -> BrowserSite:
    """Where everything is, whether it exists or not."""
    found = {name: packs.pack_dir(name) for name in _with_packs(languages())}
    return BrowserSite(assets_dir(), snapshots.snapshot_file(), found)


@functools.cache
def site_key() -> str:
    """Names everything that a page loads: what has this name never changes."""
    digest = hashlib.sha256(asset_key().encode())
    for path in sorted(BUNDLE.glob("*.js")):
        digest.update(path.name.encode() + path.read_bytes())
    for name in (snapshots.snapshot_key(), *(packs.pack_dir(each).name for each in _with_packs(languages()))):
        digest.update(name.encode())
    return digest.hexdigest()[:16]


def _classify(address: str, language: str) -> str:
    """When a page needs a file: `first`, `later` or, where it belongs to another language, `never`."""
    if "/" not in address and address != "snapshot":
        return "later"
    if "/licences/" in address:
        return "never"
    if address.startswith("packs/"):
        return "first"
    if address == "snapshot" or _PYTHON.match(address.removeprefix("assets/")):
        return "later" if ".clock." in address else "first"
    return "later" if language == "bash" else "never"


def _with_packs(names: Iterable[str]) -> list[str]:
    return [name for name in names if languages()[name].pack]


@functools.lru_cache(maxsize=400)
def _rewrite_imports(path: Path, name: str) -> bytes:
    """A module of a package with the addresses of what it imports by name."""
    folder = posixpath.dirname(f"assets/{name}")

    def place(found: re.Match[str]) -> str:
        wanted = found[3]
        if wanted.startswith("node:"):
            known = f"node_{wanted[5:].replace('/', '_')}.js"
        elif wanted in _PLACES:
            known = _PLACES[wanted]
        else:
            return found[0]
        return f'{found[1]}"{posixpath.relpath(known, folder)}"'

    return _BARE.sub(place, path.read_text()).encode()


@functools.lru_cache(maxsize=2)
def _wrap_sprintf(path: Path) -> bytes:
    return f"const exports = {{}};\n{path.read_text()}\nexport const {{ sprintf, vsprintf }} = exports;\n".encode()


def _find_beneath(root: Path, name: str) -> Path | None:
    path = (root / name).resolve()
    return path if path.is_relative_to(root.resolve()) and path.is_file() else None
