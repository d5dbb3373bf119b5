"""os.exec... and os.spawn...: another program in place of this one, or beside it."""

from __future__ import annotations

import errno
import os
import posix
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from cloche_guest.programs import program_state
from cloche_guest.protection import refusals


def _start(path: Any, args: Sequence[Any], env: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    if not args:
        raise ValueError("execv() arg 2 must not be empty")
    if not os.fspath(args[0]):
        raise ValueError("execv() arg 2 first element cannot be empty")
    folder, _ = os.path.split(os.fsdecode(path))
    # subprocess would search a name without a folder in PATH.
    program = path if folder else os.path.join(os.curdir, os.fsdecode(path))  # noqa: PTH118
    return subprocess.Popen(list(args), executable=program, env=env, close_fds=False)


def execve(path: Any, argv: Sequence[Any], env: Mapping[str, str]) -> NoReturn:
    """Execute a program with arguments and an environment, in place of this process."""
    _replace(path, argv, env)


def execv(path: Any, argv: Sequence[Any], /) -> NoReturn:
    """Execute a program with arguments, in place of this process."""
    _replace(path, argv, None)


def _replace(path: Any, argv: Sequence[Any], env: Mapping[str, str] | None) -> NoReturn:
    if not program_state.is_program():
        raise OSError(errno.ENOSYS, "a cell cannot be replaced by a program; use subprocess.run()")
    child = _start(path, argv, env)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda received, _frame: child.send_signal(received))
    while True:
        try:
            code = child.wait()
            break
        except KeyboardInterrupt:
            # It has come to the other program too.
            continue
    if code < 0:
        refusals.end_by(-code)
    refusals.end_process(code)


def _spawn(mode: int, file: Any, args: Sequence[Any], env: Mapping[str, str] | None, search: bool) -> int:
    path = os.fsdecode(file)
    if search and not os.path.dirname(path):  # noqa: PTH120
        path = shutil.which(path, path=os.pathsep.join(os.get_exec_path(env))) or path
    try:
        child = _start(path, args, env)
    except OSError:
        return 127 if mode == os.P_WAIT else -1
    return child.wait() if mode == os.P_WAIT else _leave(child)


def _leave(child: subprocess.Popen[bytes]) -> int:
    # Whoever has started it may wait for it.
    child.returncode = 0
    return child.pid


def spawnv(mode: int, file: Any, args: Sequence[Any]) -> int:
    """Execute a program with arguments in a new process."""
    return _spawn(mode, file, args, None, False)


def spawnve(mode: int, file: Any, args: Sequence[Any], env: Mapping[str, str]) -> int:
    """Execute a program with arguments and an environment in a new process."""
    return _spawn(mode, file, args, env, False)


def spawnvp(mode: int, file: Any, args: Sequence[Any]) -> int:
    """Execute a program, which is searched in PATH, with arguments in a new process."""
    return _spawn(mode, file, args, None, True)


def spawnvpe(mode: int, file: Any, args: Sequence[Any], env: Mapping[str, str]) -> int:
    """Execute a program, which is searched in PATH, with arguments and an environment in a new process."""
    return _spawn(mode, file, args, env, True)


def spawnl(mode: int, file: Any, *args: Any) -> int:
    """Execute a program with arguments in a new process."""
    return spawnv(mode, file, args)


def spawnle(mode: int, file: Any, *args: Any) -> int:
    """Execute a program with arguments and an environment, which comes last, in a new process."""
    return spawnve(mode, file, args[:-1], args[-1])


def spawnlp(mode: int, file: Any, *args: Any) -> int:
    """Execute a program, which is searched in PATH, with arguments in a new process."""
    return spawnvp(mode, file, args)


def spawnlpe(mode: int, file: Any, *args: Any) -> int:
    """Execute a program, which is searched in PATH, with arguments and an environment in a new process."""
    return spawnvpe(mode, file, args[:-1], args[-1])


def install() -> None:
    """Put them in place of the refusals."""
    for module in (os, posix):
        module.execv, module.execve = execv, execve
    os.P_WAIT, os.P_NOWAIT, os.P_NOWAITO = 0, 1, 1
    for function in (spawnv, spawnve, spawnvp, spawnvpe, spawnl, spawnle, spawnlp, spawnlpe):
        setattr(os, function.__name__, function)
        if function.__name__ not in os.__all__:
            os.__all__.append(function.__name__)
