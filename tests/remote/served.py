"""Servers in processes of their own, which tests may kill."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

TOKEN = "a-token-of-ours"
START = 60
"""Seconds for a server to say where it is."""


class Served(NamedTuple):
    """A server that answers."""

    url: str
    process: "subprocess.Popen[bytes]"


def free_port() -> int:
    """A port that nobody uses now, for a server that is to come back there."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


@contextmanager
def serving(data: Path, *, port: int = 0, env: Mapping[str, str] = MappingProxyType({})) -> Generator[Served]:
    """A server with its data in this folder, until the block ends."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLOCHE_") or "CACHE" in name}
    given = {"CLOCHE_DATA": str(data), "CLOCHE_TOKEN": TOKEN, "CLOCHE_SANDBOX__PLUGINS": "[]"}
    command = [sys.executable, "-m", "cloche", "serve", "--port", str(port), "--no-browser", "--config", os.devnull]
    with subprocess.Popen(
        command, env={**kept, **given, **env}, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        watch = threading.Timer(START, process.kill)
        watch.start()
        try:
            assert process.stderr is not None
            line = process.stderr.readline().decode()
            assert line.startswith("Serving Cloche on http"), line + process.stderr.read().decode()
            watch.cancel()
            yield Served(line.split()[-1], process)
        finally:
            watch.cancel()
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
