import errno
import os
import stat
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloche.paths import beneath, openat2
from cloche.paths.beneath import OpenFolder, StartFolder, View, find_beneath, split_path

SECRET = b"secret of the host"


@pytest.fixture(params=["openat2", "handles", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way to open files: one call of Linux, a handle for each step, and plain paths."""
    choose(request.param, monkeypatch)
    return request.param


def choose(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way != "openat2":
        monkeypatch.setattr(openat2, "_load_syscall", lambda: None)
    if way == "paths":
        monkeypatch.setattr(beneath, "HANDLES", False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(SECRET)
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def view(root: Path, frozen: str = "") -> View:
    """One folder seen as /w."""

    def start(parts: Sequence[str]) -> StartFolder:
        seen: list[str] = []
        for count, part in enumerate(parts, 1):
            seen = seen[:-1] if part == ".." else [*seen, part]
            if seen == ["w"] and [*parts[count : count + 1]] != [".."]:
                return StartFolder(OpenFolder.at(str(root), "/w", frozen), [*seen, *parts[count:]], 1)
        raise PermissionError("outside")

    return start


def read(root: Path, path: str) -> bytes:
    found = find_beneath(view(root), split_path(path))
    with found.folder, os.fdopen(found.folder.open(found.name, os.O_RDONLY), "rb") as file:
        return file.read()


def write(root: Path, path: str, data: bytes, make: bool = True) -> None:
    found = find_beneath(view(root), split_path(path), make=make)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with found.folder, os.fdopen(found.folder.open(found.name, flags), "wb") as file:
        file.write(data)


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.usefixtures("way")
def test_a_file_is_read_and_written_through_links_that_stay_inside(root: Path) -> None:
    write(root, "/w/a/b/file", b"one")
    (root / "absolute").symlink_to("/w/a/b")
    (root / "relative").symlink_to("a/../absolute/./file")
    (root / "a" / "up").symlink_to("../a/b/file")
    assert read(root, "/w/absolute/file") == b"one"
    assert read(root, "/w/relative") == b"one"
    assert read(root, "/w/a/up") == b"one"
    assert read(root, "/w/absolute/../../../w/relative") == b"one"
    write(root, "/w/relative", b"two")
    assert (root / "a/b/file").read_bytes() == b"two"


@pytest.mark.usefixtures("way")
def test_dots_after_a_link_mean_the_parent_of_where_it_leads(root: Path) -> None:
    (root / "deep/down").mkdir(parents=True)
    (root / "deep/file").write_bytes(b"below deep")
    (root / "link").symlink_to("deep/down")
    assert read(root, "/w/link/../file") == b"below deep"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../secret", "{secret}", "../../../../../../../{secret}", "/w/../secret"]
)
def test_a_link_that_leads_outside_is_refused(root: Path, target: str) -> None:
    (root / "link").symlink_to(target.format(secret=root.parent / "secret"))
    (root / "chain").symlink_to("link")
    for path in ("/w/link", "/w/chain", "/w/../secret"):
        with pytest.raises(PermissionError):
            read(root, path)
        with pytest.raises(PermissionError):
            write(root, path, b"overwritten")
    assert (root.parent / "secret").read_bytes() == SECRET


@pytest.mark.usefixtures("way")
def test_links_in_a_circle_end(root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(OSError, match="/w/") as caught:
        read(root, "/w/a/x")
    assert caught.value.errno == errno.ELOOP


@pytest.mark.usefixtures("way")
def test_a_dangling_link_is_written_where_it_leads(root: Path) -> None:
    (root / "link").symlink_to("new/file")
    write(root, "/w/link", b"x")
    assert (root / "new/file").read_bytes() == b"x"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK])
def test_pipes_and_sockets_are_refused_at_once(root: Path, kind: int) -> None:
    os.mknod(root / "odd", kind | 0o600)
    with pytest.raises(PermissionError, match="/w/odd"):
        read(root, "/w/odd")
    with pytest.raises(PermissionError, match="/w/odd"):
        write(root, "/w/odd", b"x")


def test_devices_are_refused() -> None:
    with OpenFolder.at("/dev", "/w") as folder, pytest.raises(PermissionError, match=r"/w/zero is .* not a file"):
        folder.open("zero", os.O_RDONLY)


@pytest.mark.usefixtures("way")
def test_errors_are_builtins_that_name_the_path_of_the_guest(root: Path) -> None:
    (root / "file").touch()
    (root / "folder").mkdir()
    for path, kind in (
        ("/w/no/x", FileNotFoundError),
        ("/w/file/x", NotADirectoryError),
        ("/w/folder", IsADirectoryError),
    ):
        with pytest.raises(kind) as caught:
            read(root, path)
        assert str(root) not in str(caught.value)
        assert caught.value.filename in path


def test_a_frozen_folder_is_not_changed(root: Path) -> None:
    (root / "file").write_bytes(b"kept")
    with OpenFolder.at(str(root), "/w", "/w") as folder:
        for change in (
            lambda: folder.open("file", os.O_RDWR),
            lambda: folder.make("new"),
            lambda: folder.symlink("new", "file"),
            lambda: folder.unlink("file"),
            lambda: folder.rmdir("file"),
            lambda: folder.rename("file", folder, "new"),
            lambda: folder.unlock("file"),
            lambda: folder.reach(["a", "b"], make=True),
        ):
            with pytest.raises(PermissionError, match="/w is mounted read-only"):
                change()
    assert [path.name for path in root.iterdir()] == ["file"]


@pytest.mark.parametrize("way", ["openat2", "handles"])
def test_a_root_that_became_a_link_is_refused(root: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(way, monkeypatch)
    root.rmdir()
    root.symlink_to(root.parent)
    with pytest.raises(OSError, match="symbolic links"):
        OpenFolder.at(str(root), "/w")
    (root.parent / "real/inner").mkdir(parents=True)
    (root.parent / "outer").symlink_to("real")
    with pytest.raises(OSError, match="symbolic links"):
        OpenFolder.at(str(root.parent / "outer/inner"), "/w")


def test_names_that_mean_something_to_windows_are_refused_without_handles(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose("paths", monkeypatch)
    for name in ("..\\secret", "C:", "file:stream"):
        with pytest.raises(PermissionError):
            write(root, f"/w/{name}", b"x")
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("way", ["openat2", "handles"])
def test_a_path_longer_than_the_system_takes_is_reached(root: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(way, monkeypatch)
    parts = ["n" * 200] * 50
    before = open_files()
    write(root, "/w/" + "/".join(parts) + "/file", b"deep")
    assert read(root, "/w/" + "/".join(parts) + "/file") == b"deep"
    assert open_files() == before


@pytest.mark.usefixtures("way")
def test_no_handle_is_left_open(root: Path) -> None:
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to("/etc")
    before = open_files()
    for path in ("/w/a/b", "/w/loop", "/w/out/passwd", "/w/none/x", "/w/loop/..", "/w/a/b/c"):
        try:
            write(root, path, b"x")
            read(root, path)
        except OSError:
            pass
    assert open_files() == before


def test_a_closed_folder_is_not_the_current_one(root: Path) -> None:
    folder = OpenFolder.at(str(root), "/w")
    folder.close()
    folder.close()
    with pytest.raises((ValueError, OSError)):
        folder.open("file", os.O_RDONLY)


NAMES = st.sampled_from(["a", "b", "c", "secret"])
STEPS = st.one_of(NAMES, st.sampled_from(["..", ".", "w", ""]))
TARGETS = st.tuples(
    st.sampled_from(["", "/", "/w/", "../", "../../", "{outside}/"]), st.lists(STEPS, max_size=4).map("/".join)
).map("".join)
ENTRIES = st.lists(
    st.tuples(st.lists(NAMES, min_size=1, max_size=3), st.sampled_from(["file", "dir", "link"]), TARGETS), max_size=8
)


def plant(root: Path, outside: Path, entries: list[tuple[list[str], str, str]]) -> None:
    for parts, kind, target in entries:
        path = root.joinpath(*parts)
        # Only what lies below real folders: planting must not go through a link itself.
        if any(parent.is_symlink() or parent.is_file() for parent in (path, *path.parents)) or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "file":
            path.write_bytes(b"inside")
        elif kind == "dir":
            path.mkdir()
        else:
            path.symlink_to(target.format(outside=outside) or ".")


def snapshot(top: Path, root: Path) -> dict[str, bytes]:
    """All that lies below `top` and not below `root`."""
    outer = [path for path in top.rglob("*") if not path.is_relative_to(root)]
    return {str(path): b"" if path.is_dir() else path.read_bytes() for path in outer}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["openat2", "handles", "paths"])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries=ENTRIES, paths=st.lists(TARGETS, min_size=1, max_size=4))
def test_nothing_outside_the_root_is_read_or_written(
    way: str, entries: list[tuple[list[str], str, str]], paths: list[str]
) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        choose(way, patch)
        outside, root = Path(name).resolve() / "outside", Path(name).resolve() / "outside/x/root"
        root.mkdir(parents=True)
        for folder in (outside, outside / "x", outside / "a"):
            folder.mkdir(exist_ok=True)
            for file in ("secret", "b"):
                (folder / file).write_bytes(SECRET)
        plant(root, outside, entries)
        before = snapshot(outside, root)
        for path in paths:
            attempt(root, "/w/" + path.format(outside=outside).lstrip("/"))
        for parts, _, _ in entries:
            for end in ("", "/secret", "/b", "/../secret", "/a/b"):
                attempt(root, "/w/" + "/".join(parts) + end)
        assert snapshot(outside, root) == before


def attempt(root: Path, path: str) -> None:
    with suppress(OSError):
        assert read(root, path) != SECRET
    with suppress(OSError):
        write(root, path, b"written")


@pytest.mark.parametrize("way", ["openat2", "handles"])
def test_a_folder_that_is_swapped_with_a_link_all_the_time_leads_nowhere(
    root: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(way, monkeypatch)
    (root / "real").mkdir()
    (root / "real/secret").write_bytes(b"inside")
    (root / "link").symlink_to(root.parent)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            (root / "real").rename(root / "turn")
            (root / "link").rename(root / "real")
            (root / "real").rename(root / "link")
            (root / "turn").rename(root / "real")

    thread = threading.Thread(target=swap)
    thread.start()
    met: set[bytes] = set()
    try:
        for _ in range(1500):
            for path in ("/w/real/secret", "/w/real/../real/secret"):
                try:
                    met.add(read(root, path))
                    write(root, path, b"inside", make=False)
                except OSError:
                    pass
    finally:
        done.set()
        thread.join(5)
    assert met <= {b"inside", b""}
    assert b"inside" in met
    assert (root.parent / "secret").read_bytes() == SECRET
