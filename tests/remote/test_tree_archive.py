"""Trees of files on their way: they come as they went, and hostile ones stay in their folder."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cloche.remote.tree_archive import pack_tree, unpack_tree

LIMIT = 1 << 20


def pack(source: Path, name: str = "tree") -> io.BytesIO:
    data = io.BytesIO()
    pack_tree(source, name, data)
    data.seek(0)
    return data


def test_a_folder_comes_as_it_went(tmp_path: Path) -> None:
    source, dest = tmp_path / "from", tmp_path / "to"
    (source / "b" / "empty").mkdir(parents=True)
    dest.mkdir()
    (source / "a.txt").write_text("hi")
    (source / "b" / "x.sh").write_bytes(bytes(range(256)) * 9000)
    (source / "b" / "x.sh").chmod(0o755)
    (source / "b" / "link").symlink_to("../a.txt")
    (source / "outside").symlink_to("/etc/passwd")
    (source / "b" / "up").symlink_to("../../secret")
    unpack_tree(pack(source), dest, 4 * LIMIT)
    found = {str(path.relative_to(dest / "tree")) for path in (dest / "tree").rglob("*")}
    assert found == {"a.txt", "b", "b/empty", "b/x.sh", "b/link"}
    assert (dest / "tree/b/x.sh").read_bytes() == (source / "b/x.sh").read_bytes()
    assert (dest / "tree/b/x.sh").stat().st_mode & 0o777 == 0o755
    assert (dest / "tree/b/link").readlink() == Path("../a.txt")


def test_a_file_comes_under_its_name_and_progress_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hello")
    told: list[int] = []
    data = io.BytesIO()
    pack_tree(tmp_path / "a", "b.txt", data, told.append)
    data.seek(0)
    (tmp_path / "to").mkdir()
    unpack_tree(data, tmp_path / "to", LIMIT)
    assert (tmp_path / "to" / "b.txt").read_text() == "hello"
    assert told[-1] == 5


def test_what_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        pack(tmp_path / "nowhere")


def member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.size, found.linkname = kind, size, link
    return found


def archive(*members: tarfile.TarInfo) -> io.BytesIO:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as opened:
        for each in members:
            opened.addfile(each, io.BytesIO(bytes(each.size)))
    data.seek(0)
    return data


HOSTILE: dict[str, Callable[[], io.BytesIO]] = {
    "a path upwards": lambda: archive(member("../out")),
    "a whole path": lambda: archive(member("/tmp/out")),
    "upwards in the middle": lambda: archive(member("a/../../out")),
    "a link outside": lambda: archive(member("l", tarfile.SYMTYPE, link="/etc")),
    "a hard link": lambda: archive(member("h", tarfile.LNKTYPE, link="/etc/passwd")),
    "a device": lambda: archive(member("d", tarfile.CHRTYPE)),
    "a pipe": lambda: archive(member("p", tarfile.FIFOTYPE)),
    "too much": lambda: archive(member("big", size=LIMIT + 1)),
    "twice": lambda: archive(member("a"), member("a")),
    "through a link": lambda: archive(
        member("d", tarfile.DIRTYPE), member("l", tarfile.SYMTYPE, link="d"), member("l/out")
    ),
    "no archive": lambda: io.BytesIO(b"garbage" * 1000),
    "cut": lambda: io.BytesIO(archive(member("a", size=5000)).getvalue()[:2000]),
    "nothing": lambda: io.BytesIO(b""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_and_reaches_nothing(name: str, tmp_path: Path) -> None:
    dest = tmp_path / "inside" / "dest"
    dest.mkdir(parents=True)
    with pytest.raises((ValueError, OSError)):
        unpack_tree(HOSTILE[name](), dest, LIMIT)
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]
    assert [path.name for path in dest.parent.iterdir()] == ["dest"]
    assert not (dest / "d" / "out").exists()
