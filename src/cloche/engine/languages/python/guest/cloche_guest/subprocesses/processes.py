"""Processes as the system would have them: started, awaited and signalled; the sandbox's shell runs them."""

from __future__ import annotations

import errno
import itertools
import json
import os
import posix
import select
import subprocess
import time
from collections.abc import Sequence
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.programs import program_state
from cloche_guest.protection import refusals

PYTHON = "/usr/bin/python3"
"""The value of sys.executable; the shell knows it as python3."""

_RUNS, _UNKNOWN = -1, -2
_COMMANDS = ("/usr/bin/", "/bin/")
_NO_PREPARATION = "preexec_fn is not available in this sandbox: a process is not a copy of its parent here"
_getpid = os.getpid
_umask = os.umask
_own = 0
_children: set[int] = set()
_unborn = itertools.count(10_000_000)
_statuses: dict[int, int] = {}
_SESSIONS = (getattr(os, "setsid", None), getattr(os, "setpgrp", None))


def set_own_number(pid: int) -> None:
    """Say which process this is."""
    global _own
    _own = pid


def getpid() -> int:
    """Return the current process id."""
    return _own or _getpid()


def pipe() -> tuple[int, int]:
    """Create a pipe; return its two descriptors, to read and to write."""
    reader, writer = json.loads(engine_calls.call_engine("pipe"))
    return reader, writer


def fork_exec(
    args: Any, executable_list: Sequence[bytes], close_fds: bool, pass_fds: Sequence[int], cwd: Any,
    env: Sequence[bytes] | None, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int, errread: int, errwrite: int,
    errpipe_read: int, errpipe_write: int, restore_signals: bool, start_new_session: bool, process_group: int,
    gid: Any, extra_groups: Any, uid: Any, umask: int, preexec_fn: Any, *_more: Any,
) -> int:  # fmt: skip
    """Start a program; what cannot be started is written to `errpipe_write`, as a child would."""
    words = [os.fsdecode(word) for word in args]
    variables = dict(os.environ) if env is None else dict(os.fsdecode(each).split("=", 1) for each in env)
    if any("\0" in word for word in (*words, *variables, *variables.values())):
        raise ValueError("embedded null byte")
    if preexec_fn is not None and preexec_fn not in _SESSIONS:
        raise subprocess.SubprocessError(_NO_PREPARATION)
    try:
        _check_identity(uid, gid, extra_groups)
        folder = _find_folder(cwd)
        program = _find_program([os.fsdecode(path) for path in executable_list], folder)
    except OSError as error:
        os.write(errpipe_write, f"OSError:{error.errno:x}:{error.strerror}".encode())
        return _end_at_once()
    places = {number: own if own >= 0 else number for number, own in enumerate((p2cread, c2pwrite, errwrite))}
    places.update({number: number for number in pass_fds if number not in (errpipe_write, 0, 1, 2)})
    program_state.flush_output()
    return _start([program, *words[1:]], folder, variables, places, umask)


def _end_at_once() -> int:
    """A child that could not run its program."""
    pid = next(_unborn)
    _statuses[pid] = 255 << 8
    _children.add(pid)
    return pid


def _check_identity(uid: Any, gid: Any, groups: Any) -> None:
    wanted = ((uid, os.getuid()), (gid, os.getgid()), (groups, None))
    if any(value is not None and value != own for value, own in wanted):
        raise PermissionError(errno.EPERM, "noexec")


def _find_folder(cwd: Any) -> str:
    if cwd is None:
        return os.getcwd()  # noqa: PTH109 - a string for the request
    try:
        if not os.path.isdir(cwd):  # noqa: PTH112
            os.listdir(cwd)  # noqa: PTH208 - it says what is wrong with it
    except OSError as error:
        raise OSError(error.errno, "noexec:chdir") from None
    return os.path.abspath(os.fsdecode(cwd))  # noqa: PTH100


