"""Gets the engine's npm packages and the guest's Python packages with the tools, and the settings, the user has."""

import errno
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import AsyncGenerator, Callable
from pathlib import Path, PurePath

import anyio
import deno
import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.limits import MB

ENGINE = Path(__file__).parent.parent / "engine"
POLL = 0.1
"""Seconds between two looks at how far a download is."""

ADVICE = (
    "Run `cloche fetch` where the package indexes can be reached (the settings of npm and pip, and HTTPS_PROXY, are "
    "used), or set CLOCHE_CACHE to a cache folder that was filled elsewhere."
)
PINNED = [
    *("--no-deps", "--require-hashes", "--only-binary=:all:", "--python-version=3.14"),
    *("-r", str(ENGINE / "guest-requirements.txt")),
]
NOISE = re.compile(r"\s*(([1-9]\d*: |Download |Initialize ).*)?$")
"""Lines of a tool's output that say nothing new: Deno's steps, and the numbered causes that it has named already."""

FULL = 64 * MB
"""Bytes left on a disk below which a download that failed is taken to have filled it."""

LEFT_OUT = {"__pycache__", "tests", ".lock", "RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}
"""Files and folders of an installed Python package that the guest has no use for."""


class Progress(msgspec.Struct, frozen=True):
    """How far one step of the fetch is."""

    step: str
    done: int
    total: int
    """Items in this step; what they are depends on it."""


Report = Callable[[Progress], None]


async def fetch_npm(stage: Path, target: Path, report: Report) -> None:
    """Installs the packages of deno.lock and puts what the engine needs of them, patched, into `target`."""
    total = len(msgspec.json.decode(await to_thread.run_sync((ENGINE / "deno.lock").read_bytes))["npm"])
    install, prepare = await to_thread.run_sync(_npm_tools, stage, target)
    async for done in install.run(lambda: _count_packages(stage)):
        report(Progress("npm packages", min(done, total), total))
    report(Progress("npm packages", total, total))
    async for _ in prepare.run(lambda: 0):
        pass


async def fetch_wheels(stage: Path, target: Path, report: Report) -> None:
    """Gets the guest's Python packages and packs them into the zip file `target`."""
    total = len((await to_thread.run_sync((ENGINE / "guest-requirements.txt").read_text)).splitlines())
    tool = await to_thread.run_sync(_wheel_tool, stage)
    async for done in tool.run(lambda: _count_collected(tool.log)):
        report(Progress("Python packages", min(done, total), total))
    report(Progress("Python packages", total, total))
    await to_thread.run_sync(_pack_site, tool.folder, target)


class _Tool(msgspec.Struct, frozen=True):
    """One run of a command-line tool: what for, which, how."""

    purpose: str
    name: str
    command: list[str]
    folder: Path
    env: dict[str, str]

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    async def run(self, count: Callable[[], int]) -> AsyncGenerator[int]:
        with self.log.open("wb") as log:
            process = await anyio.open_process(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, env=self.env
            )
        async with process:
            while process.returncode is None:
                with anyio.move_on_after(POLL):
                    await process.wait()
                yield await to_thread.run_sync(count)
        if process.returncode:
            reason = await to_thread.run_sync(self._reason, process.returncode)
            raise AssetsUnavailable(f"Could not fetch {self.purpose} with `{self.name}`: {reason}. {ADVICE}")

    def _reason(self, code: int) -> str:
        # A full disk cuts the log too, and a tool may have freed a part of what it took.
        if shutil.disk_usage(self.folder).free < FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        text = self.log.read_text(errors="replace").partition("Stack backtrace:")[0]
        # Addresses of private registries may hold a password.
        text = re.sub(r"//[^/@\s]+@", "//***@", text)
        lines = [line.strip()[:300] for line in text.splitlines() if not NOISE.match(line)]
        return " | ".join(lines[-4:]).rstrip(".") or f"it ended with code {code}"


def _npm_tools(stage: Path, target: Path) -> tuple[_Tool, _Tool]:
    folder = stage / "npm"
    folder.mkdir()
    for name in ("deno.json", "deno.lock"):
        shutil.copy(ENGINE / name, folder)
    program, env = deno.find_deno_bin(), _deno_environment(stage)
    install = [program, "install", "--frozen", "--node-modules-dir=auto"]
    confined = ["--no-prompt", "--no-config", "--no-lock", "--no-remote", f"--allow-read={stage},{ENGINE}"]
    prepare = [program, "run", *confined, f"--allow-write={stage}", str(ENGINE / "prepare.ts")]
    arguments = [(folder / "node_modules").as_posix(), target.as_posix()]
    return (
        _Tool("the engine's npm packages", "deno install", install, folder, env),
        _Tool("the engine's npm packages", "deno run prepare.ts", [*prepare, *arguments], folder, env),
    )


def _deno_environment(stage: Path) -> dict[str, str]:
    # The system's certificates too: many company networks sign with their own.
    defaults = {"DENO_TLS_CA_STORE": "mozilla,system"}
    fixed = {"DENO_DIR": str(stage / "deno"), "DENO_NO_UPDATE_CHECK": "1", "DENO_NO_PACKAGE_JSON": "1", "NO_COLOR": "1"}
    return {**defaults, **os.environ, **fixed}


def _count_packages(stage: Path) -> int:
    registries = stage / "deno" / "npm"
    return sum(1 for pattern in ("*/*/*/package.json", "*/@*/*/*/package.json") for _ in registries.glob(pattern))


def _count_collected(log: Path) -> int:
    return log.read_text(errors="replace").count("Collecting ")


def _wheel_tool(stage: Path) -> _Tool:
    """Chooses the pip of this Python, else uv, else the pip that Python carries for new environments."""
    folder = stage / "python"
    folder.mkdir()
    if importlib.util.find_spec("pip"):
        return _pip_download([sys.executable, "-m", "pip"], folder)
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--python", sys.executable, "--target", str(folder / "site"), *PINNED]
        return _Tool("the guest's Python packages", "uv pip install", command, folder, {**os.environ, "NO_COLOR": "1"})
    if bundled := _bundled_pip():
        return _pip_download([sys.executable, str(bundled / "pip")], folder)
    raise AssetsUnavailable(
        f"Could not fetch the guest's Python packages: neither pip nor uv was found for {sys.executable}. Install one "
        "(on Debian and Ubuntu `apt-get install python3-pip`), then run `cloche fetch`."
    )


def _pip_download(pip: list[str], folder: Path) -> _Tool:
    pure = ["--implementation=py", "--abi=none", "--platform=any", "--progress-bar=off", "--dest", str(folder)]
    env = {**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"}
    return _Tool("the guest's Python packages", "pip download", [*pip, "download", *PINNED, *pure], folder, env)


def _bundled_pip() -> Path | None:
    ensurepip = importlib.util.find_spec("ensurepip")
    folders = [Path(ensurepip.origin).parent / "_bundled"] if ensurepip and ensurepip.origin else []
    # Debian and Fedora keep it elsewhere.
    if elsewhere := sysconfig.get_config_var("WHEEL_PKG_DIR"):
        folders.append(Path(elsewhere))
    return next((wheel for folder in folders for wheel in folder.glob("pip-*.whl")), None)


def _pack_site(folder: Path, target: Path) -> None:
    site = folder / "site"
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    names = sorted(path.relative_to(site) for path in site.rglob("*") if path.is_file())
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in filter(_is_wanted, names):
            # Without a time of its own, the same packages always give the same file.
            archive.writestr(zipfile.ZipInfo(name.as_posix()), (site / name).read_bytes())


def _is_wanted(name: PurePath) -> bool:
    top = name.parts[0]
    return top not in {"bin", "share"} and not top.endswith(".data") and LEFT_OUT.isdisjoint(name.parts)
