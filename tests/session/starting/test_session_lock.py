"""The lock of a session, between processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from cloche.errors import SessionTaken
from cloche.session.starting.session_lock import SessionLock

HOLD = """
import sys
from pathlib import Path
from cloche.session.starting.session_lock import SessionLock
SessionLock("s", Path(sys.argv[1])).take()
print("held", flush=True)
sys.stdin.read()
"""


def test_another_process_holds_it_until_it_ends_however_it_ends(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(SessionTaken, match=f"already running in the process {process.pid}"):
            SessionLock("s", tmp_path).take()
        SessionLock("t", tmp_path).take().release()
        process.kill()
        process.wait()
    lock = SessionLock("s", tmp_path).take()
    lock.release()
    lock.release()


def test_a_session_without_a_folder_is_taken_within_the_process() -> None:
    lock = SessionLock("memory", None).take()
    with pytest.raises(SessionTaken):
        SessionLock("memory", None).take()
    lock.release()
    SessionLock("memory", None).take().release()
