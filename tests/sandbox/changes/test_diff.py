"""What changed in a sandbox's folders, as patches that the real git applies."""

import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche import ConfigError, Diff, Mount, Sandbox, SyncSandbox
from cloche.limits import DIFF_FILE_LIMIT
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.changes.line_diff import LineChange, WorkBudget, diff_lines
from cloche.sandbox.changes.tracker import ChangeTracker
from tests.sandbox.conftest import OpenBox

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Place:
    """A folder on the host with its own tracker, without a sandbox around it."""

    def __init__(self, base: Path) -> None:
        self.root = base / "root"
        self.root.mkdir()
        self.old = base / "old"
        self.tracker = ChangeTracker(lambda _: OpenFolder.at(str(self.root), "/workspace"), base / "store")

    def diff(self, before: Callable[[Path], object], after: Callable[[Path], object]) -> Diff:
        before(self.root)
        shutil.copytree(self.root, self.old, symlinks=True)
        mark = self.tracker.mark("/workspace")
        after(self.root)
        return self.tracker.diff(mark, "/workspace")

    def apply(self, diff: Diff) -> None:
        command = ["git", "apply", "--unsafe-paths", "--whitespace=nowarn", "-"]
        done = subprocess.run(command, cwd=self.old, input=diff.patch.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stderr.decode()) == (0, "")


def state(root: Path) -> dict[str, tuple[str, bytes]]:
    found: dict[str, tuple[str, bytes]] = {}
    for path in root.rglob("*"):
        name = os.fsdecode(os.fsencode(path.relative_to(root)))
        if path.is_symlink():
            found[name] = ("link", os.fsencode(path.readlink()))
        elif path.is_file():
            found[name] = ("x" if path.stat().st_mode & 0o100 else "-", path.read_bytes())
    return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def before(root: Path) -> None:
    (root / "kept").write_text("same\n")
    (root / "text").write_text("".join(f"{number}\n" for number in range(30)))
    (root / "gone").write_text("gone\n")
    (root / "d").mkdir()
    (root / "d" / "in").write_text("in\n")
    (root / "mode").write_text("x\n")
    (root / "open").write_text("no end")
    (root / "binary").write_bytes(bytes(range(256)) * 4)
    (root / "link").symlink_to("text")
    (root / "file then folder").write_text("f\n")
    (root / "folder").mkdir()
    (root / "folder" / "f").write_text("f\n")
    (root / "latin").write_bytes(b"gr\xfcn\n")
    (root / "empty").touch()


def after(root: Path) -> None:
    lines = [f"{number}\n" for number in range(30)]
    lines[14] = "fifteen\n"
    (root / "text").write_text("".join(["first\n", *lines[:20], *lines[22:], "last"]))
    (root / "gone").unlink()
    (root / "d" / "new name.txt").write_text("new\n")
    (root / "d" / 'ü\n"q\\').write_text("odd\n")
    (root / "mode").chmod(0o755)
    (root / "open").write_text("no end\nbut more\n")
    (root / "binary").write_bytes(bytes(reversed(range(256))) * 5)
    (root / "link").unlink()
    (root / "link").symlink_to("../elsewhere")
    (root / "file then folder").unlink()
    (root / "file then folder").mkdir()
    (root / "file then folder" / "g").write_text("g\n")
    shutil.rmtree(root / "folder")
    (root / "folder").write_text("now a file\n")
    (root / "latin").write_bytes(b"blau \xe4\n")
    (root / "empty").write_text("full\n")
    (root / "new empty").touch()
    (root / "script").write_text("#!/bin/sh\n")
    (root / "script").chmod(0o755)


@needs_git
def test_the_patch_leads_from_the_old_state_to_the_new(place: Place) -> None:
    diff = place.diff(before, after)
    place.apply(diff)
    assert state(place.old) == state(place.root)
    assert diff.complete
    assert {each.path: each.status for each in diff.files}["gone"] == "deleted"
    assert "kept" not in diff.patch
    text = next(each for each in diff.files if each.path == "text")
    assert (text.added, text.deleted) == (3, 3)


@needs_git
def test_it_looks_like_a_diff_of_git(place: Place) -> None:
    def change(root: Path) -> None:
        (root / "text").write_text("".join(f"{number}\n" for number in range(30) if number != 7))
        (root / "a b").write_text("new\n")
        (root / "mode").chmod(0o755)

    patch = place.diff(before, change).patch
    real = "git init -q; git add .; cp -a ../root/. .; git add -N .; git diff"
    done = subprocess.run(["bash", "-c", real], cwd=place.old, capture_output=True, text=True, check=True)
    assert patch == done.stdout


def test_nothing_changed_is_nothing_to_show(place: Place) -> None:
    diff = place.diff(before, lambda root: (root / "text").touch())
    assert (diff.patch, diff.files, bool(diff), diff.stat()) == ("", (), False, "")


