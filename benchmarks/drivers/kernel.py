"""ipykernel through jupyter_client's asynchronous client."""

import asyncio
import importlib
import importlib.metadata
import subprocess
from typing import Any

from benchmarks.drivers.base import Peer, Session

LIMIT = 120.0
# Loaded by name: it is installed for this driver only, and types are checked without it.
Manager: Any = importlib.import_module("jupyter_client.manager").AsyncKernelManager


class Kernel(Session):
    def __init__(self, manager: Any, client: Any) -> None:
        self._manager = manager
        self._client = client
        self._value = ""
        self._printed = 0

    async def _run(self, code: str) -> None:
        """Until everything that the cell sent has arrived."""
        number = self._client.execute(code)
        self._value, self._printed = "", 0
        while True:
            message = await self._client.get_iopub_msg(timeout=LIMIT)
            content: dict[str, Any] = message["content"]
            if message["parent_header"].get("msg_id") != number:
                continue
            if message["msg_type"] == "stream":
                self._printed += len(content["text"])
                self._value += content["text"]
            elif message["msg_type"] == "execute_result":
                self._value = content["data"]["text/plain"]
            elif content.get("execution_state") == "idle":
                break
        while (await self._client.get_shell_msg(timeout=LIMIT))["parent_header"].get("msg_id") != number:
            pass

    async def value(self, expression: str) -> str:
        await self._run(expression)
        return self._value

    async def printed(self, code: str) -> int:
        await self._run(code)
        return self._printed

    async def bash(self, command: str) -> str:
        await self._run(f"!{command}")
        return self._value

    async def stopped(self, code: str, seconds: float) -> Session:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._run(code))
            await asyncio.sleep(seconds)
            await self._manager.interrupt_kernel()
        return self

    async def close(self) -> None:
        self._client.stop_channels()
        await self._manager.shutdown_kernel(now=True)


class IPykernel(Peer):
    async def open(self) -> Session:
        manager = Manager(kernel_name="python3")
        await manager.start_kernel(stderr=subprocess.DEVNULL)
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=LIMIT)
        return Kernel(manager, client)

    def version(self) -> str:
        return importlib.metadata.version("ipykernel")


PEER = IPykernel()
