"""Serves a Deno program that uses the engine directly: says where the parts are, and installs packages.

`python -m cloche.sandbox.embedding.deno_bridge FOLDER` first prints the locations, then answers requests, one line of
JSON each, until its input ends. Packages are put into the folder. Deno starts it
(`engine/platform/deno/python_host.ts`), so that there is only one package broker, with its checks.
"""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import PackageDamaged
from cloche.sandbox.cache import assets, packs, snapshots
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.languages import languages
from cloche.sandbox.packages.installer import Installer
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.package_archives import PackageArchives
from cloche.sandbox.process.host_requests import OpenRequests
from cloche.sandbox.process.protocol import RequestCredit, RequestStart
from cloche.sandbox.process.warm_up import warm_up

LINE_LIMIT = 1 << 20
"""The most bytes of one request."""

MOUNT_TIMEOUT = 60.0
"""Seconds that the engine has to confirm that it has read the packages."""


class _MountRequest(msgspec.Struct, frozen=True, tag="mounted", tag_field="op"):
    mount: int
    error: str | None


_Line = RequestStart | _MountRequest


async def find_engine_paths() -> dict[str, object]:
    """The paths of everything that an engine needs; missing files are fetched and built."""
    folder = await assets.fetch_assets()
    prepared = await snapshots.build_prepared(warm_up)
    names = [each.name for each in languages().values() if each.pack]
    found = {name: str(await packs.ensure_pack(name)) for name in names}
    return {"assets": str(folder), "snapshot": str(prepared.snapshot), "packs": found}


class DenoBridge:
    """Answers requests about packages, one line of text each."""

    def __init__(self, folder: Path) -> None:
        self._archives = PackageArchives(folder)
        self._installer = Installer(self._mount, lambda: GuestFiles([]), allowed=True, automatic=True)
        self._requests = OpenRequests(self, self._installer.answerers)
        self._mounts: dict[int, tuple[anyio.Event, list[str | None]]] = {}
        self._last = 0

    async def serve(self) -> None:
        """Answer until the input ends."""
        self.send({"places": await find_engine_paths()})
        try:
            while line := await to_thread.run_sync(partial(sys.stdin.buffer.readline, LINE_LIMIT)):
                self._receive(msgspec.json.decode(line, type=_Line))
        finally:
            self._requests.cancel()
            await self._requests.ended()

    def send(self, message: dict[str, Any]) -> None:
        """Write one line; if the reader is gone, the input ends too."""
        sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
        sys.stdout.buffer.flush()

    def send_chunk(self, number: int, data: memoryview) -> None:
        """Write what a command prints; writing never waits."""
        self.send({"op": "print", "request": number, "text": str(data, "utf-8", "replace")})
        self._requests.receive(RequestCredit(number, len(data)))

    def _receive(self, line: _Line) -> None:
        if isinstance(line, RequestStart):
            self._requests.receive(line)
        elif found := self._mounts.get(line.mount):
            found[1].append(line.error)
            found[0].set()

    async def _mount(self, packages: Sequence[Package]) -> None:
        placed = await to_thread.run_sync(self._archives.place, packages)
        self._last += 1
        number, told = self._last, list[str | None]()
        self._mounts[number] = (heard := anyio.Event(), told)
        self.send({"op": "mount", "mount": number, "packages": placed})
        try:
            with anyio.fail_after(MOUNT_TIMEOUT):
                await heard.wait()
        finally:
            del self._mounts[number]
        if told[0] is not None:
            raise PackageDamaged(told[0])
        await to_thread.run_sync(self._archives.clean, placed)


async def _serve_folder(folder: str) -> None:
    await DenoBridge(Path(folder)).serve()


if __name__ == "__main__":
    anyio.run(_serve_folder, sys.argv[1])
