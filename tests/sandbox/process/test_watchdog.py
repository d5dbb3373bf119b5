"""The watchdog of a process, and what the system tells of one."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from cloche.limits import SESSION_NICENESS
from cloche.sandbox.process.priority import Priority
from cloche.sandbox.process.process_family import find_family, read_processor_time, read_resident
from cloche.sandbox.process.watchdog import WATCH_EVERY, Watchdog

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdout=subprocess.PIPE)
child.stdout.readline(); print(child.pid, flush=True); input()
"""


@pytest.fixture
def family() -> Generator[list[int]]:
    """A process and its child."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        try:
            yield [parent.pid, int(parent.stdout.readline())]
        finally:
            os.killpg(parent.pid, 9)


def test_a_process_is_found_with_its_descendants(family: list[int]) -> None:
    assert find_family(family[0]) == family
    assert all(read_resident(pid) > 1 << 20 for pid in family)
    assert read_processor_time(os.getpid()) > 0


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    gone = 2**22 + 1
    assert (find_family(gone), read_resident(gone), read_processor_time(gone)) == ([gone], 0, 0.0)


async def test_more_memory_than_allowed_is_reported_once(family: list[int]) -> None:
    reasons, looked, ended = list[str](), anyio.Event(), anyio.Event()

    def end(why: str) -> None:
        reasons.append(why)
        ended.set()

    watchdog = Watchdog(1 << 20, end, looked.set)
    watchdog.allow("lua", 1 << 40)
    watchdog.start(family[0])
    with anyio.fail_after(5):
        await looked.wait()
    assert not reasons
    assert watchdog.memory > 2 << 20
    watchdog.allow("lua", 0)
    with anyio.fail_after(5):
        await ended.wait()
    watchdog.stop()
    assert reasons[0].endswith("MB of memory, more than the 1 MB it may")
    await anyio.sleep(2 * WATCH_EVERY)
    assert len(reasons) == 1


def test_who_computes_for_a_while_yields_until_somebody_waits(family: list[int]) -> None:
    def niceness() -> list[tuple[int, str]]:
        return [
            (os.getpriority(os.PRIO_PROCESS, pid), Path(f"/proc/{pid}/autogroup").read_text().split()[-1])
            for pid in family
        ]

    before = niceness()
    priority = Priority()
    for look in range(4):
        priority.look(family, look * 0.01, float(look))
    assert niceness() == before
    priority.look(family, 0.5, 5.0)
    assert niceness() == before
    priority.look(family, 1.0, 6.0)
    assert all(group == str(SESSION_NICENESS) for _, group in niceness())
    priority.restore()
    assert niceness() == before
    priority.look(family, 2.0, 7.0)
    assert niceness() == before
