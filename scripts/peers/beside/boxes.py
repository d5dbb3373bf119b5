"""The sandboxes: each runs one case after another."""

import shlex
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

import anyio
import msgspec

import cloche
from beside.cases import FOLDER, SUITE, TOOLS, WORK, Case, Outcome, Suite
from beside.folders import make_folder, read_output, remove_folder, write_tools

GRACE = 20.0
"""Seconds beyond its own limit after which a case has lost its sandbox."""


class CaseBox:
    """A sandbox that is replaced when a case was too much for it."""

    def __init__(self, suite: Suite, checkout: Path, *, anew: bool = False) -> None:
        self._suite = suite
        self._anew = anew
        self._checkout = checkout
        self._place = tempfile.TemporaryDirectory(prefix="cloche-peers-", ignore_cleanup_errors=True)
        self._work = Path(self._place.name)
        self._open: tuple[cloche.Sandbox, AsyncExitStack] | None = None

    async def __aenter__(self) -> Self:
        write_tools(self._work, self._suite.TOOLS)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.drop()
        self._place.cleanup()

    async def run(self, case: Case) -> Outcome:
        """Run a case in a folder of its own."""
        folder = make_folder(self._work, case)
        outcome = Outcome(stderr="no answer", late=True)
        try:
            with anyio.move_on_after(case.seconds + GRACE):
                outcome = await self._run(case)
        except cloche.ClocheError as error:
            outcome = Outcome(stderr=f"{type(error).__name__}: {error}", late=True)
        finally:
            if outcome.late:
                await self.drop()
            printed = read_output(folder, case, outcome.stdout)
            remove_folder(folder)
        return msgspec.structs.replace(outcome, stdout=printed)

    async def _run(self, case: Case) -> Outcome:
        box = await self._ready()
        code = case.code
        if self._suite.FRESH and self._anew:
            await box.reset("bash")
        elif self._suite.FRESH:
            code = f"bash -c {shlex.quote(code)}"
        env = {"HOME": FOLDER, **case.env}
        exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
        await box.bash(f"cd {FOLDER}; unset OLDPWD; export {exports}")
        done = await box.bash(code, stdin=case.stdin, timeout=case.seconds)
        return Outcome(done.stdout, done.stderr, done.exit_code, done.timed_out or done.state == "lost")

    async def _ready(self) -> cloche.Sandbox:
        if self._open is None:
            env = {"PATH": f"{TOOLS}:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", **self._suite.ENV}
            mounts = (cloche.Mount(self._checkout, SUITE, read_only=True), cloche.Mount(self._work, WORK))
            stack = AsyncExitStack()
            box = cloche.Sandbox(mounts=mounts, env=env, languages=("bash",))
            self._open = await stack.enter_async_context(box), stack
        return self._open[0]

    async def drop(self) -> None:
        """End the sandbox; the next case starts another."""
        if self._open is not None:
            _, stack = self._open
            self._open = None
            await stack.aclose()
