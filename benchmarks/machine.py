"""Says what the numbers were measured on, and how quiet it was."""

import json
import os
import platform
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import anyio
import msgspec

from cloche.sandbox.cache.assets import assets_dir
from cloche.sandbox.info import HeldLayer, installed_versions

PAUSE = 1.0


class Machine(msgspec.Struct, frozen=True):
    """Facts for the head of the report, by name."""

    facts: dict[str, str]


class Quiet:
    """Tells how busy the machine was with other things, by what it did in the pauses between the groups."""

    def __init__(self) -> None:
        self._load = os.getloadavg()[0]
        self._start = time.monotonic()
        self._others: list[float] = []

    async def pause(self) -> None:
        """Look for a second, in which we do nothing ourselves."""
        start, busy = time.monotonic(), _busy_seconds()
        await anyio.sleep(PAUSE)
        self._others.append((_busy_seconds() - busy) / (time.monotonic() - start))

    def describe(self) -> str:
        passed = time.monotonic() - self._start
        others = f"others used {min(self._others):.2f} to {max(self._others):.2f} cores in the pauses"
        return f"load average {self._load:.2f} before the run of {passed:.0f} s; {others}"


def describe(layers: list[HeldLayer], quiet: Quiet, peers: Mapping[str, str]) -> Machine:
    """All facts; layers are those of a sandbox that was measured, peers have their versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    system = next((layer for layer in layers if layer.name == "system"), None)
    return Machine(
        {
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "cpu": f"{_cpu()}, {os.cpu_count()} cores",
            "memory": f"{memory:.0f} GB",
            "kernel": f"{platform.system()} {platform.release()}",
            "quiet": quiet.describe(),
            "isolation": f"{sum(layer.holds for layer in layers)} of {len(layers)} layers"
            + (f"; {system.detail}" if system else ""),
            "versions": _versions(peers),
        }
    )


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _versions(peers: Mapping[str, str]) -> str:
    pyodide = json.loads((assets_dir() / "node_modules/pyodide/package.json").read_text())["version"]
    found = {**installed_versions(), "pyodide": pyodide, "host python": platform.python_version()}
    found |= {name: version for name, version in peers.items() if version}
    return ", ".join(f"{name} {version}" for name, version in found.items())


def _busy_seconds() -> float:
    """User, nice, system, irq and softirq time of all cores since boot."""
    numbers = [int(part) for part in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return sum(numbers[i] for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")
