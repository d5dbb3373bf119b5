"""Starts a program so that the operating system confines it to a few paths."""

import errno
import functools
import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import msgspec

from cloche import limits
from cloche.errors import ConfigError, ConfinementUnavailable
from cloche.sandbox.confinement import landlock, seccomp

LayerName = Literal["bubblewrap", "landlock", "none"]

ENTROPY = "/dev/urandom"
"""The only device of a sandbox: V8 seeds its hashes from it, or from the clock if it is missing."""

_LAUNCHER = str(Path(__file__).with_name("confined_exec.py"))

_RLIMIT_FSIZE, _RLIMIT_CORE, _RLIMIT_NOFILE = 1, 4, 7
# No limit on the number of processes: it counts those of the user, not of the sandbox, and the filter refuses new ones.
_RLIMITS = ((_RLIMIT_FSIZE, limits.FILES_LIMIT), (_RLIMIT_CORE, 0), (_RLIMIT_NOFILE, limits.OPEN_FILES))

# A limit that cannot be set is lower already. SIGXFSZ is ignored, so that writing beyond the limit of a file is an
# error and does not end the process.
_SHELL_LIMITS = (
    f"{{ ulimit -c 0; ulimit -n {limits.OPEN_FILES}; ulimit -f {limits.FILES_LIMIT // 512}; }} 2>/dev/null; "
    "trap '' XFSZ; exec \"$@\""
)


class BindPath(msgspec.Struct, frozen=True):
    """A host path that the program sees under the same name."""

    host: str
    writable: bool = False


class ConfinedCommand(msgspec.Struct, frozen=True):
    """How to start the program, once, from a thread that lives as long as the program: it dies with that thread."""

    argv: list[str]
    env: dict[str, str]
    pass_fds: tuple[int, ...] = ()
    close_after: tuple[int, ...] = ()
    """Descriptors that the caller closes after the process was started, or could not be."""


def confine_command(
    argv: Sequence[str], *, binds: Sequence[BindPath], env: Mapping[str, str], layer: LayerName, cwd: str = "/"
) -> ConfinedCommand:
    """Wrap a command so that it runs in `layer` and sees only its own binary and libraries, `binds` and `env`.

    bubblewrap adds `PWD` to the environment. With "none" the command stays as it is: no binds, no limits, no `cwd`.
    """
    for bind in binds:
        if not Path(bind.host).is_absolute():
            raise ConfigError(f"a sandbox can be given absolute paths only, not {bind.host!r}")
        if not Path(bind.host).exists():
            raise FileNotFoundError(errno.ENOENT, "a sandbox cannot be given what does not exist", bind.host)
    match layer:
        case "bubblewrap":
            return _in_bubblewrap(argv, binds, env, cwd)
        case "landlock":
            return _in_landlock(argv, binds, env, cwd)
        case "none":
            return ConfinedCommand(list(argv), dict(env))


def _in_bubblewrap(argv: Sequence[str], binds: Sequence[BindPath], env: Mapping[str, str], cwd: str) -> ConfinedCommand:
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise ConfinementUnavailable("bwrap is not on the PATH: install bubblewrap (apt-get install bubblewrap)")
    libraries = find_libraries(argv[0])
    with ExitStack() as opened:
        filter_fd = _memory_file(opened, seccomp.build_filter())
        # The filter refuses what --disable-userns would, which several hosts (containers, gVisor) do not permit.
        options = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        options += ["--hostname", "cloche", "--clearenv", "--seccomp", str(filter_fd)]
        for name, value in env.items():
            options += ["--setenv", name, value]
        options += ["--dev-bind", ENTROPY, ENTROPY]
        for bind in _outermost_first([*map(BindPath, [argv[0], *libraries.files]), *binds]):
            options += ["--bind" if bind.writable else "--ro-bind", bind.host, bind.host]
        # Deno panics when it cannot read this link; a real /proc would show more, and cannot be mounted everywhere.
        options += ["--symlink", argv[0], "/proc/self/exe", "--remount-ro", "/", "--chdir", cwd]
        # Through a file, so that no other user reads the environment in the list of processes.
        options_fd = _memory_file(opened, b"".join(os.fsencode(option) + b"\0" for option in options))
        opened.pop_all()
    command = ["/bin/sh", "-c", _SHELL_LIMITS, "sh", bubblewrap, "--args", str(options_fd), "--", *argv]
    return ConfinedCommand(command, {}, (filter_fd, options_fd), (filter_fd, options_fd))