def _find_program(paths: list[str], folder: str) -> str:
    failure = OSError(errno.ENOENT, "")
    for path in paths:
        whole = os.path.join(folder, path)  # noqa: PTH118
        if not os.path.isfile(whole):  # noqa: PTH113
            if os.path.isdir(whole) or os.path.isfile(os.path.dirname(whole)):  # noqa: PTH112, PTH113, PTH120
                failure = OSError(errno.EACCES if os.path.isdir(whole) else errno.ENOTDIR, "")  # noqa: PTH112
            continue
        if not os.access(whole, os.X_OK):
            failure = OSError(errno.EACCES, "")
            continue
        if not whole.startswith(_COMMANDS):
            with open(whole, "rb") as file:  # noqa: PTH123
                if file.read(2) != b"#!":
                    raise OSError(errno.ENOEXEC, "")
        return whole
    raise failure


def _start(words: list[str], folder: str, env: dict[str, str], places: dict[int, int], umask: int) -> int:
    own_umask = _umask(0o22)
    _umask(own_umask)
    request = {
        "argv": words, "cwd": folder, "env": env, "umask": own_umask if umask < 0 else umask,
        "descriptors": places, "unnamed": [own for own in set(places.values()) if not _has_name(own)],
    }  # fmt: skip
    pid = int(engine_calls.call_engine("start_child", json.dumps(request)))
    _children.add(pid)
    return pid


def _has_name(number: int) -> bool:
    """Whether the shell could open a file by its path."""
    try:
        return os.path.samestat(os.fstat(number), os.stat(os.readlink(f"/proc/self/fd/{number}")))  # noqa: PTH115, PTH116
    except OSError:
        return False


def waitpid(pid: int, options: int, /) -> tuple[int, int]:
    """Wait for completion of a given child process; return its number and status."""
    end = time.monotonic() if options & os.WNOHANG else None
    while True:
        rings = engine_calls.count_rings()
        if (found := _find_ended(pid)) is not None:
            return found
        if end is not None:
            return 0, 0
        engine_calls.await_ring(rings)


def _find_ended(pid: int) -> tuple[int, int] | None:
    candidates = [pid] if pid > 0 else list(_children)
    unknown = 0
    for number in candidates:
        status = _statuses.pop(number) if number in _statuses else int(engine_calls.call_engine("child_status", number))
        if status == _UNKNOWN:
            unknown += 1
        elif status != _RUNS:
            _children.discard(number)
            return number, status
    if unknown == len(candidates):
        raise ChildProcessError(errno.ECHILD, os.strerror(errno.ECHILD))
    return None


def wait() -> tuple[int, int]:
    """Wait for completion of any child process."""
    return waitpid(-1, 0)


def kill(pid: int, signalnum: int, /) -> None:
    """Send a signal to a process: this one, one that it has started, or another of the sandbox."""
    number = int(signalnum)
    if pid in (0, -1, os.getpid()):
        if number:
            refusals.raise_signal(number)
    elif pid in _children:
        if number:
            engine_calls.call_engine("signal_child", pid, number)
    elif subprocess.call(["kill", f"-{number}", str(pid)], stderr=subprocess.DEVNULL):
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))


def system(command: Any, /) -> int:
    """Execute the command in a subshell; return its status."""
    code = subprocess.call(command, shell=True)
    return -code if code < 0 else code << 8


def install() -> None:
    """Give CPython's own subprocess what it needs of the system."""
    for module in (os, posix):
        module.pipe, module.waitpid, module.wait = pipe, waitpid, wait
        module.kill = module.killpg = kill
        module.getpid, module.system = getpid, system
    subprocess._can_fork_exec = True
    subprocess._fork_exec = fork_exec
    subprocess._USE_POSIX_SPAWN = False
    safe = subprocess._del_safe
    safe.waitpid, safe.WNOHANG = waitpid, os.WNOHANG
    safe.waitstatus_to_exitcode, safe.WIFSTOPPED, safe.WSTOPSIG = os.waitstatus_to_exitcode, os.WIFSTOPPED, os.WSTOPSIG
    subprocess._PopenSelector = subprocess.selectors.PollSelector
    subprocess._PIPE_BUF = getattr(select, "PIPE_BUF", 512)
