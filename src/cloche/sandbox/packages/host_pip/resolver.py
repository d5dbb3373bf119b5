"""Runs the user's pip to find and download the wheels for a set of requirements."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread
from packaging.requirements import Requirement

from cloche.errors import PackageError, PackagesUnreachable
from cloche.limits import GB, MB, PACKAGE_LIMIT, PACKAGES_LIMIT, RESOLVE_TIMEOUT
from cloche.sandbox.cache.downloads import DownloadProgress, Report
from cloche.sandbox.cache.fetch_tools import FetchTool, FetchToolFailed, pip_environment, targeted_pip
from cloche.sandbox.packages.host_pip.failures import explain_pip_failure
from cloche.sandbox.packages.host_pip.stub_wheels import StubWheel, ensure_distribution_stubs
from cloche.sandbox.packages.pyodide_lock import PyodideLock

SCRIPT = Path(__file__).with_name("run_pip.py")
PIP_MEMORY = 4 * GB
"""Bytes of memory that pip may allocate."""

LOG_LIMIT = 64 * MB
"""Bytes of pip's log in which the reason for a failure is looked for."""

HURRY = ["--retries=0", "--timeout=3"]
"""Options for a search whose result is only a hint."""

PATIENCE = 10.0
"""Seconds for such a search."""


class PipQuery(msgspec.Struct, frozen=True):
    """What pip is asked to resolve."""

    requirements: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    here: tuple[StubWheel, ...] = ()
    """Packages that need not be fetched."""
    pre: bool = False


class ResolvedPackages(msgspec.Struct, frozen=True):
    """What pip decided on."""

    wheels: list[Path]
    """Files that it fetched."""
    locked: list[str]
    """Packages of the distribution."""
    here: list[str]
    """Packages that are installed already."""


async def resolve_with_pip(
    query: PipQuery, lock: PyodideLock, stage: Path, report: Report, *, hurry: bool = False
) -> ResolvedPackages:
    """Find versions that fit together and fetch them into `stage`, a folder of ours; PackageError if there are none."""
    tool = await to_thread.run_sync(_pip_tool, query, lock, stage, hurry)
    total = max(1, len(query.requirements))
    try:
        with anyio.fail_after(PATIENCE if hurry else RESOLVE_TIMEOUT):
            async for done in tool.run(lambda: _check_progress(tool, stage)):
                report(DownloadProgress("packages", min(done, total), total))
    except TimeoutError:
        raise PackagesUnreachable(
            f"pip did not find the packages within {PATIENCE if hurry else RESOLVE_TIMEOUT:.0f} s. Try again, or check "
            "the indexes that pip knows (`pip config list`)."
        ) from None
    except FetchToolFailed as error:
        log = await to_thread.run_sync(read_log, stage)
        raise explain_pip_failure(log, str(error), lock) from None
    return await to_thread.run_sync(_separate_stubs, query, lock, stage)


def _pip_tool(query: PipQuery, lock: PyodideLock, stage: Path, hurry: bool) -> FetchTool:
    here = stage / "here"
    for folder in (here, stage / "wheels"):
        folder.mkdir()
    for stub in query.here:
        stub.write(here, _own_wheel_tag(lock))
    (stage / "constraints.txt").write_text("".join(f"{each}\n" for each in query.constraints))
    addresses = [url for each in query.requirements if (url := Requirement(each).url)]
    options = ["--dest", str(stage / "wheels"), *lock.target.pip_options]
    options += ["--find-links", str(here), "--find-links", str(ensure_distribution_stubs(lock))]
    options += ["--constraint", str(stage / "constraints.txt"), *(["--pre"] if query.pre else [])]
    options += [*(HURRY if hurry else []), "--", *query.requirements]
    return open_pip(lock, stage, options, addresses=addresses)


def open_pip(
    lock: PyodideLock, stage: Path, options: Sequence[str], *, addresses: Sequence[str] = (), source: bool = False
) -> FetchTool:
    """pip for the Python inside, which may run nothing that it downloads; its log is in `stage`."""
    start = targeted_pip(SCRIPT)
    if start is None:
        raise PackageError(
            "Packages need pip or uv on the host, and neither was found. Install one (on Debian and Ubuntu "
            "`apt-get install python3-pip`)."
        )
    limits = {"memory": PIP_MEMORY, "file": PACKAGE_LIMIT}
    settings = {"environment": lock.target.environment, "addresses": list(addresses), "source": source, **limits}
    # Files that pip leaves behind when it is stopped are removed with the stage.
    (stage / "tmp").mkdir()
    environment = {**pip_environment(), **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(stage / "tmp"))}
    fixed = ["download", "--log", str(stage / "pip.log"), "--progress-bar=off"]
    patience = [] if "PIP_RETRIES" in os.environ else ["--retries=2"]
    command = [*start, json.dumps(settings), *fixed, *patience, *options]
    return FetchTool("pip download", command, stage, environment, held=True)


def _own_wheel_tag(lock: PyodideLock) -> str:
    """The tag that pip prefers to all others."""
    return f"{lock.target.abi}-{lock.target.abi}-{lock.target.platform}"


def _check_progress(tool: FetchTool, stage: Path) -> int:
    """How many packages pip has begun to collect; raises PackageError if it has fetched too much."""
    if sum(_file_size(Path(folder, name)) for folder, _, names in os.walk(stage) for name in names) > PACKAGES_LIMIT:
        raise PackageError(f"pip was stopped: the packages are larger than the {PACKAGES_LIMIT // MB} MB they may be.")
    return tool.log.read_text(errors="replace").count("Collecting ")


def _file_size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def read_log(stage: Path) -> str:
    """The start of pip's log."""
    try:
        with (stage / "pip.log").open(errors="replace") as file:
            return file.read(LOG_LIMIT)
    except OSError:
        return ""


def _separate_stubs(query: PipQuery, lock: PyodideLock, stage: Path) -> ResolvedPackages:
    """Separate the stubs that pip chose from the wheels that it fetched."""
    here = {stub.file_name(_own_wheel_tag(lock)): stub.name for stub in query.here}
    known = {path.name: path for path in ensure_distribution_stubs(lock).iterdir()}
    found = ResolvedPackages([], [], [])
    for path in sorted((stage / "wheels").iterdir()):
        if path.name in here:
            found.here.append(here[path.name])
        elif path.name in known:
            found.locked.append(_locked_name(path.name, lock))
        else:
            found.wheels.append(path)
    return found


def _locked_name(file: str, lock: PyodideLock) -> str:
    name = file.partition("-")[0].replace("_", "-")
    assert name in lock.packages
    return name


def pin_versions(packages: Sequence[StubWheel]) -> tuple[str, ...]:
    """Constraints that keep packages at their version."""
    return tuple(f"{each.name}=={each.version}" for each in packages)
