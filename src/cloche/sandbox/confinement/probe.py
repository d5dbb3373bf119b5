"""Finds a layer of the operating system that works here, by starting it and trying to escape from it."""

import errno
import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from cloche.errors import ConfinementUnavailable
from cloche.options import Confinement
from cloche.sandbox.confinement import landlock, seccomp
from cloche.sandbox.confinement.confine import BindPath, LayerName, confine_command
from cloche.sandbox.process.engine_paths import find_deno

_ATTEMPTS = Path(__file__).with_name("attempts.js")
_PATIENCE = 20.0
"""Seconds the self-test may take on a busy host."""

_NEEDS = 3
"""How many things in attempts.js a sandbox must be able to do."""

_SHORT = tuple(os.strerror(code) for code in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN))
"""What programs print when a resource is short for a moment."""

_KNOWN_GAP = "connect to a socket outside"
"""Landlock cannot refuse this before ABI 9; Deno's permissions do."""


class HostSurvey(msgspec.Struct, frozen=True):
    """What this machine has to confine a process with."""

    platform: str
    architecture: str
    bubblewrap: str | None
    landlock: int
    """The ABI of Landlock, 0 without it."""


class Layer(msgspec.Struct, frozen=True):
    """A way to confine a process, whether it works here, and if not, why and what to do."""

    name: LayerName
    holds: bool
    detail: str
    tested: bool = True
    """False if the self-test could not run this time, which says nothing about the layer."""


def survey_host() -> HostSurvey:
    """Look for what the layers need, without trying them."""
    return HostSurvey(sys.platform, platform.machine(), shutil.which("bwrap"), landlock.landlock_version())


def probe_layers(host: HostSurvey | None = None, *, deno: str | None = None) -> list[Layer]:
    """Try every layer, strongest first, with this Deno (blocks for about 50 ms each)."""
    host = host or survey_host()
    return [try_layer(name, host, deno or find_deno()) for name in ("bubblewrap", "landlock")]


def choose_best(confinement: Confinement, host: HostSurvey | None = None, *, deno: str | None = None) -> Layer:
    """The strongest layer that works; the layer "none" if none does.

    ConfinementUnavailable if one is required, or if one that might hold could not be tested.
    """
    if confinement == "none":
        return Layer("none", False, "not confined by the operating system, as asked for")
    host = host or survey_host()
    tried: list[Layer] = []
    for name in ("bubblewrap", "landlock"):
        layer = try_layer(name, host, deno or find_deno())
        if layer.holds:
            # The next start tests the stronger layer again that could not be tested now.
            return msgspec.structs.replace(layer, tested=all(each.tested for each in tried))
        tried.append(layer)
    reasons = [f"{layer.name}: {layer.detail}" for layer in tried]
    if not all(layer.tested for layer in tried):
        raise ConfinementUnavailable(
            f"it could not be tested whether the operating system confines a sandbox: {'; '.join(reasons)}. Try again "
            "when this machine has more descriptors (ulimit -n), memory or time to spare."
        )
    if confinement == "require":
        raise ConfinementUnavailable(
            "the operating system cannot confine a sandbox here, and confinement is required:\n"
            + "\n".join(f"  {reason}" for reason in reasons)
            + '\nMend one of these, or pass confinement="auto" to run with the other layers only.'
        )
    return Layer("none", False, "; ".join(reasons))


def try_layer(name: LayerName, host: HostSurvey, deno: str) -> Layer:
    """Start Deno in one layer, try to escape, and judge what happened."""
    if reason := _find_missing(name, host):
        return Layer(name, False, reason)
    try:
        return _judge_attempts(name, host, _run_attempts(name, deno))
    except subprocess.TimeoutExpired:
        return Layer(name, False, f"the self-test did not end within {_PATIENCE:g} s", tested=False)
    except (OSError, ConfinementUnavailable) as error:
        return Layer(name, False, f"the self-test could not be started: {error}", tested=False)


