"""Starts processes from one dedicated thread, so that event loops are not blocked.

A confined process dies with the thread that started it. Threads of a pool end when they are idle; this one lives as
long as the program. `subprocess` would hold the GIL until the new process has started its program, which takes 0.2 s on
a busy machine: where glibc can do the same, it is called without the GIL.
"""

import ctypes
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import IO, Protocol

_GLIBC = (2, 34)
"""The first version with `posix_spawn_file_actions_addclosefrom_np`."""

_VERSION = "CS_GNU_LIBC_VERSION"
_SETSIGDEF, _SETSID = 0x04, 0x80
_RESTORED = ("SIGPIPE", "SIGXFSZ")
"""Signals that Python ignores, and that other programs expect to have their default action."""

_Opaque = ctypes.c_uint64 * 64
"""Room for each of the glibc structures used here: the largest takes 336 bytes."""


class ChildProcess(Protocol):
    """A started process: the part of `subprocess.Popen` that is used."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    @property
    def stderr(self) -> IO[bytes] | None: ...
    def poll(self) -> int | None: ...


def start_child(argv: Sequence[str], env: Mapping[str, str], pass_fds: Sequence[int]) -> ChildProcess:
    """Start a program, by its path, in its own session; stderr is a pipe, and only these descriptors are passed on."""
    if not _has_glibc():
        null = subprocess.DEVNULL
        return subprocess.Popen(
            argv, 0, stdin=null, stdout=null, stderr=subprocess.PIPE, env=env, pass_fds=pass_fds, start_new_session=True
        )
    read, write = os.pipe()
    try:
        pid = _posix_spawn(argv, env, pass_fds, write)
    except BaseException:
        os.close(read)
        raise
    finally:
        os.close(write)
    return _SpawnedChild(pid, io.FileIO(read))


class _SpawnedChild:
    def __init__(self, pid: int, stderr: IO[bytes]) -> None:
        self.pid = pid
        self.stderr = stderr
        self.returncode: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        with self._lock:
            if self.returncode is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:
                    # It was reaped elsewhere: its exit code is unknown.
                    self.returncode = 0
                else:
                    self.returncode = os.waitstatus_to_exitcode(status) if pid else None
            return self.returncode


def _has_glibc() -> bool:
    if sys.platform != "linux":
        return False
    # Other C libraries do not know this name.
    name, _, version = (os.confstr(_VERSION) or "" if _VERSION in os.confstr_names else "").partition(" ")
    return name == "glibc" and tuple(int(part) for part in version.split(".")[:2]) >= _GLIBC


def _posix_spawn(argv: Sequence[str], env: Mapping[str, str], pass_fds: Sequence[int], stderr: int) -> int:
    libc = ctypes.CDLL(None)
    actions, attributes, defaults, pid = _Opaque(), _Opaque(), _Opaque(), ctypes.c_int()
    libc.posix_spawn_file_actions_init(actions)
    libc.posix_spawnattr_init(attributes)
    try:
        for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
            libc.posix_spawn_file_actions_addopen(actions, number, b"/dev/null", flags, 0)
        libc.posix_spawn_file_actions_adddup2(actions, stderr, 2)
        for fd in pass_fds:
            libc.posix_spawn_file_actions_adddup2(actions, fd, fd)
        _close_others(libc, actions, pass_fds)
        libc.sigemptyset(defaults)
        for name in _RESTORED:
            libc.sigaddset(defaults, int(signal.Signals[name]))
        libc.posix_spawnattr_setsigdefault(attributes, defaults)
        libc.posix_spawnattr_setflags(attributes, ctypes.c_short(_SETSIGDEF | _SETSID))
        variables = [os.fsencode(f"{name}={value}") for name, value in env.items()]
        words = _to_c_strings([os.fsencode(word) for word in argv])
        # ctypes releases the GIL during the call.
        code = libc.posix_spawn(ctypes.byref(pid), words[0], actions, attributes, words, _to_c_strings(variables))
    finally:
        libc.posix_spawn_file_actions_destroy(actions)
        libc.posix_spawnattr_destroy(attributes)
    if code:
        raise OSError(code, os.strerror(code), argv[0])
    return pid.value


def _close_others(libc: ctypes.CDLL, actions: object, kept: Sequence[int]) -> None:
    """Close all other descriptors in the new process, even those that are inheritable."""
    end = max((2, *kept)) + 1
    for fd in set(range(3, end)) - set(kept):
        libc.posix_spawn_file_actions_addclose(actions, fd)
    libc.posix_spawn_file_actions_addclosefrom_np(actions, end)


def _to_c_strings(words: Sequence[bytes]) -> "ctypes.Array[ctypes.c_char_p]":
    """A null-terminated array of C strings."""
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)


class _Spawner:
    """The thread and its queue."""

    def __init__(self) -> None:
        self._starts: SimpleQueue[tuple[Callable[[], None], Future[None]]] = SimpleQueue()
        # A daemon, so that the program does not wait for it: nothing that it starts outlives the program.
        threading.Thread(target=self._work, name="cloche-spawner", daemon=True).start()

    def submit(self, start: Callable[[], None]) -> Future[None]:
        future: Future[None] = Future()
        self._starts.put((start, future))
        return future

    def _work(self) -> None:
        while True:
            start, future = self._starts.get()
            try:
                start()
                future.set_result(None)
            except BaseException as error:  # noqa: BLE001 - the caller gets it from the future
                future.set_exception(error)
            # Not kept until the next start.
            del start, future


class _State:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.spawner: _Spawner | None = None


_state = _State()


def run_in_spawner(start: Callable[[], None]) -> Future[None]:
    """Call `start` in the thread that starts processes, even if the caller stops waiting."""
    with _state.lock:
        if _state.spawner is None:
            _state.spawner = _Spawner()
        return _state.spawner.submit(start)


def _after_fork() -> None:
    # The child of a fork has no threads.
    _state.lock = threading.Lock()
    _state.spawner = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
