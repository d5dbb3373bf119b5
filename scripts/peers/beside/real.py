"""The real tools: a case runs under bubblewrap, where it can change nothing but its own folder."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import msgspec

from beside.cases import FOLDER, SUITE, TOOLS, WORK, Case, Outcome, Suite
from beside.folders import make_folder, read_output, remove_folder, write_tools

USER = "1000"
"""A sandbox has no root either."""
CONFINED = [
    *("bwrap", "--die-with-parent", "--unshare-user", "--uid", USER, "--gid", USER, "--unshare-pid", "--unshare-net"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/mnt"),
]
PATH = "/usr/local/bin:/usr/bin:/bin"


def run_really(suite: Suite, checkout: Path, case: Case) -> Outcome:
    """Run a case with the tools of this machine."""
    with tempfile.TemporaryDirectory(prefix="cloche-peers-", ignore_cleanup_errors=True) as place:
        work = Path(place)
        write_tools(work, suite.TOOLS)
        folder = make_folder(work, case)
        try:
            done = _run(_confine(checkout, work, case), suite, case)
            return msgspec.structs.replace(done, stdout=read_output(folder, case, done.stdout))
        finally:
            remove_folder(folder)


def _confine(checkout: Path, work: Path, case: Case) -> list[str]:
    bound = ["--ro-bind", str(checkout), SUITE, "--bind", str(work), WORK, "--chdir", FOLDER]
    return [*CONFINED, *bound, "bash", "-c", case.real or case.code, "bash"]


def _run(command: list[str], suite: Suite, case: Case) -> Outcome:
    home = {"HOME": FOLDER, "TMPDIR": "/tmp", "PWD": FOLDER}
    env = {"PATH": f"{TOOLS}:{PATH}", "LC_ALL": "C.UTF-8", **home, **suite.ENV, **case.env}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, start_new_session=True)
    late = False
    try:
        out, err = process.communicate(case.stdin.encode(), timeout=case.seconds)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Outcome(read_text(out), read_text(err), process.returncode, late)


def read_text(given: bytes) -> str:
    """The bytes as a sandbox gives them."""
    return given.decode(errors="replace")
