"""Versions that are written from deno.json."""

import subprocess
from pathlib import Path

import pytest

from cloche.sandbox.languages import languages
from cloche.sandbox.process.engine_paths import ENGINE, find_deno
from scripts import bump, engine_versions

ROOT = Path(__file__).parents[2]


def test_the_catalogue_follows_from_the_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = {"pyodide": "999.1.2", "@sqlite.org/sqlite-wasm": "4.0.1-build2", "@swc/wasm-typescript": "7.8.9"}

    def read_pins(_path: Path) -> dict[str, str]:
        return pins

    monkeypatch.setattr(engine_versions, "read_pins", read_pins)
    made = engine_versions.render_catalog(engine_versions.CATALOG.read_text())
    assert '"engine": "Pyodide 999.1.2, IPython"' in made
    assert '"engine": "SQLite 4.0.1"' in made
    assert 'swc 7.8.9"' in made
    page = engine_versions.render_page("In the Python 3.1 (Pyodide 1.2.3, IPython)", made)
    assert page == f"In the Python {languages()['python'].version} (Pyodide 999.1.2, IPython)"


def test_what_checks_the_code_inside_knows_its_python() -> None:
    catalog = '{"python": {"version": "3.99"}}'
    linter, types = engine_versions.LINTER.read_text(), engine_versions.TYPES.read_text()
    made = engine_versions.render_tools(linter, types, catalog)
    assert '= "py399" }' in made[0]
    assert 'target-version = "py311"' in made[0]
    assert '"pythonVersion": "3.99"' in made[1]


def test_pins_are_read_with_and_without_scopes() -> None:
    assert set(engine_versions.read_pins(ENGINE / "deno.json")) >= {"isomorphic-git", "just-bash", "pyodide"}
    assert "@swc/wasm-typescript" in engine_versions.read_pins(ENGINE / "languages/typescript/deno.json")
    assert engine_versions.read_pins(ENGINE / "nothing.json") == {}


def test_the_readme_names_the_python_that_is_inside() -> None:
    assert f"Python {languages()['python'].version} with IPython" in (ROOT / "README.md").read_text()


def check_patches(modules: Path) -> tuple[int, list[str]]:
    command = [find_deno(), "run", "--no-config", "--no-lock", f"--allow-read={modules},{ENGINE}", str(bump.PATCHES)]
    done = subprocess.run([*command, str(modules)], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.splitlines()


def test_each_change_to_pyodide_that_does_not_fit_is_named(assets: Path, tmp_path: Path) -> None:
    modules = assets / "node_modules"
    assert check_patches(modules) == (0, [])
    other = tmp_path / "pyodide"
    other.mkdir()
    assert check_patches(tmp_path)[1][0].endswith("Pyodide has no file pyodide.asm.mjs")
    source = (modules / "pyodide/pyodide.asm.mjs").read_text()
    (other / "pyodide.asm.mjs").write_text(source.replace("LDSO.init()", "").replace("serializeHiwireState", ""))
    (other / "pyodide.mjs").write_text("")
    code, lines = check_patches(tmp_path)
    assert code == 1
    assert [line.partition(": ")[0] for line in lines[:1]] == ["languages/python/pyodide/asm_patch.ts does not fit"]
    assert "languages/python/pyodide/types.ts names serializeHiwireState, which Pyodide does not have" in lines


def test_what_is_not_there_once_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("a-1 a-2")
    with pytest.raises(SystemExit, match="2 times"):
        bump.replace_once(file, r"a-\d", "b")
    bump.replace_once(file, "a-2", "a-3")
    assert file.read_text() == "a-1 a-3"