def _in_landlock(argv: Sequence[str], binds: Sequence[BindPath], env: Mapping[str, str], cwd: str) -> ConfinedCommand:
    _refuse_read_only_inside_writable(binds)
    libraries = find_libraries(argv[0])
    rules = [(path, landlock.READ) for path in (ENTROPY, *libraries.files)]
    rules += [(path, landlock.READ | landlock.EXECUTE) for path in (argv[0], *libraries.loader)]
    shared = landlock.READ | landlock.CONNECT
    rules += [(bind.host, shared | landlock.WRITE if bind.writable else shared) for bind in binds]
    with ExitStack() as opened:
        ruleset = landlock.open_ruleset(rules)
        opened.callback(os.close, ruleset)
        plan = {
            "argv": list(argv),
            "env": dict(env),
            "cwd": cwd,
            "parent": os.getpid(),
            "limits": _RLIMITS,
            "ruleset": ruleset,
            "filter": seccomp.build_filter(modes_by_path=False),
        }
        plan_fd = _memory_file(opened, marshal.dumps(plan))
        opened.pop_all()
    # An interpreter that finds its libraries through this variable needs it to start; the program does not get it.
    start = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    command = [sys.executable, "-I", "-S", _LAUNCHER, str(plan_fd)]
    return ConfinedCommand(command, start, (plan_fd, ruleset), (plan_fd, ruleset))


class SystemLibraries(msgspec.Struct, frozen=True):
    """The shared libraries of a program and, in both lists, the loader that starts it."""

    files: list[str]
    loader: list[str]


def find_libraries(executable: str) -> SystemLibraries:
    """The shared libraries a program is linked to, asked of its own loader."""
    return _find_libraries(executable, Path(executable).stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _find_libraries(executable: str, _changed: int) -> SystemLibraries:
    done = subprocess.run(
        [executable],
        env={"LD_TRACE_LOADED_OBJECTS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    if done.returncode != 0:
        raise ConfinementUnavailable(f"the libraries of {executable} could not be listed: {done.stderr.strip()[-300:]}")
    # Lines are "name => path (address)", and "path (address)" for the loader itself.
    words = [line.split() for line in done.stdout.splitlines()]
    found = [line[2] for line in words if "=>" in line and len(line) > 2]
    loader = [line[0] for line in words if line and line[0].startswith("/") and "=>" not in line]
    return SystemLibraries(files=[*(path for path in found if path.startswith("/")), *loader], loader=loader)


def _outermost_first(binds: Iterable[BindPath]) -> list[BindPath]:
    """A path must be mounted after the paths that contain it; otherwise they would hide it."""
    return sorted(binds, key=lambda bind: len(Path(bind.host).parts))


def _refuse_read_only_inside_writable(binds: Sequence[BindPath]) -> None:
    writable = [Path(bind.host).resolve() for bind in binds if bind.writable]
    for bind in binds:
        path = Path(bind.host).resolve()
        for outer in writable:
            if not bind.writable and path.is_relative_to(outer):
                raise ConfigError(
                    f"{path} cannot be read-only inside {outer}, which is writable: Landlock only adds rights. "
                    "Install bubblewrap, or mount it from somewhere else."
                )


def _memory_file(opened: ExitStack, content: bytes) -> int:
    """An unnamed file with this content, closed with `opened`; in memory, writing never falls short."""
    fd = os.memfd_create("cloche")
    opened.callback(os.close, fd)
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
