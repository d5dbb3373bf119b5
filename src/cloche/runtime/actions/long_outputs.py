"""Outputs that are too long for an observation: shown in part, stored whole in a file of the sandbox."""

from cloche.limits import OUTPUT_FILES, SHOWN_CHARACTERS, SHOWN_LINES
from cloche.runtime.actions.file_texts import shorten_text
from cloche.runtime.actions.text_edits import split_lines
from cloche.runtime.machine import Machine

FOLDER = "/tmp/outputs"


class LongOutputs:
    """Keeps the latest long outputs as files."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._kept = 0

    async def show_command(self, text: str) -> tuple[str, str]:
        """What to show of a command's output, and the note before it if lines are missing."""
        if text.count("\n") < SHOWN_LINES or len(lines := split_lines(text)) <= SHOWN_LINES:
            return await self.show(text), ""
        where = await self._keep(text)
        note = f"Previous command outputs are truncated. Showing the last {SHOWN_LINES} lines of the output below."
        return _shorten_output("".join(lines[-SHOWN_LINES:]), where), f"[{note}{where}]\n"

    async def show(self, text: str) -> str:
        """What to show of a text."""
        return _shorten_output(text, await self._keep(text)) if len(text) > SHOWN_CHARACTERS else text

    async def _keep(self, text: str) -> str:
        """Write it to a file and return where it is; empty if there is no room for it."""
        path = f"{FOLDER}/{self._kept % OUTPUT_FILES + 1}.txt"
        try:
            await self._machine.write(path, text.encode(errors="replace"))
        except OSError:
            return ""
        self._kept += 1
        return f" All of it is in {path}: look into it with `grep -n` or `sed -n`."


def _shorten_output(text: str, where: str) -> str:
    missing = len(text) - SHOWN_CHARACTERS
    return shorten_text(text, f"Observation truncated due to length: {missing} characters are left out here.{where}")
