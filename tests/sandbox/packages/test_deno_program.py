"""Packages of an engine that a Deno program holds itself, from an index and a registry on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from cloche.sandbox.cache.assets import ENGINE, assets_dir, fetch_assets
from cloche.sandbox.process.engine_paths import find_deno
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel
from tests.sandbox.registries.index_server import Site
from tests.sandbox.registries.makers import NpmIndex

NAME = f"cloche-deno-{os.getpid()}"
MODULE = NAME.replace("-", "_")
LEAF = f"{NAME}-leaf"
PROGRAM = Path(__file__).with_name("deno_program.ts")
FLAGS = "--no-check --no-prompt --no-config --no-lock --no-remote --cached-only --node-modules-dir=manual"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.usefixtures("index")]


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NpmIndex]:
    with Site() as site:
        (tmp_path / "npmrc").write_text(f"registry={site.address}/\n")
        monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
        monkeypatch.setenv("npm_config_globalconfig", str(tmp_path / "none"))
        yield NpmIndex(site)


def _run_deno(workspace: Path, *steps: dict[str, Any]) -> list[dict[str, Any]]:
    anyio.run(fetch_assets)
    flags = [*FLAGS.split(), "--unstable-worker-options", f"--import-map={assets_dir() / 'import_map.json'}"]
    rights = ["--allow-read", "--allow-write", f"--allow-run={sys.executable}"]
    args = [sys.executable, str(workspace), ENGINE.as_uri(), json.dumps(steps)]
    command = [find_deno(), "run", *flags, *rights, str(PROGRAM), *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _step(verb: str, language: str, *args: str, **options: object) -> dict[str, Any]:
    return {"verb": verb, "language": language, "args": args, "options": options}


def test_packages_are_installed_and_listed(tmp_path: Path, index: WheelIndex, npm: NpmIndex) -> None:
    make_wheel(index.folder, NAME, "1.0")
    npm.add(LEAF)
    installed, used, absent, leaf, required, nothing = _run_deno(
        tmp_path / "work",
        _step("install", "python", NAME),
        _step("run", "python", f"import {MODULE}; {MODULE}.version"),
        _step("install", "python", f"{NAME}-absent"),
        _step("install", "javascript", LEAF),
        _step("run", "javascript", f"require('{LEAF}')"),
        _step("install", "scheme", "x"),
    )
    assert installed["said"][-2:] == [
        f"info: Installing package: {NAME}...",
        f"success: Package {NAME} installed successfully",
    ]
    assert (used["value"], used["said"]) == ("'1.0'", ["info: Checking for required packages..."])
    assert absent["value"].startswith("rejected: ")
    assert absent["said"][-1].startswith(f"error: Failed to install {NAME}-absent: ")
    assert leaf["said"][-1] == f"success: Package {LEAF} installed successfully"
    assert required["value"] == f"'{LEAF} 1.0.0'"
    assert nothing["value"] == "rejected: there are no packages for Scheme"


def test_what_code_imports_is_installed_unless_that_is_off(tmp_path: Path, index: WheelIndex, npm: NpmIndex) -> None:
    make_wheel(index.folder, f"{NAME}-auto", "3.0")
    npm.add(f"{LEAF}-auto")
    use = f"import {MODULE}_auto; {MODULE}_auto.version"
    off, on, leaf, pip = _run_deno(
        tmp_path / "work",
        _step("run", "python", use, autoInstallPackages=False),
        _step("run", "python", use),
        _step("run", "javascript", f"require('{LEAF}-auto')"),
        _step("run", "bash", "pip list"),
    )
    assert off["value"] is None
    assert not any("package" in each for each in off["said"] if each.startswith("info"))
    assert on["value"] == "'3.0'"
    assert on["said"][:3] == [
        "info: Checking for required packages...",
        f"info: Installing package: {MODULE}_auto...",
        f"success: Package {MODULE}_auto installed successfully",
    ]
    assert leaf["value"] == f"'{LEAF}-auto 1.0.0'"
    assert f"{NAME}-auto" in "".join(pip["said"])


def test_an_archive_that_is_not_what_the_registry_says_is_refused(tmp_path: Path, npm: NpmIndex) -> None:
    data = npm.add(f"{LEAF}-forged")
    npm.publish({"name": f"{LEAF}-forged", "version": "1.0.0"}, data + b"\0", "sha512-" + "A" * 86 + "==")
    refused, missing = _run_deno(
        tmp_path / "work",
        _step("install", "javascript", f"{LEAF}-forged"),
        _step("run", "javascript", f"require('{LEAF}-forged')", autoInstallPackages=False),
    )
    assert refused["value"].startswith("rejected: ")
    assert "It was refused" in refused["value"]
    assert missing["value"] is None
