"""Runs `pip` on the host: sends it the command line, and prints its output as it arrives."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Sequence

from cloche_guest import host_requests


def run_pip(args: Sequence[str], write: Callable[[str], object]) -> int:
    """Run a pip command and return its exit status."""
    request = _send(args)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    try:
        while piece := request.read():
            write(decode(piece))
        return _exit(request.data())
    except host_requests.RequestError as error:
        write(f"ERROR: {error}\n")
        return 1
    finally:
        request.close()


async def run_pip_async(args: Sequence[str]) -> tuple[int, str]:
    """Run a pip command without blocking the event loop; return its exit status and its output."""
    request = _send(args)
    text = b""
    try:
        while piece := await request.read_async():
            text += piece
        return _exit(await request.data_async()), text.decode("utf-8", "replace")
    except host_requests.RequestError as error:
        return 1, f"ERROR: {error}\n"
    finally:
        request.close()


def _send(args: Sequence[str]) -> host_requests.HostRequest:
    return host_requests.send_request({"kind": "pip", "args": [str(arg) for arg in args], "cwd": os.getcwd()})  # noqa: PTH109


def _exit(answer: object) -> int:
    status = answer.get("exit") if isinstance(answer, dict) else None
    return status if isinstance(status, int) else 1
