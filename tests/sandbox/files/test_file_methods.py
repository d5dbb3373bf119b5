"""Files in and out of a real sandbox, mounts, and the room there is for them."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cloche import Mount, Sandbox
from tests.sandbox.conftest import OpenBox

MB = 1 << 20


async def value(box: Sandbox, code: str) -> str | None:
    return (await box.run(textwrap.dedent(code), check=True)).value


async def test_bytes_go_in_and_out(box: Sandbox) -> None:
    data = bytes(range(256)) * 10
    await box.write("deep/er/data.bin", data)
    assert await box.read("/workspace/deep/er/data.bin") == data
    assert await value(box, "open('deep/er/data.bin', 'rb').read() == bytes(range(256)) * 10") == "True"
    await box.write("text.txt", "grün\n")
    assert (await box.bash("cat text.txt")).stdout == "grün\n"
    await box.write("/tmp/t", b"")
    assert await box.read(Path("/tmp/t")) == b""


async def test_files_are_listed(box: Sandbox) -> None:
    await box.bash("mkdir -p a/b; echo 12345 > a/b/f; ln -s a/b/f link; chmod 640 a/b/f", check=True)
    assert [(info.path, info.kind) for info in await box.files()] == [
        ("/workspace/a", "dir"),
        ("/workspace/link", "link"),
    ]
    deep = {info.path: info for info in await box.files("a", recursive=True)}
    assert set(deep) == {"/workspace/a/b", "/workspace/a/b/f"}
    assert (deep["/workspace/a/b/f"].size, deep["/workspace/a/b/f"].mode) == (6, 0o640)
    assert {info.path for info in await box.files("/")} >= {"/workspace", "/tmp", "/home"}


async def test_errors_name_the_path_as_the_guest_knows_it(box: Sandbox) -> None:
    with pytest.raises(FileNotFoundError, match="/workspace/none"):
        await box.read("none")
    with pytest.raises(IsADirectoryError):
        await box.read("/workspace")
    with pytest.raises(FileNotFoundError):
        await box.files("none")
    with pytest.raises(PermissionError, match="outside"):
        await box.read("/etc/passwd")
    with pytest.raises(PermissionError, match="outside"):
        await box.write("/usr/x", b"")


async def test_files_and_folders_can_be_removed_and_made(box: Sandbox) -> None:
    await box.mkdir("a/b")
    await box.write("a/b/f", "x")
    with pytest.raises(OSError, match="not empty"):
        await box.remove("a")
    await box.remove("a", recursive=True)
    assert await box.files() == []
    with pytest.raises(PermissionError, match="stays"):
        await box.remove("/workspace", recursive=True)


async def test_directories_go_in_and_out(box: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "sub" / "empty").mkdir(parents=True)
    (source / "sub" / "f").write_bytes(b"1\0")
    (source / "run.sh").write_text("echo ran")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("sub/f")
    (source / "out").symlink_to("/etc/passwd")
    await box.upload(source, "tree")
    assert (await box.bash("find tree | sort; ./tree/run.sh; wc -c < tree/link")).stdout.split() == [
        "tree", "tree/link", "tree/run.sh", "tree/sub", "tree/sub/empty", "tree/sub/f", "ran", "2",
    ]  # fmt: skip
    await box.bash("echo more > tree/sub/g", check=True)
    counts: list[int] = []
    await box.download("tree", tmp_path / "back", progress=counts.append)
    assert (tmp_path / "back" / "sub" / "g").read_text() == "more\n"
    assert (tmp_path / "back" / "link").readlink() == Path("sub/f")
    assert os.access(tmp_path / "back" / "run.sh", os.X_OK)
    assert not (tmp_path / "back" / "out").exists()
    assert counts


async def test_one_file_goes_in_and_out(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    await box.upload(tmp_path / "one", "sub/two")
    await box.upload(tmp_path / "one", "/workspace")
    assert sorted(info.path for info in await box.files(recursive=True)) == [
        "/workspace/one", "/workspace/sub", "/workspace/sub/two",
    ]  # fmt: skip
    await box.download("sub/two", tmp_path / "got")
    assert (tmp_path / "got").read_text() == "1"
    with pytest.raises(FileNotFoundError):
        await box.upload(tmp_path / "none", "x")


HUGE = """
import anyio, os, resource, sys
from pathlib import Path
from cloche import Sandbox

