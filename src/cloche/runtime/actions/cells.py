"""Runs Python cells and code of the other languages."""

import anyio

from cloche.events import IPythonRunCellAction, IPythonRunCellObservation, RunCodeAction, RunCodeObservation
from cloche.runtime.actions.long_outputs import LongOutputs
from cloche.runtime.machine import WORKSPACE, Ended, Machine, Process

SETUPS = 100
"""How many set-up codes are kept for new interpreters."""
ATTEMPTS = 2
"""How often a set-up code is tried, if interpreters are lost meanwhile."""
NOTHING_SAID = "[Code executed successfully with no output]"


class Cells:
    """Runs code to its end or its time limit; variables stay for the next cell."""

    def __init__(self, machine: Machine, outputs: LongOutputs) -> None:
        self._machine = machine
        self._outputs = outputs
        self._setups: dict[str, bool] = {}
        """Set-up codes for every new interpreter, and whether this one has run them."""
        self.process: Process | None = None
        """The last code, which may still be running."""
        self._followed = WORKSPACE
        """The shell's folder when Python last changed to it."""

    async def run_ipython(self, action: IPythonRunCellAction, seconds: float, folder: str) -> IPythonRunCellObservation:
        """Run a Python cell, in the shell's current folder."""
        if action.kernel_init_code:
            self._setups.setdefault(action.kernel_init_code, False)
            if len(self._setups) > SETUPS:
                del self._setups[next(iter(self._setups))]
        failed = await self._set_up(seconds)
        # Only now: an interpreter that was replaced meanwhile begins in /workspace.
        moved = folder if folder != self._followed else None
        text, ended = await self._run("python", action.code, None, seconds, moved)
        if not ended.state_lost:
            self._followed = folder
        text = await self._outputs.show(failed + describe_end(text, ended, seconds).rstrip("\n"))
        if not text and not ended.images and not ended.displays:
            text = NOTHING_SAID
        text += "\n" if text else ""
        if action.include_extra:
            text += f"[Jupyter current working directory: {ended.folder or WORKSPACE}]\n"
            text += f"[Jupyter Python interpreter: {self._machine.identity.python}]"
        return IPythonRunCellObservation(text, action.code, list(ended.images) or None, list(ended.displays) or None)

    async def _set_up(self, seconds: float) -> str:
        """Run the set-up codes that this interpreter has not run yet; returns what went wrong.

        A code that ends the interpreter is dropped, or every cell would lose its variables. The new interpreter runs
        the others.
        """
        failed, left = "", dict.fromkeys(self._setups, ATTEMPTS)
        while (code := next((code for code, had in self._setups.items() if not had and left[code]), None)) is not None:
            left[code] -= 1
            text, ended = await self._run("python", code, None, seconds, setup=True)
            self._setups[code] = True
            fatal = ended.state_lost and ended.exit_code != 0
            if fatal:
                del self._setups[code]
            if fatal or ended.error is not None or ended.timed_out:
                failed += describe_end(text, ended, seconds).rstrip("\n") + "\n"
        return failed

    async def run_code(self, action: RunCodeAction, seconds: float) -> RunCodeObservation:
        """Run code in any language."""
        text, ended = await self._run(action.language, action.code, action.stdin, seconds)
        return await self.observe(action, text, ended, seconds)

    async def observe(self, action: RunCodeAction, text: str, ended: Ended, seconds: float) -> RunCodeObservation:
        """The observation of code that has printed this text and ended so."""
        return RunCodeObservation(
            await self._outputs.show(describe_end(text, ended, seconds)),
            action.language,
            action.code,
            ended.value,
            ended.error,
            ended.exit_code,
            "lost" if ended.state_lost else "kept",
            ended.timed_out,
            list(ended.images) or None,
            list(ended.displays) or None,
        )

    async def _run(
        self,
        language: str,
        code: str,
        stdin: str | None,
        seconds: float,
        folder: str | None = None,
        *,
        setup: bool = False,
    ) -> tuple[str, Ended]:
        process = self.process = await self._machine.run(
            language, code, stdin=stdin, timeout=seconds, folder=folder, setup=setup
        )
        try:
            text, ended = await _to_end(process)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await process.stop()
            raise
        if ended.state_lost and language == "python":
            self._followed = WORKSPACE
            self._setups = dict.fromkeys(self._setups, False)
        return text, ended


async def _to_end(process: Process) -> tuple[str, Ended]:
    while (ended := process.ended) is None:
        await process.wait(None)
    return process.take(), ended


def describe_end(text: str, ended: Ended, seconds: float) -> str:
    """The output, then the value, then notes for the reader."""
    if ended.value is not None:
        text += ended.value
    if ended.error is not None and ended.error["traceback"] not in text:
        text += ended.error["traceback"]
    if ended.timed_out:
        text += f"\n[Execution timed out ({seconds:g} seconds): the code was stopped at its time limit.]"
    if ended.state_lost:
        text += "\n[The interpreter had to be restarted: its variables are gone, files are kept.]"
    return text
