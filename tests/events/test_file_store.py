"""Files by name, and nothing outside of their folder."""

import os
import stat
from pathlib import Path

import pytest

from cloche.events import Files, FileStore, MemoryFileStore, SQLiteStore
from cloche.paths.user_dirs import data_dir

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["folder", "memory"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    return FileStore(tmp_path / "files") if request.param == "folder" else MemoryFileStore()


async def test_files_are_written_read_listed_and_deleted(files: Files) -> None:
    assert await files.list() == []
    await files.write("a/b/c.bin", b"\0\xff")
    await files.write("a/text.txt", "wörd")
    await files.write("a/text.txt", "wörter")
    assert await files.read("a/b/c.bin") == b"\0\xff"
    assert (await files.read("a/text.txt")).decode() == "wörter"
    assert await files.list() == ["a/"]
    assert await files.list("a") == await files.list("a/") == ["a/b/", "a/text.txt"]
    assert await files.list("nowhere/at/all") == []
    await files.delete("a/b")
    await files.delete("a/nothing")
    await files.delete("nowhere/at/all")
    assert await files.list("a") == ["a/text.txt"]
    with pytest.raises(FileNotFoundError):
        await files.read("a/b/c.bin")


@pytest.mark.parametrize(
    "path", ["", "/", "/etc/passwd", "../a", "a/../../b", "a//b", "./a", ".hidden", "a\\b", "a\0b", "x/" * 40 + "y"]
)
async def test_a_path_that_may_lead_out_is_refused(files: Files, path: str) -> None:
    for act in (files.read(path), files.delete(path), files.write(path, b"")):
        with pytest.raises(ValueError, match="no path of a file store"):
            await act


async def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/secret").write_text("secret")
    root = tmp_path / "files"
    root.mkdir()
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "file").symlink_to(tmp_path / "out/secret")
    files = FileStore(root)
    for act in (files.read("folder/secret"), files.read("file"), files.write("folder/new", b""), files.list("folder")):
        with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
            await act
    await files.write("file", "own")
    await files.delete("folder")
    assert (tmp_path / "out/secret").read_text() == "secret"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["secret"]


async def test_a_root_that_is_a_link_is_the_users_own_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    await FileStore(tmp_path / "link").write("a", b"1")
    assert (tmp_path / "real/a").read_bytes() == b"1"


async def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PermissionError, match="not a file"):
        await FileStore(tmp_path).read("pipe")


async def test_files_are_for_their_user_only_and_nothing_else_is_left(tmp_path: Path) -> None:
    await FileStore(tmp_path / "files").write("a/b", b"1")
    assert stat.S_IMODE((tmp_path / "files/a/b").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "files").stat().st_mode) == 0o700
    assert [path.name for path in (tmp_path / "files/a").iterdir()] == ["b"]


async def test_a_file_whose_place_is_taken_leaves_nothing_behind(tmp_path: Path) -> None:
    files = FileStore(tmp_path)
    await files.write("a/b", b"1")
    with pytest.raises(OSError, match="directory"):
        await files.write("a", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_without_a_folder_the_users_data_folder_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOCHE_DATA", str(tmp_path))
    assert data_dir() == tmp_path
    assert FileStore().root == tmp_path / "files"
    assert SQLiteStore().path == tmp_path / "events.db"
    monkeypatch.delenv("CLOCHE_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_dir() == tmp_path / "xdg/cloche"
