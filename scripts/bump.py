"""Changes the version of Pyodide or Deno: `bump.py pyodide VERSION`, `bump.py deno VERSION`.

All other places follow from the one that is changed here: for Pyodide engine/deno.json, for Deno pyproject.toml.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cloche.sandbox.languages import languages
from cloche.sandbox.process.engine_paths import ENGINE, find_deno
from scripts import engine_versions, language_table, pin

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "pyproject.toml"
DENO_DIR = ROOT / ".venv" / "deno"
PATCHES = ENGINE / "languages" / "python" / "build" / "check_patches.ts"
CONFIGURATION = ("deno.json", "deno.lock")


def bump_pyodide(version: str) -> int:
    """Pins it, with what follows from it; says which of our changes to it no longer fit."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        for name in CONFIGURATION:
            shutil.copy(ENGINE / name, stage)
        replace_once(stage / "deno.json", r'"npm:pyodide@[^"]+"', f'"npm:pyodide@{version}"')
        if _run_deno("install", "--quiet", "--frozen=false", "--node-modules-dir=auto", cwd=stage) != 0:
            print(f"Pyodide {version} could not be fetched: nothing was changed", file=sys.stderr)
            return 1
        for name in CONFIGURATION:
            shutil.copy(stage / name, ENGINE)
        info = json.loads((stage / "node_modules" / "pyodide" / "pyodide-lock.json").read_text())["info"]
        print(f"Pyodide {version}: Python {info['python']}, ABI {info['abi_version']}", flush=True)
        bump_python(".".join(info["python"].split(".")[:2]))
        engine_versions.main()
        language_table.main()
        reads = f"--allow-read={stage},{ENGINE}"
        misfits = _run_deno("run", "--no-config", "--no-lock", reads, str(PATCHES),
                            str(stage / "node_modules"), cwd=stage)  # fmt: skip
    print("all changes to it fit" if misfits == 0 else "change these first; the lines above say what does not fit")
    print("then: cloche fetch all, make check, make test-all, make bench; README.md names the version of Python")
    return misfits


def bump_python(version: str) -> None:
    """Changes what depends on the version of the guest's Python, if it is another."""
    old = languages()["python"].version
    if version == old:
        return
    replace_once(engine_versions.CATALOG, rf'("title": "Python", "version": )"{re.escape(old)}"', rf'\1"{version}"')
    languages.cache_clear()
    pin.pin_guest()


def bump_deno(version: str) -> int:
    """Pins it in pyproject.toml and in all pinned requirements, and leaves every other version as it is."""
    replace_once(PROJECT, r'"deno==[^"]+"', f'"deno=={version}"')
    pin.pin_host("--upgrade-package=deno")
    print("then: make setup, cloche fetch all, make check, make test-all, make bench: the V8 flags and the interrupt "
          "ladder depend on Deno")  # fmt: skip
    return 0


def replace_once(path: Path, pattern: str, new: str) -> None:
    """Replaces what is in a file exactly once."""
    text, count = re.subn(pattern, new, path.read_text())
    if count != 1:
        raise SystemExit(f"{path}: {pattern} is there {count} times, not once")
    path.write_text(text)


def _run_deno(*arguments: str, cwd: Path) -> int:
    env = {**os.environ, "DENO_DIR": str(DENO_DIR), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    return subprocess.run([find_deno(), *arguments], cwd=cwd, env=env, check=False).returncode


def main() -> int:
    """Refuses what is no version."""
    what, version = (*sys.argv[1:], "", "")[:2]
    if what not in {"pyodide", "deno"} or not re.fullmatch(r"\d[\w.+-]*", version):
        print("say which version: make bump-pyodide VERSION=1.2.3, make bump-deno VERSION=1.2.3", file=sys.stderr)
        return 2
    return bump_pyodide(version) if what == "pyodide" else bump_deno(version)


if __name__ == "__main__":
    sys.exit(main())
