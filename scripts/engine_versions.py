"""Writes the versions that deno.json pins to all that names them; --check finds stale ones.

These are the catalogue and the pages of docs/; and what checks the code that runs inside, which must know its Python.
"""

import re
import sys
from pathlib import Path

import msgspec

from cloche.sandbox.process.engine_paths import ENGINE

CATALOG = ENGINE / "languages" / "catalog.json"
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
LINTER = ROOT / "pyproject.toml"
TYPES = ROOT / "typings" / "pyrightconfig.json"
_PART = re.compile(r"([^\s,]+) (\d[\w.]*)")
_QUOTED = re.compile(r"Python [\d.]+ \(Pyodide [^)]*\)")


def render_catalog(text: str) -> str:
    """The catalogue with each language's `engine` as its deno.json, or the engine's, pins it."""
    for name, entry in msgspec.json.decode(text).items():
        pins = read_pins(ENGINE / "languages" / name / "deno.json") or read_pins(ENGINE / "deno.json")
        text = text.replace(f'"engine": "{entry["engine"]}"', f'"engine": "{_name_engine(entry["engine"], pins)}"')
    return text


def _name_engine(engine: str, pins: dict[str, str]) -> str:
    return _PART.sub(lambda part: f"{part[1]} {_find_version(part[1], pins) or part[2]}", engine)


def read_pins(path: Path) -> dict[str, str]:
    """The npm packages of a deno.json, with their versions."""
    if not path.is_file():
        return {}
    found = msgspec.json.decode(path.read_bytes())["imports"].values()
    return dict(pin.removeprefix("npm:").rsplit("@", 1) for pin in found if pin.startswith("npm:"))


def _find_version(name: str, pins: dict[str, str]) -> str | None:
    """That of the package which `name` is in: `SQLite` is in `@sqlite.org/sqlite-wasm`."""
    word = re.split(r"\W", name.lower())[0]
    return next((version.partition("-")[0] for package, version in pins.items() if word in package), None)


def render_page(text: str, catalog: str) -> str:
    """The page with the Python that the catalogue has."""
    python = msgspec.json.decode(catalog)["python"]
    return _QUOTED.sub(f"Python {python['version']} ({python['engine']})", text)


def render_tools(linter: str, types: str, catalog: str) -> tuple[str, str]:
    """The configuration of what checks the code that runs inside."""
    version = msgspec.json.decode(catalog)["python"]["version"]
    digits = version.replace(".", "")
    return (
        re.sub(r'(per-file-target-version = .*)"py\d+"', rf'\1"py{digits}"', linter),
        re.sub(r'("pythonVersion": )"[\d.]+"', rf'\1"{version}"', types),
    )


def main() -> int:
    """The exit code says whether a check found something stale."""
    catalog = render_catalog(CATALOG.read_text())
    pages = {page: render_page(page.read_text(), catalog) for page in sorted(DOCS.glob("*.md"))}
    linter, types = render_tools(LINTER.read_text(), TYPES.read_text(), catalog)
    wanted = {CATALOG: catalog, LINTER: linter, TYPES: types, **pages}
    stale = [path for path, text in wanted.items() if path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"versions in {path.name} are stale: `make fmt` writes them anew", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
