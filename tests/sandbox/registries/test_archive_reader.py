import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from cloche.errors import PackageDamaged
from cloche.sandbox.registries import archive_reader as archive_module
from cloche.sandbox.registries.archive_reader import open_tar, open_zip
from tests.sandbox.registries.makers import tarball, zipped


def read(path: Path) -> dict[str, bytes]:
    with open_tar(path, "it") as entries:
        return {name: contents.read() for name, contents in entries}


def written(folder: Path, data: bytes) -> Path:
    path = folder / "archive"
    path.write_bytes(data)
    return path


def special(name: str, kind: bytes, target: str = "") -> bytes:
    """An archive with one entry that is no plain file."""
    out = io.BytesIO()
    with tarfile.TarFile(fileobj=out, mode="w") as made:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, target
        made.addfile(entry)
    return gzip.compress(out.getvalue())


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz", ""])
def test_files_are_read_however_they_are_packed(tmp_path: Path, packed: str) -> None:
    data = tarball({"a/b": "one", "./c": "two", "ü/日": ""}, packed=packed, links={"a/link": "b"})
    assert read(written(tmp_path, data)) == {"a/b": b"one", "c": b"two", "ü/日": b""}


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../x", "a/../../x", "a//b", "C:/x", "a\\..\\b", "a/\nb", "a\0b"[:1] + "\x07", "x" * 2000]
)
def test_names_that_lead_out_or_are_none_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PackageDamaged, match=r"refused"):
        read(written(tmp_path, tarball({"fine": "", name: "x"})))


@pytest.mark.parametrize(
    ("name", "target"), [("link", "/etc/passwd"), ("link", "../x"), ("a/link", "../../x"), ("a/b/l", "c/../../../../x")]
)
def test_links_that_lead_out_are_refused(tmp_path: Path, name: str, target: str) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        if kind == tarfile.LNKTYPE and target == "../../x":
            continue
        with pytest.raises(PackageDamaged, match="leads out of its folder"):
            read(written(tmp_path, special(name, kind, target if kind == tarfile.SYMTYPE else "../x")))


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_and_pipes_are_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(PackageDamaged, match="no plain file"):
        read(written(tmp_path, special("thing", kind)))


def test_a_name_that_comes_twice_or_is_file_and_folder_is_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.TarFile(fileobj=out, mode="w") as made:
        for _ in range(2):
            made.addfile(tarfile.TarInfo("same"))
    with pytest.raises(PackageDamaged, match="appears twice"):
        read(written(tmp_path, out.getvalue()))
    for names in (("a", "a/b"), ("a/b", "a")):
        with pytest.raises(PackageDamaged, match="a file and a folder"):
            read(written(tmp_path, tarball(dict.fromkeys(names, "x"))))


def test_archives_that_grow_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = written(tmp_path, tarball({"zeros": b"\0" * (1 << 22)}))
    assert bomb.stat().st_size < 10_000
    monkeypatch.setattr(archive_module, "PACKAGE_LIMIT", 1 << 20)
    with pytest.raises(PackageDamaged, match="unpacks to more than 1 MB"):
        read(bomb)
    monkeypatch.setattr(archive_module, "PACKAGE_FILES", 3)
    with pytest.raises(PackageDamaged, match="more than 3 files"):
        read(written(tmp_path, tarball({str(number): "" for number in range(5)})))


def test_a_header_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    with tarfile.TarFile(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
        entry = tarfile.TarInfo("x")
        entry.pax_headers = {"comment": "y" * (24 << 20)}
        made.addfile(entry)
    monkeypatch.setattr(archive_module, "PACKAGE_LIMIT", 0)
    with pytest.raises(PackageDamaged, match="unpacks to more than"):
        read(written(tmp_path, gzip.compress(out.getvalue(), 1)))


@pytest.mark.parametrize("data", [b"", b"noise", b"\x1f\x8bnoise", gzip.compress(b"noise" * 500, mtime=0), b"BZhnoise"])
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(PackageDamaged):
        read(written(tmp_path, data))


def test_an_archive_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = tarball({"a": b"x" * 100_000, "b": b"y" * 100_000}, packed="")
    for cut in (whole[:150_000], gzip.compress(whole)[:300]):
        with pytest.raises(PackageDamaged, match="not a whole archive"):
            read(written(tmp_path, cut))


def test_zip_files_are_read_with_the_same_care(tmp_path: Path) -> None:
    with open_zip(written(tmp_path, zipped({"a/b": "one"})), "it") as entries:
        assert {name: contents.read() for name, contents in entries} == {"a/b": b"one"}
    for name in ("../x", "/x", "a\\b"):
        with pytest.raises(PackageDamaged), open_zip(written(tmp_path, zipped({name: "x"})), "it") as entries:
            list(entries)
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr(link, "/etc/passwd")
    with pytest.raises(PackageDamaged, match="is a link"), open_zip(written(tmp_path, out.getvalue()), "it"):
        pass
