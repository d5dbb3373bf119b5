"""`pip` inside: the host installs packages, projects are built here."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cloche_guest.packages import source_installs
from cloche_guest.packages.pip_requests import Write, ask_host, ask_host_async
from cloche_guest.packages.source_installs import FROM_SOURCE
from cloche_guest.programs import virtual_environment

CHANGES = ("install", "uninstall")


def run_pip(args: Sequence[str], write: Write) -> int:
    """Run a pip command and return its exit status."""
    words = [str(arg) for arg in args]
    if words[:1] == [FROM_SOURCE] or ("install" in words and _names_files(words)):
        status = source_installs.run(words, write)
    else:
        status, answer = ask_host(words, write)
        if "source" in answer:
            status = source_installs.run([FROM_SOURCE, answer["source"], answer.get("error", ""), *words], write)
    if status == 0 and sys.prefix != sys.base_prefix and not set(CHANGES).isdisjoint(words):
        virtual_environment.write_scripts()
    return status


def _names_files(words: Sequence[str]) -> bool:
    """Whether some word may name a project or a source archive; files of requirements may name more."""
    starts = ("-e", "--editable", "-r", "--requirement", ".")
    ends = (".gz", ".tgz", ".bz2", ".xz", ".zip")
    return any(word.startswith(starts) or word.endswith(ends) or "/" in word for word in words)


async def run_pip_async(args: Sequence[str]) -> tuple[int, str]:
    """Run a pip command without blocking the event loop, unless it builds; return its exit status and its output."""
    status, answer, text = await ask_host_async(args)
    if "source" not in answer:
        return status, text
    pieces = [text]
    words = [FROM_SOURCE, answer["source"], answer.get("error", ""), *map(str, args)]
    status = source_installs.run(words, pieces.append)
    return status, "".join(pieces)
