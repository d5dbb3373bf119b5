"""A Python with the frameworks that adapters and recipes are for, and with this checkout."""

import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

from anyio import to_thread

from cloche.sandbox.cache.file_lock import lock_file

ROOT = Path(__file__).parent.parent
PINS = ROOT / "requirements/frameworks.txt"
INSTALL_TIMEOUT = 300
"""Seconds for a test that may have to install the frameworks first."""


async def make_python() -> Path:
    """The Python, made once for each set of pins."""
    folder = ROOT / ".venv/frameworks" / sha256(PINS.read_bytes()).hexdigest()[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    async with lock_file(folder.with_suffix(".lock")):
        if not (folder / "whole").exists():
            await to_thread.run_sync(_install, folder)
    return folder / "bin/python"


def _install(folder: Path) -> None:
    venv.create(folder, clear=True)
    # By this environment's pip: it has the machine's settings, and what builds the project.
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", "--no-deps"]
    _run([*pip, "--require-hashes", "-r", str(PINS)])
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*pip, "--ignore-installed", "--prefix", str(folder), "--editable", str(ROOT)])
    (folder / "whole").touch()


def _run(argv: list[str]) -> None:
    subprocess.run(argv, stdin=subprocess.DEVNULL, check=True, timeout=INSTALL_TIMEOUT)
