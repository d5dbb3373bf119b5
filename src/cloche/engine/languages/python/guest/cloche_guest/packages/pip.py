"""Runs `pip` on the host: sends it the command line, and prints its output as it arrives. Projects are built here."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Sequence

from cloche_guest import host_requests

EDITABLE = ("-e", "--editable")


def run_pip(args: Sequence[str], write: Callable[[str], object]) -> int:
    """Run a pip command and return its exit status."""
    if "install" in args and any(os.path.isdir(each.partition("[")[0]) for each in args):  # noqa: PTH112
        return _install_projects(args, write)
    return _run_on_host(args, write)


def _install_projects(args: Sequence[str], write: Callable[[str], object]) -> int:
    """Build the projects among the words, and install their wheels with the rest."""
    # Few programs build anything, and the module needs many others.
    from cloche_guest.packages import build_project

    words: list[str] = []
    editable = False

    def install(names: Sequence[str]) -> int:
        return _run_on_host(["install", "-q", *names], write)

    for word in args:
        name, equals, value = word.partition("=")
        if name in EDITABLE and not equals:
            editable = True
            continue
        if name in EDITABLE or build_project.is_project(word):
            project = value if equals and name in EDITABLE else word
            try:
                write(f"Processing {os.path.abspath(build_project.split_extras(project)[0])}\n")  # noqa: PTH100
                built = build_project.build_project(project, install, editable=editable or name in EDITABLE)
            except build_project.BuildFailed as error:
                write(f"ERROR: {error}\n")
                return 1
            words += [str(built.wheel), *built.extras]
        else:
            words.append(word)
        editable = False
    return _run_on_host(words, write)


def _run_on_host(args: Sequence[str], write: Callable[[str], object]) -> int:
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
