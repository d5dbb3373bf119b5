"""Downloads that need no network, and a program that fetches with them: `fake_downloads.py GATE`."""

import sys
import time
from pathlib import Path

import anyio
from anyio import to_thread

from cloche.sandbox.cache import assets
from cloche.sandbox.cache.downloads import DownloadProgress, Report

CONTENTS = {"node_modules/just-bash/index.js": b"export {};\n" * 100, "node_modules/pyodide/pyodide.mjs": b"//\n"}


class FakeDownloads:
    """Writes small files; with a gate, notes in `gate.started` that it began and goes on once the gate exists."""

    def __init__(self, gate: Path | None = None) -> None:
        self.gate = gate
        self.runs = 0

    def install(self) -> None:
        """Puts itself in the place of the real downloads."""
        assets.download_npm = self.fetch_npm
        assets.download_wheels = self.fetch_wheels

    async def fetch_npm(self, stage: Path, target: Path, report: Report) -> None:
        self.runs += 1
        await to_thread.run_sync((stage / "half-written").write_bytes, b"x" * 100)
        if self.gate:
            await to_thread.run_sync(pass_gate, self.gate, abandon_on_cancel=True)
        await to_thread.run_sync(write_contents, target.parent, CONTENTS)
        report(DownloadProgress("npm packages", 2, 2))

    async def fetch_wheels(self, stage: Path, target: Path, report: Report) -> None:
        await to_thread.run_sync(write_contents, target.parent, {target.name: b"PK"})
        report(DownloadProgress("Python packages", 1, 1))


def pass_gate(gate: Path) -> None:
    with gate.with_suffix(".started").open("a") as started:
        started.write("started\n")
    deadline = time.monotonic() + 10
    while not gate.exists() and time.monotonic() < deadline:
        time.sleep(0.01)


def write_contents(folder: Path, contents: dict[str, bytes]) -> None:
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    FakeDownloads(Path(sys.argv[1])).install()
    print(anyio.run(assets.fetch_assets))  # noqa: T201  # what the test reads
