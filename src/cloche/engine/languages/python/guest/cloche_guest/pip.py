"""`pip` as the host does it: a command line goes there, text comes back as it is written."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Sequence

from cloche_guest import asks


def run(args: Sequence[str], write: Callable[[str], object]) -> int:
    """Run a command of pip and return its exit status."""
    asked = _ask(args)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    try:
        while piece := asked.read():
            write(decode(piece))
        return _exit(asked.data())
    except asks.AskError as error:
        write(f"ERROR: {error}\n")
        return 1
    finally:
        asked.close()


async def run_async(args: Sequence[str]) -> tuple[int, str]:
    """Run a command of pip while the event loop goes on; its exit status, and all that it wrote."""
    asked = _ask(args)
    text = b""
    try:
        while piece := await asked.read_async():
            text += piece
        return _exit(await asked.data_async()), text.decode("utf-8", "replace")
    except asks.AskError as error:
        return 1, f"ERROR: {error}\n"
    finally:
        asked.close()


def _ask(args: Sequence[str]) -> asks.Asked:
    return asks.ask({"kind": "pip", "args": [str(arg) for arg in args], "cwd": os.getcwd()})  # noqa: PTH109


def _exit(answer: object) -> int:
    status = answer.get("exit") if isinstance(answer, dict) else None
    return status if isinstance(status, int) else 1
