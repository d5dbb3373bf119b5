"""Readers that do not read: the clock of a call runs on, and its end is reported all the same."""

import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from cloche import Result, Sandbox, Text

pytestmark = pytest.mark.timeout(60)

PRINTING = """
import time
began = time.time()
try:
    while True: print('x' * 1000)
except KeyboardInterrupt:
    open('{}', 'w').write(str(time.time() - began))
    raise
"""
LONGEST = 10.0
"""Seconds that code with a limit of one may run on a busy machine."""


@pytest.mark.slow
async def test_code_whose_stream_nobody_reads_ends_at_its_time_limit(box: Sandbox) -> None:
    await box.run("kept = 1")
    read: list[object] = []
    stopped = 0.0
    with anyio.fail_after(40):
        async for event in box.stream(PRINTING.format("stopped"), timeout=1):
            while not read:
                try:
                    stopped = float(await box.read("stopped"))
                    break
                except (FileNotFoundError, ValueError):
                    await anyio.sleep(0.05)
            read.append(event)
    assert stopped < LONGEST
    assert isinstance(read[0], Text)
    result = read[-1]
    assert isinstance(result, Result)
    assert (result.timed_out, result.state) == (True, "kept")
    assert (await box.run("kept")).value == "1"


@pytest.mark.slow
def test_a_command_whose_output_nobody_reads_ends_at_its_time_limit(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(PRINTING.format("/workspace/stopped"))
    command = [
        str(Path(sys.executable).with_name("cloche")),
        "run",
        "--timeout",
        "1",
        "-w",
        str(tmp_path),
        str(tmp_path / "code.py"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        while process.poll() is None and not (tmp_path / "stopped").exists():
            time.sleep(0.05)
        assert process.poll() is None
        process.stdout.read()
    assert float((tmp_path / "stopped").read_text()) < LONGEST
    assert process.returncode == 124
