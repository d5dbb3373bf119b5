"""What differs between the prompts of Python, bash and the other languages."""

from asyncio import wrap_future
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as TooLate
from typing import TYPE_CHECKING, Protocol

from anyio import fail_after
from anyio.from_thread import BlockingPortal
from prompt_toolkit.formatted_text import AnyFormattedText

from cloche.errors import SandboxError
from cloche.sandbox.results.result import Result
from cloche.sandbox.sandbox import Completeness, Completion

if TYPE_CHECKING:
    from cloche.cli.any_sandbox import AnySandbox

PATIENCE = 2.0
"""Seconds that the sandbox may take to answer about code that is being typed."""

_HOME = "/home/user"


def split_address(language: str, text: str) -> tuple[str, str]:
    """Choose the language of a cell: `!CMD` is bash; Python and bash handle it themselves."""
    if language not in ("python", "bash") and text.startswith("!"):
        return "bash", text[1:]
    return language, text


class PromptStyle(Protocol):
    """A language at the prompt."""

    language: str
    code: int
    """The exit code if the session ended now."""

    def refresh(self) -> str:
        """Update the prompt; returns what was written since the last cell."""
        ...

    def prompt(self) -> AnyFormattedText: ...
    def continuation(self, width: int) -> AnyFormattedText: ...
    def leaves(self, text: str, result: Result | None) -> bool:
        """Whether this cell ends the session, before it has a result or after."""
        ...

    def heading(self) -> str:
        """What is shown before the value of a cell."""
        ...

    gap: str
    """What is shown between the output of a cell and the next prompt."""


class CodeAdvice:
    """Asks the sandbox about code that is being typed."""

    def __init__(self, portal: BlockingPortal, box: "AnySandbox", language: str) -> None:
        self._portal = portal
        self._box = box
        self._language = language

    def check(self, text: str) -> Completeness:
        """Whether the code is complete; without an answer it counts as complete."""
        future = self._portal.start_task_soon(self._check, text)
        try:
            return future.result(PATIENCE)
        except (SandboxError, TooLate, CancelledError):
            future.cancel()
            return Completeness("complete")

    async def _check(self, text: str) -> Completeness:
        language, code = split_address(self._language, text)
        return await self._box.is_complete(code, language=language)

    async def complete(self, text: str, cursor: int) -> Completion:
        """Completions at the cursor; awaited in the editor's own event loop."""
        future = self._portal.start_task_soon(self._complete, text, cursor)
        try:
            with fail_after(PATIENCE):
                return await wrap_future(future)
        except (SandboxError, TimeoutError):
            return Completion([], cursor, cursor)
        finally:
            future.cancel()

    async def _complete(self, text: str, cursor: int) -> Completion:
        language, code = split_address(self._language, text)
        ahead = len(text) - len(code)
        found = await self._box.complete(code, max(0, cursor - ahead), language=language)
        return Completion(found.matches, found.start + ahead, found.end + ahead)


class PythonPrompt:
    """Numbered cells."""

    language = "python"
    gap = "\n"
    code = 0

    def __init__(self, advice: CodeAdvice) -> None:
        self._advice = advice
        self._count = 1
        self._ran = False

    def refresh(self) -> str:
        """Ask for the number of the next cell; without an answer, it is the next one only if a cell has run."""
        self._count = self._advice.check("").count or self._count + self._ran
        self._ran = False
        return ""

    def prompt(self) -> AnyFormattedText:
        return [("class:prompt", "In ["), ("class:prompt.number", str(self._count)), ("class:prompt", "]: ")]

    def continuation(self, width: int) -> AnyFormattedText:
        return [("class:continuation", "...: ".rjust(width))]

    def leaves(self, text: str, result: Result | None) -> bool:
        self._ran = result is not None
        return result is None and text.strip() in ("exit", "quit", "exit()", "quit()")

    def heading(self) -> str:
        return f"Out[{self._count}]: "


class PlainPrompt:
    """Any other language: its name before each cell."""

    gap = ""
    code = 0

    def __init__(self, language: str) -> None:
        self.language = language

    def refresh(self) -> str:
        return ""

    def prompt(self) -> AnyFormattedText:
        return [("class:prompt", f"{self.language}> ")]

    def continuation(self, width: int) -> AnyFormattedText:
        return [("class:continuation", "| ".rjust(width))]

    def leaves(self, text: str, result: Result | None) -> bool:
        return result is None and text.strip() in (
            "exit",
            "quit",
            "exit()",
            "quit()",
            ".quit",
            ".exit",
            "(exit)",
            "q()",
        )

    def heading(self) -> str:
        return "=> "


class BashPrompt:
    """Commands in a folder."""

    language = "bash"
    gap = ""

    def __init__(self, portal: BlockingPortal, box: "AnySandbox") -> None:
        self._portal = portal
        self._box = box
        self._cwd = "/workspace"
        self.code = 0

    def refresh(self) -> str:
        """Ask for the shell's folder, and restore `$?`."""
        script = f'builtin printf %s "$PWD" 2>/dev/null; (exit {self.code})'
        try:
            result = self._portal.call(self._box.bash, script)
        except SandboxError:
            return ""
        # Background jobs may have written meanwhile.
        ahead, slash, cwd = result.stdout.rpartition("\n")
        if cwd.startswith("/"):
            self._cwd = cwd
        return ahead + slash

    def prompt(self) -> AnyFormattedText:
        cwd = self._cwd
        if cwd == _HOME or cwd.startswith(_HOME + "/"):
            cwd = "~" + cwd[len(_HOME) :]
        mark = "class:prompt.failed" if self.code else "class:prompt"
        return [("class:prompt", "cloche:"), ("class:prompt.folder", cwd), (mark, "$ ")]

    def continuation(self, width: int) -> AnyFormattedText:
        return [("class:continuation", "> ".rjust(width))]

    def leaves(self, text: str, result: Result | None) -> bool:
        if result is None:
            return False
        self.code = result.exit_code
        return text.split()[0] in ("exit", "logout")

    def heading(self) -> str:
        return ""
