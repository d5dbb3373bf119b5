"""What a web server must serve to run the engine in a page: its code as JavaScript, assets, snapshot, packs."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache import packs, snapshots
from cloche.sandbox.cache.assets import ENGINE, DownloadProgress, assets_dir, fetch_assets
from cloche.sandbox.cache.downloads import Report
from cloche.sandbox.languages import languages
from cloche.sandbox.process.engine_paths import find_deno
from cloche.sandbox.process.warm_up import warm_up

HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Without these headers a page cannot share memory with its workers."""

TYPES = {
    ".ts": "text/javascript",
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
_LEFT_OUT = {"build", "guest", "pack.ts"}
"""Folders and files of the engine that no page loads."""

_COPIED = ("catalog.json", "cases.json")
_REWRITTEN = ("just-bash/dist/bundle", "minimatch/dist/esm", "brace-expansion/dist/esm")
"""Folders of npm packages whose modules import others by the names that Node resolves."""

_PLACES = {
    "minimatch": "/assets/node_modules/minimatch/dist/esm/index.js",
    "brace-expansion": "/assets/node_modules/brace-expansion/dist/esm/index.js",
    "balanced-match": "/assets/node_modules/balanced-match/dist/esm/index.js",
    "diff": "/assets/node_modules/diff/libesm/index.js",
    "sprintf-js": "/assets/node_modules/sprintf-js/src/sprintf.js",
}


class BrowserSite(msgspec.Struct, frozen=True):
    """The folder behind each part of a page's addresses."""

    engine: Path
    assets: Path
    snapshot: Path
    packs: dict[str, Path]

    def find(self, address: str) -> Path | None:
        """The file behind `/engine/...`, `/assets/...`, `/packs/LANG/...` or `/snapshot`; None if there is none."""
        top, _, rest = address.lstrip("/").partition("/")
        match top:
            case "snapshot":
                return self.snapshot
            case "engine":
                # Modules for Deno are replaced by those for a browser.
                return _find_beneath(self.engine, re.sub(r"^platform/deno/", "platform/browser/", rest))
            case "assets":
                return _find_beneath(self.engine / "assets", rest) or _find_beneath(self.assets, rest)
            case "packs":
                language, _, rest = rest.partition("/")
                return _find_beneath(self.packs[language], rest) if language in self.packs else None
            case _:
                return None


async def build_site(target: Path, wanted: Sequence[str] = (), report: Report | None = None) -> BrowserSite:
    """Fetch and build what is missing, with these languages (by default all), and write the code to `target`."""
    assets = await fetch_assets(report)
    prepared = await snapshots.build_prepared(warm_up)
    names = [name for name in wanted or languages() if languages()[name].pack]
    found = {name: await packs.ensure_pack(name, report) for name in names}
    await to_thread.run_sync(_transpile_engine, target)
    if report is not None:
        report(DownloadProgress("the engine for browsers", 1, 1))
    return BrowserSite(target, assets, prepared.snapshot, found)


def _transpile_engine(target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    sources = [path for path in sorted(ENGINE.rglob("*.ts")) if _is_wanted(path)]
    command = [find_deno(), "transpile", "--quiet", "--no-check", "--no-config", "--no-lock", f"--outdir={target}"]
    done = subprocess.run(
        [*command, *(path.relative_to(ENGINE).as_posix() for path in sources)],
        cwd=ENGINE,
        env={**os.environ, "DENO_DIR": str(target.with_name(f"{target.name}-deno")), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AssetsUnavailable(f"The engine could not be made ready for browsers: {done.stderr.strip()[-2000:]}")
    shutil.rmtree(target.with_name(f"{target.name}-deno"), ignore_errors=True)
    mapped = json.loads((assets_dir() / "import_map.json").read_text())["imports"]
    places = {**_PLACES, **{name: f"/assets/{place.removeprefix('./')}" for name, place in mapped.items()}}
    for path in sources:
        made = target / path.relative_to(ENGINE).with_suffix(".js")
        made.with_suffix(".ts").write_text(_rewrite_imports(made.read_text(), places))
        made.unlink()
    _rewrite_packages(assets_dir() / "node_modules", target / "assets" / "node_modules", places)
    for path in (path for name in _COPIED for path in ENGINE.rglob(name)):
        shutil.copy(path, target / path.relative_to(ENGINE))


def _is_wanted(path: Path) -> bool:
    parts = path.relative_to(ENGINE).parts
    return _LEFT_OUT.isdisjoint(parts) and not path.name.endswith(("_test.ts", ".d.ts"))


def _rewrite_packages(modules: Path, target: Path, places: Mapping[str, str]) -> None:
    for folder in _REWRITTEN:
        for path in sorted((modules / folder).rglob("*.js")):
            made = target / path.relative_to(modules)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(_rewrite_imports(path.read_text(), places))
    # The only package that is not a module yet and that the shell always needs.
    sprintf = target / "sprintf-js" / "src" / "sprintf.js"
    sprintf.parent.mkdir(parents=True)
    source = (modules / sprintf.relative_to(target)).read_text()
    sprintf.write_text(f"const exports = {{}};\n{source}\nexport const {{ sprintf, vsprintf }} = exports;\n")


def _rewrite_imports(source: str, places: Mapping[str, str]) -> str:
    """Write out the names that an import map would resolve: workers have no import map."""

    def place(found: re.Match[str]) -> str:
        name = found[3]
        if name.startswith("node:"):
            known = f"/engine/platform/browser/node/{name[5:].replace('/', '_')}.ts"
        elif name in places:
            known = places[name]
        else:
            return found[0]
        return f'{found[1]}"{known}"'

    return _BARE.sub(place, source)


def _find_beneath(root: Path, name: str) -> Path | None:
    path = (root / name).resolve()
    return path if path.is_relative_to(root.resolve()) and path.is_file() else None
