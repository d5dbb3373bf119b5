"""Runs a fresh engine once, trusted and unconfined, so that Deno stores its compiled code for later starts."""

import anyio
from anyio import to_thread

from cloche.limits import MEMORY_MB
from cloche.sandbox.cache.snapshots import PreparedStart
from cloche.sandbox.files.host_folders import HostFolders
from cloche.sandbox.languages import languages
from cloche.sandbox.process.call import Call
from cloche.sandbox.process.engine_process import EngineProcess
from cloche.sandbox.process.launch_plan import LaunchPlan, build_launch
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.results.transcript import Transcript

CELLS = (
    ("python", "1+1"),
    ("python", "!true"),
    ("bash", "echo warm | cat"),
    ("bash", "python3 -c 'print(1)'"),
    ("bash", "git init -q r && cd r && git add . && git status"),
    ("bash", "echo '{}' | jq . | sort | grep . | sed s/a/b/ | awk 1"),
)
ROUNDS = 2
"""Deno stores the compiled code of a module when it loads it for the second time."""


async def warm_up(prepared: PreparedStart) -> None:
    """Fill the caches."""
    for _ in range(ROUNDS):
        home = HostFolders(None, ())
        try:
            await to_thread.run_sync(home.open)
            await _run_once(prepared, home)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(home.close)


async def _run_once(prepared: PreparedStart, home: HostFolders) -> None:
    plan = LaunchPlan(
        home.folders,
        home.control,
        home.packages,
        {},
        ("python",),
        MEMORY_MB,
        "none",
        prepared,
        warm=[name for name, each in languages().items() if not each.core],
        building=True,
    )
    process = EngineProcess(await to_thread.run_sync(build_launch, plan), home.change_file, provide=_wait_forever)
    try:
        await process.start()
        for language, code in CELLS:
            call = Call(process, language, timeout=60, record=Transcript(1 << 16))
            call.start(build_run_request(code, stdin=None, interactive=False, profile=False), None)
            await call.finish()
            call.close()
    finally:
        await process.close()


async def _wait_forever(_: str) -> tuple[str, int]:
    """Let languages wait for their files: a language whose files are refused would end before its code is loaded."""
    await anyio.sleep_forever()
    raise AssertionError