async def main(folder):
    async with Sandbox(languages=["bash"]) as box:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        await box.upload(folder / "in", "huge")
        size = (await box.bash("stat -c %s huge")).stdout.strip()
        await box.download("huge", folder / "out")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(size, grown)

anyio.run(main, Path(sys.argv[1]))
"""


def test_a_gigabyte_goes_in_and_out_in_little_memory(prepared: object, tmp_path: Path) -> None:
    size = 1 << 30
    with (tmp_path / "in").open("wb") as file:
        for place in (0, 500 * MB, size - 5):
            file.seek(place)
            file.write(b"glass")
    done = subprocess.run(
        [sys.executable, "-c", HUGE, str(tmp_path)], capture_output=True, text=True, timeout=18, check=False
    )
    assert done.stderr == ""
    told, grown_kb = done.stdout.split()
    assert told == str(size)
    assert int(grown_kb) < 100_000
    out = tmp_path / "out"
    assert out.stat().st_size == size
    with out.open("rb") as file:
        for place in (0, 500 * MB, size - 5):
            file.seek(place)
            assert file.read(5) == b"glass"


async def test_a_mount_reads_and_writes_through_at_once(open_box: OpenBox, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("from the host")
    box = await open_box(mounts=[Mount(tmp_path, "/mnt/data")])
    assert await value(box, "open('/mnt/data/given').read()") == "'from the host'"
    await box.run("file = open('/mnt/data/made', 'w')\nfile.write('by python')\nfile.flush()", check=True)
    assert (tmp_path / "made").read_text() == "by python"
    (tmp_path / "given").write_text("changed")
    assert await value(box, "open('/mnt/data/given').read()") == "'changed'"
    (tmp_path / "later").mkdir()
    assert await value(box, "import os\nsorted(os.listdir('/mnt/data'))") == "['given', 'later', 'made']"
    assert (
        await box.bash("echo more >> /mnt/data/given; cat /mnt/data/given; rm /mnt/data/made")
    ).stdout == "changedmore\n"
    assert not (tmp_path / "made").exists()
    assert (tmp_path / "given").read_text() == "changedmore\n"
    await box.write("/mnt/data/host", b"1")
    assert (tmp_path / "host").read_bytes() == b"1"
    await box.close()
    assert (tmp_path / "given").exists()


async def test_a_read_only_mount_refuses_every_change(open_box: OpenBox, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("stays")
    (tmp_path / "folder").mkdir()
    box = await open_box(mounts=[Mount(tmp_path, "/mnt/data", read_only=True)])
    assert await value(box, "open('/mnt/data/given').read()") == "'stays'"
    for code in (
        "open('/mnt/data/given', 'w')",
        "open('/mnt/data/new', 'w')",
        "open('/mnt/data/given', 'a')",
        "os.remove('/mnt/data/given')",
        "os.mkdir('/mnt/data/new')",
        "os.rmdir('/mnt/data/folder')",
        "os.rename('/mnt/data/given', '/mnt/data/new')",
        "os.chmod('/mnt/data/given', 0o777)",
        "os.symlink('x', '/mnt/data/new')",
        "os.truncate('/mnt/data/given', 0)",
        "os.utime('/mnt/data/given', (0, 0))",
    ):
        result = await box.run(f"import os\n{code}")
        assert result.error is not None, code
        assert result.error.type in ("OSError", "PermissionError"), code
        assert "Read-only file system" in result.error.message, code
    for command in ("echo x > /mnt/data/given", "rm /mnt/data/given", "touch /mnt/data/new", "mv /mnt/data/given /tmp"):
        result = await box.bash(command)
        assert result.exit_code != 0, command
        assert "ead-only" in result.stderr, command
    with pytest.raises(OSError, match="ead-only"):
        await box.write("/mnt/data/given", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "given"]
    assert (tmp_path / "given").read_text() == "stays"
    assert (tmp_path / "given").stat().st_mtime > 0


async def test_mounts_are_named_after_their_paths_in_both_spellings(open_box: OpenBox, tmp_path: Path) -> None:
    scripts = tmp_path / "analysis-scripts"
    scripts.mkdir()
    (scripts / "my_utils.py").write_text("x = 'found'")
    box = await open_box(mounts=[Mount(scripts)])
    name = str(scripts).replace("/", "_")
    for spelling in {name, name.replace("-", "_").replace(".", "_")}:
        assert await value(box, f"import os\nos.listdir('/mnt/{spelling}')") == "['my_utils.py']"
        assert (await box.bash(f"ls /mnt/{spelling}")).stdout == "my_utils.py\n"
        assert [info.path for info in await box.files(f"/mnt/{spelling}")] == [f"/mnt/{spelling}/my_utils.py"]
    other = name.replace("-", "_")
    assert await value(box, f"import sys\nsys.path.append('/mnt/{other}')\nimport my_utils\nmy_utils.x") == "'found'"
    assert name in (await value(box, "os.listdir('/mnt')") or "")


async def test_two_mounts_of_the_same_name_are_both_reachable(open_box: OpenBox, tmp_path: Path) -> None:
    for name in ("a/b", "a_b"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "which").write_text(name)
    box = await open_box(mounts=[Mount(tmp_path / "a/b"), Mount(tmp_path / "a_b")])
    code = "import glob\nsorted({open(f).read() for f in glob.glob('/mnt/*/which')})"
    assert await value(box, code) == "['a/b', 'a_b']"


async def test_files_beyond_the_quota_find_no_space(open_box: OpenBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.limits.FILES_LIMIT", 20 * MB)
    box = await open_box()
    result = await box.run("with open('big', 'wb') as f:\n    for _ in range(30): f.write(bytes(1 << 20))")
    assert result.error is not None
    assert "No space left on device" in result.error.message
    assert (await box.bash("ls -l big | awk '{print ($5 <= 20971520)}'")).stdout == "1\n"
    result = await box.bash("head -c 30000000 /dev/zero > other")
    assert result.exit_code != 0
    assert "o space left" in result.stderr
    assert await value(box, "import os\nos.remove('big')\nopen('small', 'w').write('x')") == "1"


async def test_many_open_files_are_an_error_like_any_other(box: Sandbox) -> None:
    result = await box.run("kept = []\nfor i in range(5000): kept.append(open(f'/tmp/f{i}', 'w'))", timeout=15)
    assert result.error is not None
    assert result.error.type == "OSError"
    assert "file descriptors" in result.error.message
    assert (await box.bash("echo on")).stdout == "on\n"
    assert (await box.run("del kept\nimport os\nlen(os.listdir('/tmp')) > 100", check=True)).value == "True"


@pytest.mark.slow
async def test_an_interpreter_that_holds_all_files_open_can_be_replaced(fresh: Sandbox) -> None:
    await fresh.run("kept = []\nfor i in range(5000): kept.append(open(f'/tmp/f{i}', 'w'))", timeout=15)
    await fresh.reset()
    assert await value(fresh, "import os\nlen(os.listdir('/tmp')) > 100") == "True"
    assert (await fresh.bash("echo on")).stdout == "on\n"


async def test_odd_names_are_fine(box: Sandbox) -> None:
    names = ["with space", "ü", "new\nline", "-dash", "quote'\"", "*", "a\\b", "🌱"]
    for name in names:
        await box.write(name, name)
    assert (
        await value(box, "import os\nsorted(os.listdir('.')) == sorted(open(n).read() for n in os.listdir('.'))")
        == "True"
    )
    assert await value(box, "len(os.listdir('.'))") == str(len(names))
    assert (
        await box.bash('for f in *; do [ "$(cat -- "$f")" = "$f" ] || echo differs; done; ls | wc -l')
    ).stdout.split() == ["9"]
