"""Error messages for the guest name no path of the host."""

from pathlib import Path

import pytest

from cloche.errors import PackageError
from cloche.sandbox.packages.guest_pip.guest_errors import describe_for_guest
from cloche.sandbox.packages.host_pip.failures import explain_pip_failure
from cloche.sandbox.packages.pyodide_lock import PyodideLock
from tests.sandbox.packages.wheel_index import write_lock

CRASH = """\
ERROR: Exception:
Traceback (most recent call last):
  File "/srv/app/venv/lib/python3.11/site-packages/pip/_internal/cli/base_command.py", line 180, in exc_logging_wrapper
    status = run_func(*args)
FileNotFoundError: [Errno 2] No such file or directory: '/srv/app/index/leaf.whl'
"""


def test_a_crash_of_pip_shows_no_file_of_the_host(tmp_path: Path) -> None:
    write_lock(tmp_path / "lock.json", {})
    reason = " | ".join(line.strip() for line in CRASH.splitlines()[-4:])
    error = explain_pip_failure(CRASH, reason, PyodideLock((tmp_path / "lock.json").read_bytes()))
    assert "base_command" not in str(error)
    assert describe_for_guest(error).endswith("No such file or directory: 'leaf.whl'.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/srv/wheels/leaf.whl is damaged", "leaf.whl is damaged"),
        ("from file:///srv/index/leaf/: gone", "from : gone"),
        ("/workspace/mine/leaf.whl cannot be read", "/workspace/mine/leaf.whl cannot be read"),
        ("https://index.example/leaf/ and/or '/etc/pip/pip.conf'", "https://index.example/leaf/ and/or 'pip.conf'"),
        (f"{Path.home()}/x is closed", "~/x is closed"),
    ],
)
def test_of_a_path_of_the_host_the_last_name_is_left(text: str, told: str) -> None:
    assert describe_for_guest(PackageError(text)) == told
