"""Each adapter with its framework: its tests and its types, in an environment that has the frameworks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.conftest import FRAMEWORKS
from tests.framework_python import INSTALL_TIMEOUT, ROOT

TESTS_TIMEOUT = 240
"""Seconds for the tests of one adapter."""

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(INSTALL_TIMEOUT + TESTS_TIMEOUT)]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_adapter_works_with_its_framework(framework_python: Path, assets: Path, name: str) -> None:
    pytest_there = [
        str(framework_python),
        "-m",
        "pytest",
        "-q",
        "--confcutdir=tests/adapters",
        "-p",
        "no:cacheprovider",
    ]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*pytest_there, f"tests/adapters/test_{name}.py"],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TESTS_TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_types_of_the_adapters_are_those_of_the_frameworks(framework_python: Path, tmp_path: Path) -> None:
    # Beside the sources: pyright takes paths as they stand from the file's own folder.
    for folder in ("src", "tests", "typings"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    settings = {
        "include": ["src/cloche/adapters", "tests/adapters"],
        "exclude": ["src/cloche/adapters/final_answer.py"],
        "extraPaths": ["src"],
        "venvPath": str(framework_python.parents[2]),
        "venv": framework_python.parents[1].name,
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
        "reportMissingTypeStubs": False,
        "reportUnnecessaryTypeIgnoreComment": True,
        # Not all frameworks say all of their types.
        "reportUnknownArgumentType": False,
        "reportUnknownMemberType": False,
        "reportUnknownVariableType": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    pyright = [str(Path(sys.executable).with_name("pyright")), "--project", str(tmp_path)]
    done = subprocess.run(pyright, capture_output=True, text=True, timeout=TESTS_TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout
