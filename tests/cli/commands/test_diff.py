"""`cloche diff`, and `--diff` of a run."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cloche


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


def test_changes_since_a_point_are_a_patch(cloche: Cloche, project: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    done = cloche("diff", str(project), CLOCHE_CACHE=cache)
    assert done.returncode == 2
    assert "cloche diff --mark" in done.stderr
    first = cloche("diff", "--mark", cwd=project, CLOCHE_CACHE=cache).stdout.strip()
    (project / "a.txt").write_text("one\n2\n")
    second = cloche("diff", "--mark", cwd=project, CLOCHE_CACHE=cache).stdout.strip()
    (project / "b.txt").write_text("new\n")
    assert first != second
    assert "a.txt" not in cloche("diff", cwd=project, CLOCHE_CACHE=cache).stdout
    patch = cloche("diff", "--since", first, str(project), CLOCHE_CACHE=cache).stdout
    assert "-two\n+2\n" in patch
    assert "+new\n" in patch
    stat = cloche("diff", "--since", first, "--stat", cwd=project, CLOCHE_CACHE=cache).stdout
    assert stat == " M a.txt | +1 -1\n A b.txt | +1 -0\n 2 files changed, 2 added, 1 deleted\n"
    told = json.loads(cloche("diff", "--json", cwd=project, CLOCHE_CACHE=cache).stdout)
    assert (told["since"], told["complete"]) == (second, True)
    assert [(file["path"], file["status"]) for file in told["files"]] == [("b.txt", "added")]
    wrong = cloche("diff", "--since", "nope", cwd=project, CLOCHE_CACHE=cache)
    assert (wrong.returncode, "has no mark 'nope'" in wrong.stderr) == (2, True)


@pytest.mark.usefixtures("prepared")
def test_a_run_lists_what_it_changed(cloche: Cloche, project: Path, tmp_path: Path) -> None:
    data, patch = tmp_path / "data", tmp_path / "p.patch"
    data.mkdir()
    shutil.copytree(project, tmp_path / "old")
    command = "echo said; echo three >> a.txt; echo x > /mnt/data/x"
    done = cloche(
        *("bash", "-w", str(project), "-m", f"{data}:/mnt/data", "--diff", str(patch), "-c", command), cwd=tmp_path
    )
    assert (done.stdout, done.stderr, done.returncode) == ("said\n", "", 0)
    text = patch.read_text()
    assert "@@ -1,2 +1,3 @@\n one\n two\n+three\n" in text
    assert "\n# /mnt/data\ndiff --git a/x b/x\n" in text
    if shutil.which("git"):
        own = text.partition("# /mnt/data")[0]
        subprocess.run(["git", "apply", "-"], input=own, text=True, cwd=tmp_path / "old", check=True, timeout=10)
        assert (tmp_path / "old" / "a.txt").read_text() == (project / "a.txt").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("prepared")
def test_the_patch_of_a_run_can_be_printed_or_be_part_of_the_object(cloche: Cloche) -> None:
    code = "open('f', 'w').write('x\\n'); print('said')"
    done = cloche("run", "--diff", "-", "-c", code)
    assert done.stdout.startswith("said\ndiff --git a/f b/f\nnew file mode 100644\n")
    told = json.loads(cloche("run", "--json", "--diff", "-", "-c", code).stdout)
    assert told["stdout"] == "said\n"
    assert told["diff"].endswith("+++ b/f\n@@ -0,0 +1 @@\n+x\n")


@pytest.mark.usefixtures("prepared")
def test_a_link_in_place_of_the_patch_is_not_followed(cloche: Cloche, project: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    cloche("bash", "-w", str(project), "--diff", str(project / "p"), "-c", f"rm p; ln -s {victim} p; echo x > y")
    assert victim.read_text() == "mine"
