"""Installs each peer into a folder of its own: pinned, with its .pyc files and its caches warm."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import deno

from cloche.sandbox.cache.assets import assets_dir

ROOT = Path(__file__).parent.parent
PEERS = Path(sys.prefix, "peers")
HARNESS = Path(__file__).parent / "drivers"
NPM = Path(__file__).parent / "justbash"
ERYX_PYTHON = (3, 12)
"""The oldest Python for which there are wheels."""

NEWER = ("python3.14", "python3.13", "python3.12")

LIMIT = 600
"""Seconds for one step of an installation."""

Env = dict[str, str]


class NotHere(RuntimeError):
    """Something that a peer needs is missing on this machine."""


def reason(error: Exception) -> str:
    """The line of a failure that says why."""
    text = str(error)
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line for line in str(error.stderr or error.stdout or "").splitlines() if line.strip()]
        faults = [line for line in lines if "error" in line.lower()]
        text = (faults or lines or [text])[-1]
    return f"not installed: {text.strip()[:200]}"


def ipykernel() -> tuple[str, Env]:
    return _venv("ipykernel", sys.executable), {}


def libtmux() -> tuple[str, Env]:
    if shutil.which("tmux") is None:
        raise NotHere("there is no tmux here")
    return _venv("libtmux", sys.executable), {}


def pyeryx() -> tuple[str, Env]:
    return _venv("pyeryx", _newer_python()), {}


def stock() -> tuple[str, Env]:
    """The files of the npm package as they came, with a cache of compiled code for them."""
    assets = assets_dir()
    version: str = json.loads((assets / "node_modules/pyodide/package.json").read_text())["version"]

    def fill(folder: Path) -> None:
        shutil.copytree(assets / "node_modules/pyodide", folder / "pyodide")
        _strip_bytecode(assets / "python/python_stdlib.zip", folder / "pyodide/python_stdlib.zip")
        argv = [deno.find_deno_bin(), "run", "--no-config", "--no-lock", "-A", str(HARNESS / "stock.mjs")]
        # Deno keeps compiled code of modules that it meets a second time.
        for _ in range(3):
            run([*argv, f"{folder}/pyodide"], env={"DENO_DIR": f"{folder}/deno"}, text='"1+1"\n')

    folder = _once("stock", f"{version} {assets.name} as it came", fill)
    return sys.executable, {"BENCH_FOLDER": str(folder), "BENCH_DENO": deno.find_deno_bin(), "BENCH_VERSION": version}


def _strip_bytecode(compiled: Path, target: Path) -> None:
    """The standard library as it came: without the bytecode that Cloche adds."""
    with zipfile.ZipFile(compiled) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if not name.endswith(".pyc"):
                new.writestr(name, old.read(name))


def justbash() -> tuple[str, Env]:
    """The npm package with its dependencies, by exact versions and hashes."""
    lock = (NPM / "deno.lock").read_text()

    def fill(folder: Path) -> None:
        for name in ("deno.json", "deno.lock"):
            shutil.copy(NPM / name, folder)
        shutil.copy(HARNESS / "justbash.mjs", folder)
        run([deno.find_deno_bin(), "install", "--frozen", "--quiet"], cwd=folder)

    folder = _once("justbash", lock + (HARNESS / "justbash.mjs").read_text(), fill)
    version: str = json.loads((folder / "node_modules/just-bash/package.json").read_text())["version"]
    node = shutil.which("node") or deno.find_deno_bin()
    return sys.executable, {"BENCH_FOLDER": str(folder), "BENCH_NODE": node, "BENCH_VERSION": version}


def _venv(name: str, python: str) -> str:
    pins = ROOT / "requirements" / f"bench-{name}.txt"

    def fill(folder: Path) -> None:
        run([python, "-m", "venv", str(folder / "venv")])
        mine = str(folder / "venv/bin/python")
        run([mine, "-m", "pip", "install", "--quiet", "--only-binary=:all:", "--require-hashes", "-r", str(pins)])
        run([mine, "-m", "compileall", "-q", str(folder / "venv/lib")])

    return str(_once(name, pins.read_text() + python, fill) / "venv/bin/python")


def _once(name: str, key: str, fill: Callable[[Path], None]) -> Path:
    """A folder that is filled anew whenever what it is made of has changed."""
    folder, stamp = PEERS / name, hashlib.sha256(key.encode()).hexdigest()
    mark = folder / "stamp"
    if not mark.exists() or mark.read_text() != stamp:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        fill(folder)
        mark.write_text(stamp)
    return folder


def _newer_python() -> str:
    """One that is new enough for pyeryx: this one, BENCH_PYTHON, on the path, or where pyenv keeps them."""
    named = [sys.executable, os.environ.get("BENCH_PYTHON"), *map(shutil.which, NEWER)]
    kept = sorted(Path.home().glob(".pyenv/versions/3.1[2-4]*/bin/python"), reverse=True)
    check = f"import sys, ensurepip; sys.exit(sys.version_info < {ERYX_PYTHON})"
    for python in [*filter(None, named), *map(str, kept)]:
        if subprocess.run([python, "-c", check], capture_output=True, timeout=LIMIT, check=False).returncode == 0:
            return python
    oldest = ".".join(map(str, ERYX_PYTHON))
    raise NotHere(f"it has wheels for Python {oldest} and newer, and none was found; BENCH_PYTHON may name one")


def run(argv: list[str], *, cwd: Path | None = None, env: Env | None = None, text: str = "") -> None:
    """A step of an installation; its failure carries what it said."""
    subprocess.run(
        argv, cwd=cwd, env={**os.environ, **(env or {})}, input=text, capture_output=True, text=True, check=True,
        timeout=LIMIT,
    )  # fmt: skip
