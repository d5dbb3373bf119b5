import os
import resource
import tracemalloc
from pathlib import Path, PurePosixPath

import pytest

from cloche.limits import MB
from cloche.sandbox.files.guest_files import FileInfo, Folder, GuestFiles


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for name in ("work", "tmp", "data", "frozen"):
        (tmp_path / "host" / name).mkdir(parents=True)
    return tmp_path / "host"


@pytest.fixture
def folders(host: Path) -> GuestFiles:
    return GuestFiles(
        [
            Folder("/workspace", str(host / "work")),
            Folder("/tmp", str(host / "tmp")),
            Folder("/mnt/data", str(host / "data")),
            Folder("/mnt/frozen", str(host / "frozen"), read_only=True),
        ]
    )


def paths(infos: list[FileInfo]) -> list[str]:
    return [info.path for info in infos]


def test_what_is_written_is_read_again(folders: GuestFiles, host: Path) -> None:
    folders.write("a/b.txt", "grün")
    folders.write(PurePosixPath("/tmp/raw"), b"\0\xff")
    assert folders.read("/workspace/a/b.txt") == "grün".encode()
    assert folders.read("/workspace/../tmp/raw") == b"\0\xff"
    assert (host / "work/a/b.txt").read_text() == "grün"


def test_writing_again_keeps_the_mode(folders: GuestFiles, host: Path) -> None:
    folders.write("run.sh", "long content")
    (host / "work/run.sh").chmod(0o750)
    folders.write("run.sh", "x")
    assert folders.read("run.sh") == b"x"
    assert folders.stat("run.sh").mode == 0o750


def test_a_path_is_located_by_its_name(folders: GuestFiles, host: Path) -> None:
    folders.write("x/y", "in the working folder")
    assert (host / "work/x/y").read_text() == "in the working folder"
    folders.write("/workspace/x/../../mnt/data/z", "in a mount")
    assert folders.read("/mnt/../mnt/data/./z") == b"in a mount"
    assert not (host / "work/z").exists()
    for path in ("/etc/passwd", "/mnt", "/", "/workspacex", "../etc"):
        with pytest.raises(PermissionError, match="outside the sandbox's folders"):
            folders.write(path, "")


def test_links_lead_where_the_guest_sees_them_lead(folders: GuestFiles, host: Path) -> None:
    (host / "data/table.csv").write_text("a,b")
    (host / "work/data").symlink_to("/mnt/data")
    (host / "work/table").symlink_to("../mnt/data/table.csv")
    assert folders.read("data/table.csv") == b"a,b"
    assert folders.read("table") == b"a,b"
    assert paths(folders.list("data")) == ["/mnt/data/table.csv"]
    assert folders.stat("table").kind == "file"
    assert folders.stat("table", follow=False).kind == "link"
    folders.write("data/new", b"x")
    assert (host / "data/new").read_bytes() == b"x"


