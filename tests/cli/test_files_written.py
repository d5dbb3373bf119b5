"""What is written to the user's folders is what the FAQ names."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from cloche.sandbox.cache.assets import cache_dir
from tests.cli.conftest import BUILD_TIMEOUT

FAQ = Path(__file__).parent.parent.parent / "docs/faq.md"


@pytest.mark.timeout(BUILD_TIMEOUT)
@pytest.mark.slow
def test_only_the_folders_that_the_faq_names_are_written_to(program: list[str], prepared: None, tmp_path: Path) -> None:
    home, work, temporary = (tmp_path / name for name in ("home", "work", "tmp"))
    for folder in (home / ".cache", work, temporary):
        folder.mkdir(parents=True)
    (home / ".cache/cloche").symlink_to(cache_dir())
    (work / "config.toml").write_text("[core]\n")
    (work / "action.json").write_text('{"action": "run", "args": {"command": "echo hi > f"}}')
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}
    for words in (
        ["config", "--trust"],
        ["run", "-c", "open('/tmp/f', 'w').write('x')"],
        ["bash", "-c", "echo hi > ~/f"],
        ["exec", "--session", "mine", "action.json"],
        ["sessions"],
    ):
        done = subprocess.run([*program, *words], cwd=work, env=env, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
    written = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.name == "cloche"}
    assert written == {".cache/cloche", ".config/cloche", ".local/share/cloche"}
    others = [path for path in home.rglob("*") if not any(path.is_relative_to(home / each) for each in written)]
    assert {path.name for path in others} == {".cache", ".config", ".local", "share"}
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in work.iterdir()) == ["action.json", "config.toml"]
    named = set(re.findall(r"`~/([^`]+)`", FAQ.read_text()))
    assert written < named
