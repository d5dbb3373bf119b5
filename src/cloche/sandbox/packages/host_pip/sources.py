"""Fetches the source archive of a package with the user's pip: by name from its indexes, with the index's hash."""

from pathlib import Path

import anyio
from anyio import to_thread
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cloche.errors import PackagesUnreachable, PackageUnsupported
from cloche.limits import RESOLVE_TIMEOUT
from cloche.sandbox.cache.fetch_tools import FetchToolFailed
from cloche.sandbox.packages.host_pip.failures import explain_pip_failure
from cloche.sandbox.packages.host_pip.resolver import open_pip, read_log
from cloche.sandbox.packages.pyodide_lock import PyodideLock


async def fetch_source(requirement: Requirement, lock: PyodideLock, stage: Path) -> Path:
    """Fetch the newest source archive that fits into `stage`; nothing of it is run or unpacked."""
    target = stage / "sources"
    await to_thread.run_sync(target.mkdir)
    options = ["--dest", str(target), *lock.target.pip_environment, "--no-binary=:all:", "--no-deps"]
    tool = await to_thread.run_sync(lambda: open_pip(lock, stage, [*options, "--", str(requirement)], source=True))
    try:
        with anyio.fail_after(RESOLVE_TIMEOUT):
            async for _ in tool.run(lambda: 0):
                pass
    except TimeoutError:
        raise PackagesUnreachable(f"pip did not fetch {requirement} within {RESOLVE_TIMEOUT:.0f} s.") from None
    except FetchToolFailed as error:
        log = await to_thread.run_sync(read_log, stage)
        if "No source of" in str(error):
            raise PackageUnsupported(f"the index has no source of {canonicalize_name(requirement.name)}.") from None
        raise explain_pip_failure(log, str(error), lock) from None
    return next(iter(await to_thread.run_sync(lambda: list(target.iterdir()))))
