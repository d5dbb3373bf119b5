"""Deno is found whatever else the process does."""

import subprocess
import sys

BUSY = """
import sysconfig, threading, time

read = sysconfig._init_posix
begun = threading.Event()

def slowly(found):
    begun.set()
    time.sleep(0.2)
    read(found)

sysconfig._init_posix = slowly
threading.Thread(target=sysconfig.get_config_vars).start()
begun.wait()

from cloche.sandbox.process.engine_paths import find_deno

print(find_deno())
"""


def test_it_is_found_while_another_thread_asks_where_python_is() -> None:
    found = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=20)
    assert found.stdout.endswith("deno\n"), found.stderr
