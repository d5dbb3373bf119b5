"""Downloads the engine's npm packages and the guest's Python packages with the user's own tools and settings."""

import os
import shutil
import sys
import zipfile
from collections.abc import AsyncGenerator, Callable
from pathlib import Path, PurePath

import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache.fetch_tools import PIP_SETTINGS, FetchTool, FetchToolFailed, bundled_pip, has_pip
from cloche.sandbox.languages import languages
from cloche.sandbox.process.engine_paths import ENGINE, find_deno, join_paths

REQUIREMENTS = ENGINE / "languages" / "python" / "requirements.txt"
"""The packages of the Python inside the sandbox, pinned."""

LIBRARY = "python_stdlib.zip"
NPM = "the engine's npm packages"
WHEELS = "the guest's Python packages"

ADVICE = (
    "Run `cloche fetch` where the package indexes can be reached (the settings of npm and pip, and HTTPS_PROXY, are "
    "used), or set CLOCHE_CACHE to a cache folder that was filled elsewhere."
)
PINNED = ["--no-deps", "--require-hashes", "--only-binary=:all:", "-r", str(REQUIREMENTS)]
LEFT_OUT = {"__pycache__", "tests", ".lock", "RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}
"""Files and folders of an installed Python package that the guest does not need."""


class DownloadProgress(msgspec.Struct, frozen=True):
    """The progress of one step of the download."""

    step: str
    done: int
    total: int
    """The number of items in this step; their kind depends on the step."""


Report = Callable[[DownloadProgress], None]


async def download_npm(stage: Path, target: Path, report: Report) -> None:
    """Install the packages of deno.lock and put the files that the engine needs, patched, into `target`."""
    total = len(msgspec.json.decode(await to_thread.run_sync((ENGINE / "deno.lock").read_bytes))["npm"])
    install, prepare = await to_thread.run_sync(_npm_tools, stage, target, ENGINE, ENGINE / "build" / "assets.ts")
    async for done in _run_tool(install, NPM, lambda: _count_packages(stage)):
        report(DownloadProgress("npm packages", min(done, total), total))
    report(DownloadProgress("npm packages", total, total))
    async for _ in _run_tool(prepare, NPM, lambda: 0):
        pass
    report(DownloadProgress("compiling the standard library", 0, 1))
    compiled = await to_thread.run_sync(_library_tool, stage, target.parent)
    async for _ in _run_tool(compiled, "the standard library's bytecode", lambda: 0):
        pass
    await to_thread.run_sync(_move_file, compiled.folder / LIBRARY, target.parent / "python" / LIBRARY)
    report(DownloadProgress("compiling the standard library", 1, 1))


async def download_pack(language: str, stage: Path, target: Path, report: Report) -> None:
    """Install the packages of a language's deno.lock and run its pack.ts, which puts the needed files into `target`."""
    source = ENGINE / "languages" / language
    total = len(msgspec.json.decode(await to_thread.run_sync((source / "deno.lock").read_bytes))["npm"])
    tools = await to_thread.run_sync(_npm_tools, stage, target, source, source / "pack.ts")
    step, purpose = f"files of {language}", f"the files of {language}"
    async for done in _run_tool(tools[0], purpose, lambda: _count_packages(stage)):
        report(DownloadProgress(step, min(done, total), total + 1))
    async for _ in _run_tool(tools[1], purpose, lambda: 0):
        report(DownloadProgress(step, total, total + 1))
    report(DownloadProgress(step, total + 1, total + 1))


async def download_wheels(stage: Path, target: Path, report: Report) -> None:
    """Download the guest's Python packages and pack them into the zip file `target`."""
    total = len((await to_thread.run_sync(REQUIREMENTS.read_text)).splitlines())
    tool = await to_thread.run_sync(_wheel_tool, stage)
    async for done in _run_tool(tool, WHEELS, lambda: _count_collected(tool.log)):
        report(DownloadProgress("Python packages", min(done, total), total))
    report(DownloadProgress("Python packages", total, total))
    await to_thread.run_sync(_pack_site, tool.folder, target)


async def _run_tool(tool: FetchTool, purpose: str, count: Callable[[], int]) -> AsyncGenerator[int]:
    try:
        async for done in tool.run(count):
            yield done
    except FetchToolFailed as error:
        raise AssetsUnavailable(f"Could not fetch {purpose} with `{tool.name}`: {error}. {ADVICE}") from None


def _npm_tools(stage: Path, target: Path, source: Path, script: Path) -> tuple[FetchTool, FetchTool]:
    """The commands that install the packages that `source` pins, and that make `target` of them."""
    folder = stage / "npm"
    folder.mkdir()
    for name in ("deno.json", "deno.lock"):
        shutil.copy(source / name, folder)
    program, env = find_deno(), _deno_environment(stage)
    install = [program, "install", "--frozen", "--node-modules-dir=auto"]
    confined = ["--no-prompt", "--no-config", "--no-lock", "--no-remote", f"--allow-read={join_paths([stage, ENGINE])}"]
    prepare = [program, "run", *confined, f"--allow-write={join_paths([stage])}", str(script)]
    arguments = [(folder / "node_modules").as_posix(), target.as_posix()]
    return (
        FetchTool("deno install", install, folder, env),
        FetchTool(f"deno run {script.name}", [*prepare, *arguments], folder, env),
    )


def _library_tool(stage: Path, whole: Path) -> FetchTool:
    folder = stage / "library"
    folder.mkdir()
    run = [find_deno(), "run", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]
    run += ["--node-modules-dir=manual", f"--import-map={whole}/import_map.json"]
    run += [f"--allow-read={join_paths([stage, ENGINE])}", f"--allow-write={join_paths([folder])}"]
    arguments = [whole.as_posix(), (whole / "python").as_posix(), folder.as_posix()]
    script = ENGINE / "languages/python/build/stdlib_bytecode.ts"
    return FetchTool(f"deno run {script.name}", [*run, str(script), *arguments], folder, _deno_environment(stage))


def _move_file(made: Path, target: Path) -> None:
    made.chmod(0o644)
    made.replace(target)


def _deno_environment(stage: Path) -> dict[str, str]:
    # Also trust the system's certificates: many company networks sign with their own.
    defaults = {"DENO_TLS_CA_STORE": "mozilla,system"}
    fixed = {"DENO_DIR": str(stage / "deno"), "DENO_NO_UPDATE_CHECK": "1", "DENO_NO_PACKAGE_JSON": "1", "NO_COLOR": "1"}
    return {**defaults, **os.environ, **fixed}


def _count_packages(stage: Path) -> int:
    registries = stage / "deno" / "npm"
    return sum(1 for pattern in ("*/*/*/package.json", "*/@*/*/*/package.json") for _ in registries.glob(pattern))


def _count_collected(log: Path) -> int:
    return log.read_text(errors="replace").count("Collecting ")


def _wheel_tool(stage: Path) -> FetchTool:
    """Choose the pip of this Python, else uv, else the pip that Python bundles for new environments."""
    folder = stage / "python"
    folder.mkdir()
    if has_pip():
        return _pip_download([sys.executable, "-m", "pip"], folder)
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--python", sys.executable, "--target", str(folder / "site")]
        command += [*PINNED, _python_version()]
        return FetchTool("uv pip install", command, folder, {**os.environ, "NO_COLOR": "1"})
    if bundled := bundled_pip():
        return _pip_download([sys.executable, str(bundled / "pip")], folder)
    raise AssetsUnavailable(
        f"Could not fetch the guest's Python packages: neither pip nor uv was found for {sys.executable}. Install one "
        "(on Debian and Ubuntu `apt-get install python3-pip`), then run `cloche fetch`."
    )


def _pip_download(pip: list[str], folder: Path) -> FetchTool:
    pure = ["--implementation=py", "--abi=none", "--platform=any", "--progress-bar=off", "--dest", str(folder)]
    return FetchTool(
        "pip download", [*pip, "download", *PINNED, _python_version(), *pure], folder, {**os.environ, **PIP_SETTINGS}
    )


def _python_version() -> str:
    return f"--python-version={languages()['python'].version}"


def _pack_site(folder: Path, target: Path) -> None:
    site = folder / "site"
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    names = sorted(path.relative_to(site) for path in site.rglob("*") if path.is_file())
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in filter(_is_wanted, names):
            # Without a time of its own, the same packages always result in the same file.
            archive.writestr(zipfile.ZipInfo(name.as_posix()), (site / name).read_bytes())


def _is_wanted(name: PurePath) -> bool:
    top = name.parts[0]
    return top not in {"bin", "share"} and not top.endswith(".data") and LEFT_OUT.isdisjoint(name.parts)
