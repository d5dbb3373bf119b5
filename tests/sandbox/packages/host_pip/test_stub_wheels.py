"""The empty wheels that stand for packages of the distribution."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cloche.sandbox.packages.host_pip.stub_wheels import ensure_distribution_stubs
from cloche.sandbox.packages.pyodide_lock import PyodideLock
from tests.guest_python import VERSION

COUNT = 20
USER = """
import sys
from pathlib import Path
from cloche.sandbox.cache.folder_store import find_damage
from cloche.sandbox.packages.host_pip.stub_wheels import ensure_distribution_stubs
from cloche.sandbox.packages.pyodide_lock import PyodideLock

lock = PyodideLock(Path(sys.argv[1]).read_bytes())
print("ready", flush=True)
for _ in sys.stdin:
    folder = ensure_distribution_stubs(lock)
    for _ in range(20):
        assert not find_damage(folder), "taken away while it was used"
    print("used", flush=True)
"""


def make_lock(path: Path) -> PyodideLock:
    packages = {
        name: {"name": name, "version": "1.0", "file_name": f"{name}-1.0-py3-none-any.whl", "sha256": "0" * 64}
        for name in (f"package{at}" for at in range(COUNT))
    }
    path.write_text(json.dumps({"info": {"abi_version": "2025_0", "python": f"{VERSION}.0"}, "packages": packages}))
    return PyodideLock(path.read_bytes())


@pytest.mark.slow
def test_processes_that_find_the_same_damage_make_the_wheels_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "cache"))
    lock = make_lock(tmp_path / "lock.json")
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", USER, str(tmp_path / "lock.json")]
    users = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(4)]
    try:
        assert {each.stdout.readline() for each in users if each.stdout} == {"ready\n"}
        for _ in range(8):
            (ensure_distribution_stubs(lock) / "manifest.json").unlink()
            for each in users:
                assert each.stdin is not None
                each.stdin.write("\n")
                each.stdin.flush()
            assert [each.stdout.readline() for each in users if each.stdout] == ["used\n"] * len(users)
        assert len(list(ensure_distribution_stubs(lock).glob("*.whl"))) == COUNT
    finally:
        for each in users:
            each.kill()
            each.communicate()
