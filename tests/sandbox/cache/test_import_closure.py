"""The files that a pack is made of are those that Deno finds."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from cloche.sandbox.cache.assets import ENGINE, ENTRY
from cloche.sandbox.cache.import_closure import imported_files
from cloche.sandbox.languages import languages
from cloche.sandbox.process.engine_paths import find_deno

PACKED = [name for name, each in languages().items() if each.pack]


def find_modules(entry: Path, cache: Path) -> set[Path]:
    """What Deno would load for a module, types left out."""
    command = [find_deno(), "info", "--json", "--no-config", "--no-lock", "--no-remote", str(entry)]
    env = {**os.environ, "DENO_DIR": str(cache)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=20)
    told = json.loads(done.stdout)
    graph: dict[str, list[dict[str, Any]]] = {
        each["specifier"]: each.get("dependencies", []) for each in told["modules"]
    }
    found: set[str] = set()
    waiting = [entry.resolve().as_uri()]
    while waiting:
        if (module := waiting.pop()) not in found:
            found.add(module)
            waiting.extend(each["code"]["specifier"] for each in graph.get(module, []) if "code" in each)
    # Others, such as node:zlib, are Deno's own.
    return {Path(unquote(urlsplit(each).path)) for each in found if each.startswith("file:")}


@pytest.mark.parametrize("name", [ENTRY, *(f"languages/{language}/pack.ts" for language in PACKED)])
def test_assets_and_packs_are_made_of_what_their_module_imports(name: str, tmp_path: Path) -> None:
    entry = ENGINE / name
    ours = set(imported_files([entry]))
    theirs = find_modules(entry, tmp_path)
    assert theirs - ours == set()
    # What is only read is no module.
    assert {path for path in ours - theirs if path.suffix == ".ts"} == set()
    assert all(path.is_file() for path in ours)


def test_types_are_left_out_and_folders_are_whole(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("a.ts", "b.ts", "c.ts", "types.ts", "data/one.lua", "data/two.lua"):
        (tmp_path / name).write_text("")
    entry = tmp_path / "pack.ts"
    entry.write_text(
        'import type { T } from "./types.ts";\nimport {\n  a,\n} from "./a.ts";\nexport * from "./b.ts";\n'
        'const c = await import("./c.ts");\nconst data = new URL("./data/", import.meta.url);\n'
    )
    found = [path.relative_to(tmp_path).as_posix() for path in imported_files([entry])]
    assert found == ["a.ts", "b.ts", "c.ts", "data/one.lua", "data/two.lua", "pack.ts"]
