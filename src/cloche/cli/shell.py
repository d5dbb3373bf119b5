"""A shell in a sandbox, line by line."""

import re
import shlex
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import aclosing, suppress
from typing import NamedTuple

import click
from anyio.from_thread import BlockingPortal, start_blocking_portal

from cloche.cli import exits
from cloche.cli.options import Settings
from cloche.cli.render import say, tell_end, write
from cloche.cli.session import open_sandbox
from cloche.errors import ConfigError, SandboxError
from cloche.sandbox.result import Result, Text
from cloche.sandbox.sandbox import Sandbox

_HOME = "/home/user"
_OPEN_END = re.compile(r"(\||&&|\\)\s*$")
_HEREDOC = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2")
_SYNTAX = re.compile(r"^bash: (?:line \d+: |syntax error: )")
_AT = re.compile(r"Parse error at (\d+):(\d+)")


def converse(settings: Settings) -> int:
    """Read a line, run it, until `exit` or Ctrl-D; the last exit code is returned."""
    if settings.as_json:
        raise click.UsageError("--json needs a command: give one with -c.")
    try:
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(open_sandbox(settings, "bash")) as box,
        ):
            say("a shell under glass; exit or Ctrl-D leaves it")
            return _Shell(portal, box, settings.timeout).converse()
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except SandboxError as error:
        say(str(error))
        return exits.UNAVAILABLE


class _Prompt(NamedTuple):
    """Where the shell is and how the last command ended."""

    cwd: str
    code: int


class _Shell:
    """The conversation: the person in this thread, the sandbox in the portal's."""

    def __init__(self, portal: BlockingPortal, box: Sandbox, timeout: float) -> None:
        self._portal = portal
        self._box = box
        self._timeout = timeout
        self._at = _Prompt("/workspace", 0)
        _edit_lines(self._complete)

    def converse(self) -> int:
        while True:
            try:
                line = _read_line(self._prompt())
                if line is None:
                    click.echo("exit", err=True)
                    return self._at.code
                if not line.strip():
                    continue
                code = self._enter(line)
            except KeyboardInterrupt:
                click.echo(err=True)
                code = exits.INTERRUPTED
            else:
                if line.split()[0] in ("exit", "logout"):
                    return code
            self._at = self._look(code)

    def _prompt(self) -> str:
        cwd = self._at.cwd
        if cwd == _HOME or cwd.startswith(_HOME + "/"):
            cwd = "~" + cwd[len(_HOME) :]
        return f"cloche:{cwd}$ "

    def _enter(self, text: str) -> int:
        """Run what was entered, and ask for more lines as long as it is not whole."""
        while (code := None if is_open(text) else self._run(text)) is None:
            more = _read_line("> ")
            if more is None:
                say("the command has no end")
                return exits.USAGE
            text = text[:-1] + more if text.endswith("\\") else f"{text}\n{more}"
        return code

    def _run(self, text: str) -> int | None:
        """Its exit code, or None if more of it is to come."""
        result = self._wait(self._portal.start_task_soon(_run_line, self._box, text))
        if result is None:
            return None
        tell_end(result, self._timeout)
        return result.exit_code

    def _look(self, code: int) -> _Prompt:
        """Ask where the shell is now, and put back what `$?` was."""
        script = f'builtin printf %s "$PWD" 2>/dev/null; (exit {code})'
        result = self._portal.call(self._box.bash, script)
        ahead, slash, cwd = result.stdout.rpartition("\n")
        # Background jobs may have written meanwhile.
        write("stdout", ahead + slash)
        return _Prompt(cwd if cwd.startswith("/") else self._at.cwd, code)

    def _wait(self, future: "Future[Result | None]") -> Result | None:
        """The result; Ctrl-C stops the command, not the shell."""
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                click.echo(err=True)
                self._portal.start_task_soon(self._box.interrupt)

    def _complete(self, word: str) -> list[str]:
        script = f"compgen -f -- {shlex.quote(word)}; (exit {self._at.code})"
        with suppress(SandboxError):
            result = self._portal.call(self._box.bash, script)
            return result.stdout.split("\n")[:-1]
        return []


async def _run_line(box: Sandbox, text: str) -> Result | None:
    """Run it and print what it prints; None if it was not whole, which nothing has been run of."""
    async with aclosing(box.stream(text, language="bash")) as events:
        held = ""
        async for event in events:
            match event:
                case Text("stderr", message) if held or _SYNTAX.match(message):
                    held += message
                case Text(stream, message):
                    write(stream, message)
                case Result():
                    if event.exit_code == 2 and not event.stdout and lacks_end(held, text):
                        return None
                    write("stderr", held)
                    return event
                case _:
                    pass
    raise SandboxError("the sandbox gave no result")


def _read_line(prompt: str) -> str | None:
    """A line, None at the end."""
    try:
        return input(prompt)
    except EOFError:
        return None


def lacks_end(message: str, text: str) -> bool:
    """Whether bash complains that the text ended too early."""
    if "unexpected EOF" in message or "got EOF" in message:
        return True
    found = _AT.search(message)
    lines = text.split("\n")
    return found is not None and (int(found[1]), int(found[2])) >= (len(lines), len(lines[-1]) + 1)


def is_open(text: str) -> bool:
    """Whether the text itself says that more is to come: an operator at its end, a here-document without end."""
    if _OPEN_END.search(text.rpartition("\n")[2]):
        return True
    lines = text.split("\n")
    for index, line in enumerate(lines):
        for dash, _, word in _HEREDOC.findall(line):
            rest = [each.lstrip("\t") if dash else each for each in lines[index + 1 :]]
            if word not in rest:
                return True
    return False


def _edit_lines(complete: Callable[[str], list[str]]) -> None:
    """Line editing, history and completion of file names, where Python was built with them."""
    try:
        import readline
    except ImportError:
        return
    found: list[str] = []

    def completer(word: str, index: int) -> str | None:
        if index == 0:
            found[:] = complete(word)
        return found[index] if index < len(found) else None

    readline.set_completer(completer)
    readline.set_completer_delims(" \t\n;|&<>()=")
    readline.parse_and_bind("tab: complete")
