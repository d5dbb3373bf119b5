"""Files on their way in and out of a runtime."""

import base64
import errno
import io
import os
import zipfile
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import msgspec
import pytest

from cloche.config import AppConfig
from cloche.config.app_config import CoreConfig
from cloche.errors import RuntimeFailed
from cloche.events import CopyFromAction, CopyToAction, ErrorObservation, FileReadAction
from cloche.limits import COPY_FILES, COPY_LIMIT
from cloche.runtime import Runtime
from cloche.runtime.actions.file_archives import pack_files, pack_host_files, unpack_files
from cloche.runtime.pyodide import PyodideRuntime


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="module")
async def runtime(prepared: object, workspace: Path) -> AsyncGenerator[Runtime]:
    config = msgspec.structs.replace(AppConfig(), core=CoreConfig(workspace_base=str(workspace)))
    async with PyodideRuntime(config) as runtime:
        yield runtime


def archive(*members: tuple[str, bytes]) -> str:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in members:
            opened.writestr(name, data)
    return base64.b64encode(buffer.getvalue()).decode()


def locked() -> str:
    data = bytearray(base64.b64decode(archive(("a", b"x"))))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("no base64!", "Only base64 data"),
        (base64.b64encode(b"no archive").decode(), "the archive cannot be read"),
        (base64.b64encode(base64.b64decode(archive(("a", b"x" * 99)))[:-30]).decode(), "the archive cannot be read"),
        (locked(), "the archive cannot be read"),
        (archive(("../a", b"x")), "leads out of the folder"),
        (archive(("/etc/a", b"x")), "leads out of the folder"),
        (archive(("a", b"\0" * (COPY_LIMIT + 1))), f"at most {COPY_LIMIT} are taken"),
        (archive(*((str(n), b"") for n in range(COPY_FILES + 1))), f"at most {COPY_FILES} are taken"),
    ],
    ids=["base64", "zip", "cut", "locked", "above", "absolute", "bytes", "files"],
)
async def test_a_bad_archive_copies_nothing_and_says_why(runtime: Runtime, given: str, said: str) -> None:
    answer = await runtime.execute(CopyToAction("bad", given))
    assert isinstance(answer, ErrorObservation)
    assert "Nothing was copied to /workspace/bad: " in answer.content
    assert said in answer.content
    assert "bad/" not in await runtime.list_files()


async def test_links_that_lead_nowhere_and_pipes_are_left_out(runtime: Runtime, workspace: Path) -> None:
    await runtime.run(
        "mkdir -p t/deep && echo x > t/deep/f && cd t && ln -s deep/f in; ln -s /etc/hosts out; ln -s no dead"
    )
    await runtime.run("ln -s deep folder; ln -s .. up; cd ..")
    os.mkfifo(workspace / "t" / "pipe")
    copied = anyio.Path(await runtime.copy_from("/workspace/t"))
    with zipfile.ZipFile(io.BytesIO(await copied.read_bytes())) as opened:
        assert sorted(opened.namelist()) == ["deep/f", "in"]
    await copied.unlink()


async def test_one_file_is_copied_by_its_name(runtime: Runtime) -> None:
    await runtime.run("echo x > /tmp/one.txt")
    answer = await runtime.execute(CopyFromAction("/tmp/one.txt"))
    assert unpack_files(answer.content) == {"one.txt": b"x\n"}


async def test_too_many_files_are_not_copied_out(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.runtime.actions.file_archives.COPY_FILES", 20)
    await runtime.run("mkdir -p many/below && cd many && touch $(seq 10) && cd below && touch $(seq 10); cd /workspace")
    said = "/workspace/many is too large to be copied at once: it holds more than 20 files"
    with pytest.raises(RuntimeFailed, match=said):
        await runtime.copy_from("many")


async def test_too_many_bytes_are_not_copied_out(runtime: Runtime, workspace: Path) -> None:
    (workspace / "much").mkdir()
    for name in "ab":
        sparse(workspace / "much" / name, COPY_LIMIT // 2 + 1)
    said = f"/workspace/much is too large to be copied at once: it holds more than {COPY_LIMIT} bytes"
    with pytest.raises(RuntimeFailed, match=said):
        await runtime.copy_from("much")


async def test_a_very_deep_folder_is_copied_out(runtime: Runtime, workspace: Path) -> None:
    deep = workspace / "deep" / ("d/" * 200)
    deep.mkdir(parents=True)
    (deep / "end").touch()
    answer = await runtime.execute(CopyFromAction("deep"))
    assert list(unpack_files(answer.content)) == ["d/" * 200 + "end"]


async def test_copying_ends_at_its_time_limit(runtime: Runtime, workspace: Path) -> None:
    (workspace / "slow" / ("d/" * 200)).mkdir(parents=True)
    answer = await runtime.execute(CopyFromAction("slow"), timeout=0.001)
    assert "`copy_from` of /workspace/slow was stopped after 0.001 seconds" in answer.content


async def test_a_file_of_two_gigabytes_is_not_read(runtime: Runtime, workspace: Path) -> None:
    sparse(workspace / "huge.png", 2 << 30)
    for action in (FileReadAction("huge.png"), FileReadAction("huge.png", impl_source="oh_aci")):
        answer = await runtime.read(action)
        assert "/workspace/huge.png is too large to be read whole (2147483648 bytes" in answer.content


def sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def test_too_much_of_the_host_is_not_read(tmp_path: Path) -> None:
    for name in "ab":
        sparse(tmp_path / name, COPY_LIMIT // 2 + 1)
    with pytest.raises(OSError, match="more than") as raised:
        pack_host_files(tmp_path, recursive=True)
    assert raised.value.errno == errno.EFBIG
    assert pack_files({}) != ""


def test_links_of_the_host_that_lead_elsewhere_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_text("x")
    (folder / "deep" / "in").symlink_to("../a")
    (folder / "out").symlink_to("../secret")
    (folder / "deep" / "root").symlink_to("/")
    assert unpack_files(pack_host_files(folder, recursive=True)) == {
        "folder/": b"",
        "folder/deep/": b"",
        "folder/a": b"x",
        "folder/deep/in": b"x",
    }
