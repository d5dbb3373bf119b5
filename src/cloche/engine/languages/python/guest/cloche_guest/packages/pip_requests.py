"""Has the host run pip: sends it the command line, and prints its output as it arrives."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Sequence
from typing import Any

from cloche_guest import host_requests

Write = Callable[[str], object]


def ask_host(args: Sequence[str], write: Write) -> tuple[int, dict[str, Any]]:
    """Have the host run a pip command; return its exit status and all that it answers."""
    request = _send(args)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    try:
        while piece := request.read():
            write(decode(piece))
        return _read_answer(request.data())
    except host_requests.RequestError as error:
        write(f"ERROR: {error}\n")
        return 1, {}
    finally:
        request.close()


async def ask_host_async(args: Sequence[str]) -> tuple[int, dict[str, Any], str]:
    """The same without blocking the event loop; returns the output too."""
    request = _send(args)
    text = b""
    try:
        while piece := await request.read_async():
            text += piece
        return *_read_answer(await request.data_async()), text.decode("utf-8", "replace")
    except host_requests.RequestError as error:
        return 1, {}, f"ERROR: {error}\n"
    finally:
        request.close()


def _send(args: Sequence[str]) -> host_requests.HostRequest:
    return host_requests.send_request({"kind": "pip", "args": [str(arg) for arg in args], "cwd": os.getcwd()})  # noqa: PTH109


def _read_answer(answer: object) -> tuple[int, dict[str, Any]]:
    known = answer if isinstance(answer, dict) else {}
    status = known.get("exit")
    return (status if isinstance(status, int) else 1), known