def _find_missing(name: LayerName, host: HostSurvey) -> str | None:
    if host.platform != "linux":
        return f"exists on Linux only, not on {host.platform}"
    if not seccomp.is_supported(host.architecture):
        return f"no filter of system calls is known for {host.architecture}"
    if name == "bubblewrap" and host.bubblewrap is None:
        return "bwrap is not on the PATH: install bubblewrap (apt-get install bubblewrap)"
    if name == "landlock" and host.landlock == 0:
        return "this kernel has no Landlock, or it is off: use Linux 6.2 or later with landlock among its lsm="
    if name == "landlock" and host.landlock < landlock.NEEDED:
        return f"the kernel has Landlock ABI {host.landlock}, {landlock.NEEDED} is needed: use Linux 6.2 or later"
    return None


class _Outcome(msgspec.Struct):
    escaped: list[str]
    worked: list[str]


def _judge_attempts(name: LayerName, host: HostSurvey, done: subprocess.CompletedProcess[str]) -> Layer:
    try:
        outcome = msgspec.json.decode(done.stdout, type=_Outcome)
    except msgspec.DecodeError:
        said = done.stderr.strip()[-300:] or f"exit status {done.returncode}"
        detail = f"the self-test did not run: {said}{_give_advice(name)}"
        # bwrap and shells report a signal, including the system's own in a shortage, by a code above 128.
        tested = 0 <= done.returncode <= 128 and not any(word in done.stderr for word in _SHORT)
        return Layer(name, False, detail, tested=tested)
    gap = name == "landlock" and _KNOWN_GAP in outcome.escaped
    if escaped := [deed for deed in outcome.escaped if not (gap and deed == _KNOWN_GAP)]:
        return Layer(name, False, f"the self-test could {', '.join(escaped)}")
    if len(outcome.worked) < _NEEDS:
        return Layer(name, False, f"the self-test could only {', '.join(outcome.worked) or 'start'}")
    if name == "bubblewrap":
        return Layer(name, True, "own namespaces, no network, filtered system calls")
    note = "; UNIX sockets outside are kept away by Deno's permissions only" if gap else ""
    return Layer(name, True, f"Landlock ABI {host.landlock}, filtered system calls{note}")


def _give_advice(name: LayerName) -> str:
    if name == "landlock":
        return ""
    return " (bwrap needs user namespaces: allow them for it by sysctl or AppArmor profile, or for this container)"


def _run_attempts(name: LayerName, deno: str) -> subprocess.CompletedProcess[str]:
    with _open_target() as (folder, port), ExitStack() as opened:
        binds = [BindPath(str(_ATTEMPTS)), BindPath(f"{folder}/inside", writable=True), BindPath(f"{folder}/read-only")]
        options = ["--allow-all", "--no-config", "--no-lock", "--no-remote", "--no-npm"]
        command = [deno, "run", *options, str(_ATTEMPTS), folder, str(port), str(os.getpid())]
        env = {"DENO_DIR": f"{folder}/inside", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
        confined = confine_command(command, binds=binds, env=env, layer=name)
        for fd in confined.close_after:
            opened.callback(os.close, fd)
        return subprocess.run(
            confined.argv,
            env=confined.env,
            pass_fds=confined.pass_fds,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )


@contextmanager
def _open_target() -> Generator[tuple[str, int], None, None]:
    """A folder with something to steal and something to use, and the port of a listener on the host."""
    import tempfile  # noqa: PLC0415 - slow to import, and a sandbox whose layer is known starts without it

    with tempfile.TemporaryDirectory(prefix="cloche-", ignore_cleanup_errors=True) as name, ExitStack() as opened:
        folder = Path(name)
        (folder / "inside").mkdir()
        (folder / "read-only").mkdir()
        (folder / "read-only" / "file").write_text("x")
        (folder / "secret").write_text("x")
        (folder / "inside" / "link").symlink_to(folder / "secret")
        for path in (folder / "socket", folder / "inside" / "socket"):
            listener = opened.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(str(path))
            listener.listen()
        tcp = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        yield name, tcp.getsockname()[1]