def test_a_link_to_a_file_of_the_host_leads_nowhere(folders: GuestFiles, host: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (host / "work/x").symlink_to("/etc/passwd")
    (host / "work/up").symlink_to("../../secret")
    (host / "work/real").symlink_to(tmp_path / "secret")
    for path in ("x", "up"):
        outside = rf"/workspace/{path} leads to .* outside"
        with pytest.raises(PermissionError, match=outside):
            folders.read(path)
        with pytest.raises(PermissionError, match=outside):
            folders.list(path)
        with pytest.raises(PermissionError, match=outside):
            folders.stat(path)
        with pytest.raises(PermissionError, match=outside):
            folders.write(path, b"gone")
    with pytest.raises(OSError, match=r"/workspace/real|No such file"):
        folders.read("real")
    with pytest.raises(PermissionError):
        folders.download("x", tmp_path / "copy")
    with pytest.raises(PermissionError):
        folders.upload(__file__, "x")
    assert (tmp_path / "secret").read_text() == "secret"
    folders.remove("x")
    assert (tmp_path / "secret").exists()


def test_a_read_only_mount_is_read_but_not_changed(folders: GuestFiles, host: Path) -> None:
    (host / "frozen/file").write_text("kept")
    (host / "work/link").symlink_to("/mnt/frozen/file")
    assert folders.read("/mnt/frozen/file") == b"kept"
    folders.mkdir("/mnt/frozen")
    for change in (
        lambda: folders.write("/mnt/frozen/file", b""),
        lambda: folders.write("/workspace/link", b""),
        lambda: folders.write("/mnt/frozen/a/b", b""),
        lambda: folders.mkdir("/mnt/frozen/a"),
        lambda: folders.remove("/mnt/frozen/file"),
        lambda: folders.upload(__file__, "/mnt/frozen"),
    ):
        with pytest.raises(PermissionError, match="/mnt/frozen is mounted read-only"):
            change()
    assert (host / "frozen/file").read_text() == "kept"


def test_errors_name_the_path_of_the_guest(folders: GuestFiles, host: Path) -> None:
    folders.write("file", b"")
    cases = (
        (lambda: folders.read("no/file"), FileNotFoundError, "/workspace/no"),
        (lambda: folders.read("/tmp"), IsADirectoryError, "/tmp"),
        (lambda: folders.write("file/below", b""), NotADirectoryError, "/workspace/file"),
        (lambda: folders.list("file"), NotADirectoryError, "/workspace/file"),
        (lambda: folders.mkdir("file"), NotADirectoryError, "/workspace/file"),
        (lambda: folders.remove("none"), FileNotFoundError, "/workspace/none"),
        (lambda: folders.remove("/workspace"), PermissionError, "/workspace"),
    )
    for call, kind, path in cases:
        with pytest.raises(kind, match=path) as caught:
            call()
        assert str(host) not in str(caught.value)


def test_a_name_too_long_is_an_error_of_the_system(folders: GuestFiles) -> None:
    for path in ("n" * 5000, "n" * 5000 + "/x/y", "x/" + "n" * 5000 + "/y"):
        with pytest.raises(OSError, match=r"too long|No such file"):
            folders.read(path)
    with pytest.raises(ValueError, match="NUL"):
        folders.read("a\0b")


def test_a_missing_folder_does_not_name_the_host(host: Path) -> None:
    folders = GuestFiles([Folder("/workspace", str(host / "gone"))])
    with pytest.raises(FileNotFoundError, match="'/workspace'"):
        folders.read("x")


def test_a_file_above_the_limit_is_refused(folders: GuestFiles) -> None:
    folders.write("file", b"12345")
    assert folders.read("file", limit=5) == b"12345"
    with pytest.raises(OSError, match="5 bytes are more than the limit of 4"):
        folders.read("file", limit=4)


def test_listing_says_what_each_thing_is(folders: GuestFiles, host: Path) -> None:
    folders.write("b/file", b"123")
    (host / "work/a").symlink_to("/etc")
    os.mkfifo(host / "work/c")
    listed = folders.list("/workspace", recursive=True)
    assert [(info.path, info.kind) for info in listed] == [
        ("/workspace/a", "link"),
        ("/workspace/b", "dir"),
        ("/workspace/b/file", "file"),
        ("/workspace/c", "other"),
    ]
    assert listed[2].size == 3
    assert listed[2].mtime == pytest.approx((host / "work/b/file").stat().st_mtime)
    assert paths(folders.list()) == ["/workspace/a", "/workspace/b", "/workspace/c"]


def test_above_the_folders_their_names_are_listed(folders: GuestFiles) -> None:
    folders.write("/mnt/data/x", b"")
    assert paths(folders.list("/")) == ["/mnt", "/tmp", "/workspace"]
    assert paths(folders.list("/mnt", recursive=True)) == ["/mnt/data", "/mnt/data/x", "/mnt/frozen"]
    assert folders.stat("/mnt").kind == "dir"
    with pytest.raises(PermissionError):
        folders.write("/mnt/new", b"")


def test_directories_are_made_and_removed(folders: GuestFiles, host: Path) -> None:
    folders.mkdir("a/b/c")
    folders.mkdir("a/b/c")
    folders.mkdir("/workspace")
    folders.write("a/b/c/file", b"")
    with pytest.raises(OSError, match="/workspace/a/b/c"):
        folders.remove("a/b/c")
    folders.remove("a", recursive=True)
    assert list((host / "work").iterdir()) == []


def test_a_file_is_uploaded_under_its_name_or_a_new_one(folders: GuestFiles, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("content")
    assert folders.upload(tmp_path / "in.txt", "new/out.txt").files == 1
    folders.upload(str(tmp_path / "in.txt"), "new")
    assert folders.read("new/out.txt") == folders.read("new/in.txt") == b"content"
    with pytest.raises(FileNotFoundError, match="missing"):
        folders.upload(tmp_path / "missing", "x")


def test_a_file_is_downloaded_under_its_name_or_a_new_one(folders: GuestFiles, tmp_path: Path) -> None:
    folders.write("out.txt", b"content")
    folders.download("out.txt", tmp_path / "deep/copy.txt")
    folders.download("out.txt", tmp_path)
    assert (tmp_path / "deep/copy.txt").read_text() == (tmp_path / "out.txt").read_text() == "content"
    with pytest.raises(FileNotFoundError, match="/workspace/none"):
        folders.download("none", tmp_path / "deep/none/x")
    assert not (tmp_path / "deep/none").exists()


def test_trees_go_in_and_out(folders: GuestFiles, tmp_path: Path) -> None:
    (tmp_path / "tree/sub").mkdir(parents=True)
    (tmp_path / "tree/sub/file").write_text("content")
    (tmp_path / "tree/link").symlink_to("sub/file")
    (tmp_path / "tree/out").symlink_to("/etc/passwd")
    up = folders.upload(tmp_path / "tree", "project")
    assert (up.files, len(up.skipped)) == (1, 1)
    assert folders.read("project/link") == b"content"
    down = folders.download("project", tmp_path / "copy")
    assert (down.files, down.skipped) == (1, ())
    assert (tmp_path / "copy/link").read_text() == "content"
    assert not (tmp_path / "copy/out").is_symlink()


def test_a_planted_link_is_not_followed_by_a_second_download(folders: GuestFiles, host: Path, tmp_path: Path) -> None:
    (host / "work/a").symlink_to("b")
    (host / "work/b").mkdir()
    folders.download("/workspace", tmp_path / "copy")
    (host / "work/a").unlink()
    folders.write("a/file", b"x")
    folders.download("/workspace", tmp_path / "copy")
    assert not (tmp_path / "copy/a").is_symlink()
    assert list((tmp_path / "copy/b").iterdir()) == []


def test_large_files_need_little_memory(folders: GuestFiles, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        for _ in range(64):
            file.write(os.urandom(MB))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    try:
        folders.upload(tmp_path / "large", "large")
        folders.download("large", tmp_path / "copy")
        assert tracemalloc.get_traced_memory()[1] < 16 * MB
    finally:
        tracemalloc.stop()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 32 * 1024
    assert (tmp_path / "copy").stat().st_size == 64 * MB


def test_folders_in_each_other_are_refused(host: Path) -> None:
    for target in ("/workspace/inner", "/workspace", "/"):
        with pytest.raises(ValueError, match="overlap"):
            GuestFiles([Folder("/workspace", str(host)), Folder(target, str(host))])


def test_what_is_moved_is_at_one_place_only(folders: GuestFiles, host: Path) -> None:
    folders.write("a/x", "x")
    folders.write("y", "y")
    folders.move("a", "new/b")
    assert (folders.read("new/b/x"), (host / "work/a").exists()) == (b"x", False)
    with pytest.raises(FileExistsError, match="/workspace/new/b/x"):
        folders.move("y", "new/b/x")
    folders.move("y", "new/b/x", overwrite=True)
    assert folders.read("new/b/x") == b"y"
    folders.symlink("link", "/etc/passwd")
    folders.move("link", "moved")
    assert folders.read_link("moved") == "/etc/passwd"
    with pytest.raises(FileNotFoundError):
        folders.move("nothing", "made/for/nothing")
    assert not (host / "work/made").exists()


@pytest.mark.parametrize(
    ("path", "destination"),
    [
        (".", "x"),
        ("x", "/tmp"),
        ("x", "/mnt/frozen/x"),
        ("/mnt/frozen/old", "x"),
        ("x", "/etc/x"),
        ("x", "out/x"),
        ("out/shadow", "y"),
    ],
)
def test_nothing_is_moved_out_or_in_or_where_it_may_not_be(
    folders: GuestFiles, host: Path, path: str, destination: str
) -> None:
    (host / "frozen/old").write_text("old")
    folders.write("x", "x")
    folders.symlink("out", "/etc")
    with pytest.raises(PermissionError):
        folders.move(path, destination, overwrite=True)
    assert (folders.read("x"), (host / "frozen/old").read_text()) == (b"x", "old")


def test_a_file_that_is_placed_appears_whole_and_keeps_the_mode_of_the_one_before(
    folders: GuestFiles, host: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(bytes(range(256)) * 10_000)
    folders.place(source, "deep/er/run.sh")
    assert folders.read("deep/er/run.sh") == source.read_bytes()
    (host / "work/deep/er/run.sh").chmod(0o750)
    with folders.open_read("deep/er/run.sh") as reader:
        source.write_bytes(b"new")
        folders.place(source, "deep/er/run.sh")
        assert len(reader.read()) == 2_560_000
    info = folders.stat("deep/er/run.sh")
    assert (folders.read("deep/er/run.sh"), info.mode) == (b"new", 0o750)
    for path in ("deep", "/mnt/frozen/x", "/etc/x"):
        with pytest.raises((IsADirectoryError, PermissionError)):
            folders.place(source, path)
    with pytest.raises(FileNotFoundError):
        folders.place(tmp_path / "missing", "deep/er/missing")
    assert paths(folders.list("deep", recursive=True)) == ["/workspace/deep/er", "/workspace/deep/er/run.sh"]
