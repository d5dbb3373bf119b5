"""The peers: an ipykernel through jupyter_client, and stock Pyodide in the same Deno."""

import compileall
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import anyio
import deno
from anyio import to_thread

from cloche.sandbox.assets import assets_dir

HARNESS = Path(__file__).with_name("stock.mjs")
LIMIT = 120.0
"""Seconds within which a peer answers, or the measurement has failed."""

END_LIMIT = 10.0
"""Seconds within which a killed peer is gone."""

COMPILED = ("IPython", "cloche", "ipykernel", "jupyter_client", "jupyter_core", "tornado", "traitlets", "zmq")
"""Packages whose start is measured."""


def compile_packages() -> None:
    """Write the .pyc files of both sides, as an installer would: images often set PYTHONDONTWRITEBYTECODE."""
    for name in COMPILED:
        spec = importlib.util.find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or []:
            compileall.compile_dir(folder, quiet=2)


class Channels(Protocol):
    """As much of jupyter_client's client as is used here."""

    def start_channels(self) -> None: ...
    def stop_channels(self) -> None: ...
    def wait_for_ready(self, timeout: float) -> Awaitable[None]: ...
    def execute(self, code: str) -> str: ...
    def get_iopub_msg(self, timeout: float) -> Awaitable[dict[str, Any]]: ...
    def get_shell_msg(self, timeout: float) -> Awaitable[dict[str, Any]]: ...


class Kernel:
    """A running ipykernel."""

    def __init__(self, client: Channels, pid: int) -> None:
        self._client = client
        self.pid = pid
        self.printed = 0
        """Characters that the last cell wrote."""

    async def run(self, code: str) -> str | None:
        """The value of a cell, when everything it sent has arrived."""
        number = self._client.execute(code)
        value: str | None = None
        self.printed = 0
        while True:
            message = await self._client.get_iopub_msg(timeout=LIMIT)
            content: dict[str, Any] = message["content"]
            if message["parent_header"].get("msg_id") != number:
                continue
            if message["msg_type"] == "stream":
                self.printed += len(content["text"])
            elif message["msg_type"] == "execute_result":
                value = content["data"]["text/plain"]
            elif content.get("execution_state") == "idle":
                break
        while (await self._client.get_shell_msg(timeout=LIMIT))["parent_header"].get("msg_id") != number:
            pass
        return value


@asynccontextmanager
async def ipykernel() -> AsyncGenerator[Kernel]:
    """A fresh kernel in a process of its own."""
    # Loaded by name: only `make bench` installs it, and types are checked without it too.
    manager: Any = importlib.import_module("jupyter_client.manager").AsyncKernelManager(kernel_name="python3")
    try:
        await manager.start_kernel(stderr=subprocess.DEVNULL)
        client: Channels = manager.client()
        try:
            client.start_channels()
            await client.wait_for_ready(timeout=LIMIT)
            yield Kernel(client, manager.provisioner.pid)
        finally:
            client.stop_channels()
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(END_LIMIT):
            await manager.shutdown_kernel(now=True)


class Stock:
    """A running stock Pyodide, spoken to over its pipes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    async def run(self, code: str) -> str:
        """The value of the code as text."""
        with anyio.fail_after(LIMIT):
            return await to_thread.run_sync(self.ask, code, abandon_on_cancel=True)

    def ask(self, code: str) -> str:
        """The same, for a caller that may block."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(code) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError("stock Pyodide ended without an answer")
        return json.loads(line)


class StockFiles:
    """The files of the npm package as they came, and a cache of compiled code for them."""

    def __init__(self, folder: Path) -> None:
        assets = assets_dir()
        self._package = folder / "pyodide"
        self._cache = folder / "deno"
        shutil.copytree(assets / "node_modules/pyodide", self._package)
        shutil.copy(assets / "python/python_stdlib.zip", self._package)

    @contextmanager
    def start(self) -> Generator[Stock]:
        """A fresh process; Pyodide may still be loading in it."""
        argv = [deno.find_deno_bin(), "run", "--no-config", "--no-lock", "-A", str(HARNESS), str(self._package)]
        env = {**os.environ, "DENO_DIR": str(self._cache), "DENO_NO_UPDATE_CHECK": "1"}
        process = subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield Stock(process)
        finally:
            process.kill()
            process.wait(END_LIMIT)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


@contextmanager
def stock_files() -> Generator[StockFiles]:
    """Stock Pyodide in a temporary folder, its code cache warm."""
    with tempfile.TemporaryDirectory(prefix="bench-stock-") as folder:
        files = StockFiles(Path(folder))
        for _ in range(2):
            with files.start() as stock:
                stock.ask("1+1")
        yield files
