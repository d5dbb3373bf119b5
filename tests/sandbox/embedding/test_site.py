"""What is served of the engine to pages, and what is not."""

from pathlib import Path

import pytest

from cloche.sandbox.embedding.site import BrowserSite
from cloche.sandbox.embedding.static_site import check_target

BASH = "node_modules/just-bash/dist/bundle"


@pytest.fixture
def site(tmp_path: Path) -> BrowserSite:
    """Small files in place of the real ones."""
    for name, text in {
        f"assets/{BASH}/chunks/a.js": 'import{x}from"node:fs/promises";import y from"minimatch";import"./b.js";',
        "assets/python/site.zip": "zip",
        "assets/node_modules/pyodide/package.json": "{}",
        "lua/lua.wasm": "wasm",
        "secret": "secret",
        "snapshot": "memory",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return BrowserSite(tmp_path / "assets", tmp_path / "snapshot", {"lua": tmp_path / "lua"})


def test_names_that_node_resolves_become_relative_addresses(site: BrowserSite) -> None:
    found = site.find(f"assets/{BASH}/chunks/a.js")
    assert found is not None
    up = "../" * 6
    known = f'import{{x}}from"{up}node_fs_promises.js";import y from"../../../../minimatch/dist/esm/index.js";'
    assert found.read().decode() == known + 'import"./b.js";'


@pytest.mark.parametrize("address", ["snapshot", "assets/python/site.zip", "packs/lua/lua.wasm"])
def test_what_languages_need_is_found(site: BrowserSite, address: str) -> None:
    found = site.find(address)
    assert found is not None
    assert found.read()


@pytest.mark.parametrize(
    "address",
    [
        *("secret", "../secret", "assets/../secret", "packs/lua/../secret", "packs/ruby/x", "packs/lua", "snapshot/x"),
        *("assets/node_modules/pyodide/package.json", "site.py", "", "packs/lua/%2e%2e/secret"),
    ],
)
def test_nothing_else_is_found(site: BrowserSite, address: str) -> None:
    assert site.find(address) is None


def test_a_language_needs_its_own_files_first_and_others_later(site: BrowserSite) -> None:
    lua, python = site.describe("lua"), site.describe("python")
    assert lua.files == [("packs/lua/lua.wasm", 4)]
    assert python.files == [("assets/python/site.zip", 3), ("snapshot", 6)]
    assert f"assets/{BASH}/chunks/a.js" in site.describe("bash").later


def test_a_site_is_written_to_new_empty_or_own_folders_only(tmp_path: Path) -> None:
    check_target(tmp_path)
    check_target(tmp_path / "new")
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path, tmp_path / "file"):
        with pytest.raises(ValueError, match="folder"):
            check_target(wrong)
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "site.json").write_text("{}")
    check_target(tmp_path)
