"""Magics that differ from IPython's: scripts go to the sandbox's shell."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.core.magics.script import script_args

from cloche_guest.packages import pip
from cloche_guest.subprocesses import shell_jobs

_NO_OTHER = "there is only pip in this sandbox: %pip install NAME"


@magics_class
class GuestMagics(Magics):
    """Scripts and packages."""

    shell: Any

    @magic_arguments()
    @script_args
    @argument("command", nargs="*")
    @cell_magic
    def script(self, line: str, cell: str) -> None:
        """Run a cell as the input of a command of the sandbox's shell."""
        options, rest = self.script.parser.parse_known_args(line.split())
        words = [*options.command, *rest]
        self._run(words or ["bash"], cell, options)

    @magic_arguments()
    @script_args
    @cell_magic
    def bash(self, line: str, cell: str) -> None:
        """Run a cell with the sandbox's shell."""
        options, rest = self.bash.parser.parse_known_args(line.split())
        self._run(["bash", *rest], cell, options)

    @magic_arguments()
    @script_args
    @cell_magic
    def sh(self, line: str, cell: str) -> None:
        """Run a cell with the sandbox's shell."""
        options, rest = self.sh.parser.parse_known_args(line.split())
        self._run(["bash", *rest], cell, options)

    @magic_arguments()
    @script_args
    @cell_magic
    def python3(self, line: str, cell: str) -> None:
        """Run a cell as a separate Python script."""
        options, rest = self.python3.parser.parse_known_args(line.split())
        self._run(["python3", *(rest or ["-"])], cell, options)

    python = python3

    def _run(self, words: list[str], cell: str, options: Any) -> None:
        wanted = bool(options.out or options.err)
        live = not wanted and sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__
        script = words == ["bash"]
        job = shell_jobs.ShellJob(cell if script else words, shell=script, live=live)
        done = job.run(None if script else cell.encode())
        self.shell.user_ns["_exit_code"] = done.exit
        for name, data, stream in ((options.out, done.stdout, sys.stdout), (options.err, done.stderr, sys.stderr)):
            text = data.decode("utf-8", "replace")
            if name:
                self.shell.user_ns[name] = text
            else:
                stream.write(text)
        if options.raise_error and done.exit:
            raise subprocess.CalledProcessError(done.exit, cell.encode(), done.stdout, done.stderr)

    @line_magic
    def pip(self, line: str) -> None:
        """Install, remove and list packages, as `pip` does."""
        self.shell.user_ns["_exit_code"] = pip.run_pip(shlex.split(line), lambda text: sys.stdout.write(text))

    @line_magic
    def uv(self, line: str) -> None:
        """Do what `uv pip` does."""
        words = shlex.split(line)
        if words[:1] != ["pip"]:
            raise UsageError(_NO_OTHER)
        self.shell.user_ns["_exit_code"] = pip.run_pip(words[1:], lambda text: sys.stdout.write(text))

    @line_magic
    def conda(self, line: str) -> None:
        """Say what to use instead."""
        raise UsageError(_NO_OTHER)

    mamba = micromamba = line_magic(conda)