def test_what_a_guest_plants_is_noted_and_does_no_harm(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden words")

    def plant(root: Path) -> None:
        os.mkfifo(root / "pipe")
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(str(root / "socket"))
        (root / "out").symlink_to(secret)
        (root / "dir").symlink_to(tmp_path, target_is_directory=True)
        with (root / "sparse").open("wb") as file:
            file.truncate(1 << 40)
        (root / "evil\ndiff --git a b").write_text("x\n")
        (root / ".git").mkdir()
        (root / ".git" / "config").write_text("[core]\n")
        (root / os.fsdecode(b"\xff")).write_text("x")

    diff = place.diff(lambda root: (root / "f").write_text("f\n"), plant)
    assert "hidden" not in diff.patch
    assert ".git/config" not in diff.patch
    left = {each.path: each.left_out for each in diff.files if each.left_out}
    assert set(left) == {"pipe", "socket", "sparse"}
    assert "4 MB" in (left["sparse"] or "")
    assert not diff.complete
    assert diff.patch.startswith("# pipe: a pipe, a socket or a device\n")
    assert sum(line.startswith("diff --git ") for line in diff.patch.splitlines()) == 4
    place.apply(diff)


def test_a_change_that_hides_its_time_is_found(place: Place) -> None:
    def change(root: Path) -> None:
        info = (root / "f").stat()
        (root / "f").write_text("b\n")
        os.utime(root / "f", ns=(info.st_atime_ns, info.st_mtime_ns))

    assert "-a\n+b\n" in place.diff(lambda root: (root / "f").write_text("a\n"), change).patch


def test_files_beyond_the_limit_are_listed_but_not_shown(place: Place) -> None:
    large = "x" * (DIFF_FILE_LIMIT + 1)
    diff = place.diff(
        lambda root: [(root / name).write_text(large) for name in ("same", "grows", "goes")],
        lambda root: [(root / "grows").write_text(large + "y"), (root / "goes").unlink()],
    )
    assert [(each.path, each.status) for each in diff.files] == [("goes", "deleted"), ("grows", "changed")]
    assert len(diff.patch) < 500
    assert stat.S_ISREG((place.root / "same").stat().st_mode)


def check_changes(old: list[str], new: list[str], changes: list[LineChange]) -> None:
    made: list[str] = []
    at = 0
    for change in changes:
        made += old[at : change.old_start]
        made += new[change.new_start : change.new_end]
        at = change.old_end
    assert made + old[at:] == new
    for one, two in pairwise(changes):
        assert one.old_end < two.old_start or one.new_end < two.new_start


LINES = st.lists(st.sampled_from("abcdef"), max_size=60)


@given(LINES, LINES, st.sampled_from([0, 50, 10**9]))
@settings(deadline=None)
def test_differences_lead_from_one_list_to_the_other(old: list[str], new: list[str], steps: int) -> None:
    check_changes(old, new, diff_lines(old, new, WorkBudget(steps)))


@pytest.mark.slow
def test_lists_without_a_line_in_common_are_compared_in_bounded_work() -> None:
    old, new = [f"a{i}" for i in range(100_000)], [f"b{i}" for i in range(100_000)]
    assert diff_lines(old, new, WorkBudget(10**6)) == [LineChange(0, 100_000, 0, 100_000)]
    mixed = [line for pair in zip(old, new, strict=True) for line in pair]
    check_changes(old, mixed, diff_lines(old, mixed, WorkBudget(10**7)))


@needs_git
@given(
    st.lists(st.text("ab\n\r\0é", max_size=30), min_size=3, max_size=3),
    st.lists(st.text("ab\n\r\0é", max_size=30), min_size=3, max_size=3),
)
@settings(deadline=None, max_examples=25)
def test_git_applies_any_text(tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]) -> None:
    place = Place(tmp_path_factory.mktemp("any"))

    def write(texts: list[str]) -> Callable[[Path], object]:
        return lambda root: [(root / f"f{i}").write_bytes(text.encode()) for i, text in enumerate(texts)]

    diff = place.diff(write(old), write(new))
    if diff:
        place.apply(diff)
    assert state(place.old) == state(place.root)


async def test_a_sandbox_lists_what_changed_since_it_started_and_since_a_mark(shell: Sandbox) -> None:
    first = await shell.mark()
    await shell.bash("echo a > f; mkdir d; echo b > d/g", check=True)
    second = await shell.mark()
    await shell.bash("echo c >> f; rm d/g", check=True)
    whole, part = await shell.diff(since=first), await shell.diff(since=second)
    assert [each.path for each in whole.files] == ["f"]
    assert "+a\n+c\n" in str(whole)
    assert [(each.path, each.status) for each in part.files] == [("d/g", "deleted"), ("f", "changed")]
    assert (await shell.diff()).files == whole.files


async def test_a_folder_of_the_user_is_tracked_on_request(open_box: OpenBox, tmp_path: Path) -> None:
    work, data = tmp_path / "work", tmp_path / "data"
    work.mkdir()
    data.mkdir()
    (work / "f").write_text("a\n")
    mounts = [Mount(data, "/mnt/data")]
    plain = await open_box(workspace=work, mounts=mounts, languages=["bash"])
    with pytest.raises(ConfigError, match="track=True"):
        await plain.diff()
    box = await open_box(workspace=work, mounts=mounts, languages=["bash"], track=True)
    await box.bash("echo b >> f; echo n > /mnt/data/n", check=True)
    assert "@@ -1 +1,2 @@\n a\n+b\n" in (await box.diff()).patch
    assert [each.path for each in (await box.diff(path="/mnt/data")).files] == ["n"]
    with pytest.raises(ConfigError, match="another sandbox"):
        await plain.diff(since=await box.mark())


def test_scripts_can_ask_too(prepared: object) -> None:
    with SyncSandbox(languages=["bash"]) as box:
        mark = box.mark()
        box.bash("echo a > f")
        assert box.diff(mark).stat() == " A f | +1 -0\n 1 file changed, 1 added, 0 deleted\n"
        assert box.diff() == box.diff(mark)
