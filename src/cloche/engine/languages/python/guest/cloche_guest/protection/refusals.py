"""Refuses what a sandboxed process cannot do, each with a clear error, and keeps exits from ending the interpreter."""

from __future__ import annotations

import _signal
import _thread
import concurrent.futures
import errno
import faulthandler
import multiprocessing
import multiprocessing.context
import multiprocessing.process
import os
import posix
import signal
import sys
import threading
from typing import Any, NoReturn

from cloche_guest import engine_calls
from cloche_guest.net import serial_servers
from cloche_guest.programs import program_state

_THREADS = "threads are not available in this sandbox; use asyncio (coroutines and tasks) instead"
_REQUEST_THREAD = "process_request_thread"
"""The method of socketserver.ThreadingMixIn."""
_PROCESSES = "processes cannot be started from Python in this sandbox; use subprocess.run(), which goes to its shell"
_RECURSION = 50_000

_UNHANDLED = (signal.SIGKILL, signal.SIGSTOP)
_HARMLESS = (signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH)
"""Signals that do nothing to a program that does not handle them."""
_set_recursion_limit = sys.setrecursionlimit


def _no_threads(*_args: Any, **_options: Any) -> NoReturn:
    raise RuntimeError(_THREADS)


def _start_thread(thread: threading.Thread) -> None:
    """Start the thread's activity. There is none, but a server's thread for one request may as well run at once."""
    started: Any = thread
    target, args = started._target, started._args
    if getattr(target, "__name__", "") != _REQUEST_THREAD:
        _no_threads()
    serial_servers.begin_request(target.__self__, args[0])
    target(*args)


def _no_processes(*_args: Any, **_options: Any) -> NoReturn:
    raise OSError(errno.ENOSYS, _PROCESSES)


def _no_multiprocessing(*_args: Any, **_options: Any) -> NoReturn:
    raise RuntimeError(
        "multiprocessing is not available in this sandbox; use asyncio, or subprocess.run() for programs"
    )


def end_process(status: int = 0) -> NoReturn:
    """End the run with this exit status, and call no exit functions."""
    engine_calls.end_program(int(status) & 0xFF)
    raise SystemExit(int(status) & 0xFF)


def abort() -> NoReturn:
    """End the run as an abort would."""
    end_by(signal.SIGABRT)


def end_by(number: int) -> NoReturn:
    """End the program as a signal would."""
    engine_calls.end_program(program_state.SIGNALLED + int(number))
    raise program_state.EndedBySignal(int(number))


def raise_signal(signalnum: int, /) -> None:
    """Send a signal to the executing process."""
    number = int(signalnum)
    handler = signal.SIG_DFL if number in _UNHANDLED else signal.getsignal(number)
    if callable(handler):
        handler(number, _find_caller())
    elif handler != signal.SIG_IGN and number not in _HARMLESS:
        end_by(number)


def _find_caller() -> Any:
    frame: Any = sys._getframe(1)
    while frame is not None and "/cloche_guest/" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame


def set_recursion_limit(limit: int, /) -> None:
    """Set the maximum depth of the Python interpreter stack to n, as far as the sandbox's stack allows."""
    _set_recursion_limit(min(limit, _RECURSION))


class _NoProcessPool:
    """Replaces ProcessPoolExecutor, which needs processes."""

    def __init__(self, *_args: Any, **_options: Any) -> None:
        _no_multiprocessing()


def install() -> None:
    """Install the refusals."""
    threading.Thread.start = _start_thread
    for name in ("start_new_thread", "start_new", "start_joinable_thread"):
        setattr(_thread, name, _no_threads)
    threading._start_joinable_thread = _no_threads
    _refuse_processes()
    for module in (os, posix):
        module._exit = end_process
        module.abort = abort
    for module in (signal, _signal):
        module.raise_signal = raise_signal
    sys.setrecursionlimit = set_recursion_limit
    for name in ("_sigsegv", "_sigabrt", "_sigfpe", "_read_null", "_fatal_error_c_thread", "_stack_overflow"):
        if hasattr(faulthandler, name):
            delattr(faulthandler, name)


def _refuse_processes() -> None:
    prefixes = ("fork", "posix_spawn")
    for module in (os, posix):
        for name in list(vars(module)):
            function = getattr(module, name)
            if name.startswith(prefixes) and callable(function):
                setattr(module, name, _no_processes)
                for known in (
                    os.supports_fd,
                    os.supports_dir_fd,
                    os.supports_effective_ids,
                    os.supports_follow_symlinks,
                ):
                    known.discard(function)
    for name in ("fork", "forkpty", "posix_spawn"):
        setattr(os, name, _no_processes)
    multiprocessing.process.BaseProcess.start = _no_multiprocessing
    for name in ("Pool", "Manager", "Queue", "JoinableQueue", "SimpleQueue", "Value", "Array"):
        _replace_in_multiprocessing(name, _no_multiprocessing)
    # Where there is one process, what threads have is enough for it: many libraries make a lock and never a process.
    for name in ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event", "Barrier"):
        _replace_in_multiprocessing(name, getattr(threading, name))
    concurrent.futures.ProcessPoolExecutor = _NoProcessPool


def _replace_in_multiprocessing(name: str, function: Any) -> None:
    setattr(multiprocessing.context.BaseContext, name, staticmethod(function))
    if hasattr(multiprocessing, name):
        setattr(multiprocessing, name, function)
