import os
import sys
from pathlib import Path

import pytest

from cloche.limits import MB
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.files import tree_copy
from cloche.sandbox.files.tree_copy import CopiedTree, TreeCopy, remove_tree, stays_inside


def copy(source: Path, dest: Path) -> CopiedTree:
    dest.mkdir(exist_ok=True)
    work = TreeCopy()
    with OpenFolder.at(str(source), "/from") as top, OpenFolder.at(str(dest), "/to") as into:
        work.tree(top, into)
    return work.result


def remove(path: Path) -> None:
    with OpenFolder.at(str(path.parent), "/") as parent:
        remove_tree(parent, path.name)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("target", "depth", "inside"),
    [
        ("b", 0, True),
        ("../b", 1, True),
        ("..", 1, True),
        ("../b", 0, False),
        ("../../b", 1, False),
        ("/b", 3, False),
        ("b/../c", 3, False),
        ("../b/../../c", 1, False),
    ],
)
def test_a_link_stays_if_it_climbs_no_higher_than_its_tree(target: str, depth: int, inside: bool) -> None:
    assert stays_inside(target, depth) is inside


def test_a_tree_is_copied_with_its_modes_and_empty_folders(source: Path, tmp_path: Path) -> None:
    (source / "a/empty").mkdir(parents=True)
    (source / "a/run.sh").write_bytes(b"#!/bin/sh\n")
    (source / "a/run.sh").chmod(0o755)
    (source / "a/link").symlink_to("../a/run.sh")
    result = copy(source, tmp_path / "dest")
    assert result == CopiedTree(1)
    assert (tmp_path / "dest/a/empty").is_dir()
    assert (tmp_path / "dest/a/run.sh").stat().st_mode & 0o111
    assert (tmp_path / "dest/a/link").readlink() == Path("../a/run.sh")


def test_what_must_not_be_copied_is_skipped_and_named(source: Path, tmp_path: Path) -> None:
    (source / "out").symlink_to("/etc/passwd")
    (source / "up").symlink_to("../secret")
    os.mkfifo(source / "pipe")
    (source / "fine").touch()
    result = copy(source, tmp_path / "dest")
    assert [path.name for path in (tmp_path / "dest").iterdir()] == ["fine"]
    assert [line.split()[0] for line in sorted(result.skipped)] == ["/from/out", "/from/pipe", "/from/up"]


def test_links_at_the_destination_are_replaced_not_followed(source: Path, tmp_path: Path) -> None:
    outside, dest = tmp_path / "outside", tmp_path / "dest"
    outside.mkdir()
    dest.mkdir()
    (outside / "file").write_text("kept")
    for name in ("file", "folder", "link"):
        (dest / name).symlink_to(outside / "file" if name == "file" else outside)
    (source / "file").write_text("new")
    (source / "folder").mkdir()
    (source / "folder/file").write_text("new")
    (source / "link").symlink_to("file")
    copy(source, dest)
    assert [path.name for path in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text() == "kept"
    assert (dest / "folder/file").read_text() == "new"
    assert (dest / "link").read_text() == "new"


def test_a_folder_copied_into_itself_ends(source: Path) -> None:
    (source / "file").write_text("x")
    result = copy(source, source / "inner")
    assert result.files == 1
    assert sorted(path.name for path in (source / "inner").iterdir()) == ["file", "inner"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_holes_stay_holes_and_data_stays_data(
    source: Path, tmp_path: Path, by_hand: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_hand:
        monkeypatch.delattr(os, "copy_file_range")
    with (source / "sparse").open("wb") as file:
        file.seek(64 * MB)
        file.write(b"middle" * 1000)
        file.truncate(1 << 40)
    copy(source, tmp_path / "dest")
    info = (tmp_path / "dest/sparse").stat()
    assert (info.st_size, info.st_blocks < 1000) == (1 << 40, True)
    with (tmp_path / "dest/sparse").open("rb") as file:
        file.seek(64 * MB)
        assert file.read(6001) == b"middle" * 1000 + b"\0"


def test_progress_reports_the_bytes_done(source: Path, tmp_path: Path) -> None:
    (source / "file").write_bytes(os.urandom(20 * MB))
    told: list[int] = []
    work = TreeCopy(told.append)
    with OpenFolder.at(str(source), "/from") as top, OpenFolder.at(str(tmp_path), "/to") as into:
        work.file(top, "file", into, "copy")
    assert told[-1] == 20 * MB
    assert told == sorted(told)
    assert max(b - a for a, b in zip([0, *told], told, strict=False)) <= tree_copy.CHUNK
    assert (tmp_path / "copy").read_bytes() == (source / "file").read_bytes()


def nest(top: Path, depth: int) -> None:
    """Make folders so deep that no path leads to the last."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_a_tree_deeper_than_any_path_is_copied_and_removed(source: Path, tmp_path: Path) -> None:
    nest(source, sys.getrecursionlimit() + 200)
    assert copy(source, tmp_path / "dest") == CopiedTree(1)
    remove(tmp_path / "dest")
    remove(source)
    assert list(tmp_path.iterdir()) == []


def test_removing_unlocks_folders_and_follows_no_link(source: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    (source / "a/b").mkdir(parents=True)
    (source / "a/b/link").symlink_to(tmp_path / "kept")
    os.mkfifo(source / "a/b/pipe")
    for folder in ("a/b", "a", "."):
        (source / folder).chmod(0)
    remove(source)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept/file").exists()
