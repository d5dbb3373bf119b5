"""Commands in the session's one shell: started, awaited, polled, fed and stopped."""

import time

import anyio

from cloche.events import CmdOutputMetadata, CmdOutputObservation, CmdRunAction
from cloche.runtime.actions.long_outputs import LongOutputs
from cloche.runtime.machine import WORKSPACE, Ended, Machine, Process
from cloche.sandbox.fresh_shell import in_fresh_shell

RUNNING = -1
"""The exit code of a command that is still running."""

KEYS = {"C-c", "C-d", "C-z"}
HOW_ON = (
    "You may wait longer to see additional output by sending empty command '', send it input with `is_input`, or stop "
    'it with the key "C-c" (`is_input`) before you send another command.'
)
ASKS = (
    '\n[The command waits for input: send a line with `is_input`, end the input with the key "C-d", or stop it with '
    '"C-c".]'
)
TOLD = 1000
"""The most characters of a command that messages quote."""
LINGER = 0.05
"""Seconds to wait for output that was printed before a question."""
NOTHING_RUNS = "ERROR: No previous running command to {}. Send a command first."
NOT_EXECUTED = (
    '\n[Your command "{}" is NOT executed. The previous command is still running, and the shell takes one at a time. '
    + HOW_ON
    + "]"
)
TIMED_OUT = f"\n[The command timed out after {{:.1f}} seconds. {HOW_ON}]"
SILENT = f"\n[The command has no new output after {{:g}} seconds. {HOW_ON}]"


class Commands:
    """Runs one command at a time; a long one continues while others poll it."""

    def __init__(self, machine: Machine, outputs: LongOutputs, no_change_timeout: float) -> None:
        self._machine = machine
        self._outputs = outputs
        self._patience = no_change_timeout
        self.process: Process | None = None
        """The last command, which may still be running; None once its end was reported."""
        self._folder = WORKSPACE
        self._left = ""
        """What the previous command has printed since it was last polled."""

    @property
    def folder(self) -> str:
        """The shell's folder when the last command ended."""
        return self._folder

    def move(self, folder: str | None) -> None:
        """Note where the shell is after code that was run beside these commands."""
        self._folder = folder or self._folder

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.ended is None

    async def run(self, action: CmdRunAction, seconds: float) -> CmdOutputObservation:
        """Execute the action and describe how far it got."""
        command = action.command.strip()
        if action.is_input:
            return await self._input(action, command, seconds)
        if not command:
            return await self._poll(action, seconds)
        if self.running:
            return await self._tell(action, NOT_EXECUTED.format(action.command[:TOLD]), continued=True)
        self._left = self.process.take() if self.process is not None else ""
        code = in_fresh_shell(action.command, action.cwd) if action.is_static else action.command
        self.process = await self._machine.run("bash", code)
        return await self._follow(action, seconds)

    async def _poll(self, action: CmdRunAction, seconds: float) -> CmdOutputObservation:
        if self.process is None:
            return _make_refusal(action, NOTHING_RUNS.format("retrieve logs from"))
        return await self._follow(action, seconds, continued=True)

    async def _input(self, action: CmdRunAction, keys: str, seconds: float) -> CmdOutputObservation:
        process = self.process
        if process is None or not self.running:
            return _make_refusal(action, NOTHING_RUNS.format("interact with"))
        if keys == "C-z":
            suffix = "\n[CTRL+Z was not sent: this shell cannot suspend a command. Use C-c.]"
            return await self._tell(action, suffix, continued=True)
        if keys == "C-c":
            if not await process.interrupt_line():
                await process.stop()
        else:
            await process.send(None if keys == "C-d" else action.command)
        return await self._follow(action, seconds, continued=True, key=keys if keys in KEYS else "")

    async def _follow(
        self, action: CmdRunAction, seconds: float, *, continued: bool = False, key: str = ""
    ) -> CmdOutputObservation:
        """Wait for the end, for silence, or for the time limit; only the end stops the command."""
        process = self.process
        assert process is not None
        try:
            why = await self._wait(process, action, seconds)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await process.stop()
            raise
        if process.ended is None:
            return await self._tell(action, why, continued=continued)
        if process.ended.folder or process.ended.state_lost:
            self._folder = process.ended.folder or WORKSPACE
        suffix = describe_completion(process.ended, key)
        observation = await self._tell(action, suffix, continued=continued, exit_code=process.ended.exit_code)
        self.process = None
        return observation

    async def _wait(self, process: Process, action: CmdRunAction, seconds: float) -> str:
        begun = changed = time.monotonic()
        # A poll waits even if the command asks for input.
        polls = not action.is_input and not action.command.strip()
        while process.ended is None:
            now = time.monotonic()
            if now - begun >= seconds:
                return TIMED_OUT.format(seconds)
            if not action.blocking and now - changed >= self._patience:
                return SILENT.format(self._patience)
            if process.asks and not polls:
                if not await process.wait(LINGER) and process.asks:
                    return ASKS
                continue
            left = seconds - (now - begun)
            quiet = left if action.blocking else min(left, self._patience - (now - changed))
            if await process.wait(quiet):
                changed = time.monotonic()
        return ""

    async def _tell(
        self, action: CmdRunAction, suffix: str, *, continued: bool = False, exit_code: int = RUNNING
    ) -> CmdOutputObservation:
        text, truncated = self.process.take() if self.process is not None else "", ""
        if not action.hidden:
            text, truncated = await self._outputs.show_command(text)
        before = "[Below is the output of the previous command.]\n" if continued else await self._take_left()
        identity = self._machine.identity
        return CmdOutputObservation(
            text,
            action.command,
            CmdOutputMetadata(
                exit_code=exit_code,
                username=identity.user,
                hostname=identity.host,
                working_dir=self._folder,
                py_interpreter_path=identity.python,
                prefix=before + truncated,
                suffix=suffix,
            ),
            action.hidden,
        )

    async def _take_left(self) -> str:
        left, self._left = self._left, ""
        return f"[The previous command has ended. Its last output:]\n{await self._outputs.show(left)}\n" if left else ""


def _make_refusal(action: CmdRunAction, text: str) -> CmdOutputObservation:
    return CmdOutputObservation(text, action.command, CmdOutputMetadata(exit_code=RUNNING), action.hidden)


def describe_completion(ended: Ended, key: str = "") -> str:
    """What follows the output of a command that has ended."""
    sent = f" CTRL+{key[-1].upper()} was sent." if key else ""
    lost = " The shell had to be restarted: its variables and folder are as at the start." if ended.state_lost else ""
    return f"\n[The command completed with exit code {ended.exit_code}.{sent}{lost}]"
