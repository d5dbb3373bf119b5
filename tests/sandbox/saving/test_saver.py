"""Saving a sandbox and going on from it: what is there again, what is refused, and what a forged file cannot do."""

import hashlib
import os
import struct
from collections.abc import Callable
from pathlib import Path

import anyio
import msgspec
import pytest

from cloche import Mount, Sandbox, Saved, SavedStateError, SyncSandbox
from cloche.sandbox.saving.saved import MAGIC, SavedFile, SavedIndex, SavedWriter, read_index
from tests.engine.languages.python.escape_attempts import ESCAPES
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.wheel_index import make_wheel


async def again(box: Sandbox, open_box: OpenBox, tmp_path: Path, **options: object) -> Sandbox:
    """A sandbox that goes on from where this one is."""
    saved = await box.save(tmp_path / "it.cloche")
    return await open_box(from_=saved.path, **options)


@pytest.mark.slow
async def test_variables_functions_classes_and_imports_are_there_again(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.run("import csv, datetime as dt\nx = {'a': [1, 2]}\ndef f(n): return n + len(x)", check=True)
    await fresh.run("class A:\n    def __init__(self): self.y = 3\na = A(); when = dt.date(2024, 2, 29)", check=True)
    other = await again(fresh, open_box, tmp_path)
    assert (await other.run("x, f(1), a.y, A().y, when.isoformat(), csv.__name__")).value == (
        "({'a': [1, 2]}, 2, 3, 3, '2024-02-29', 'csv')"
    )
    assert (await fresh.run("x['a'].append(3); x")).value == "{'a': [1, 2, 3]}"
    assert (await other.run("x")).value == "{'a': [1, 2]}"


async def test_the_shell_of_the_cells_goes_on_counting(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("6 * 7")
    await fresh.run("1/0")
    other = await again(fresh, open_box, tmp_path)
    assert (await other.run("Out, _, len(In)")).value == "({1: 42}, 42, 4)"
    assert "ZeroDivisionError" in (await other.run("%tb")).stderr


@pytest.mark.slow
async def test_files_folders_links_modes_and_times_are_there_again(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    command = "mkdir -p d/e; echo hi > d/e/f; ln -s d/e/f l; ln -s /etc/passwd out; chmod 700 d; chmod 755 d/e/f"
    await fresh.bash(f"{command}; echo t > /tmp/t; echo h > ~/h; touch -d '2020-01-02 03:04:05' d/e/f", check=True)
    other = await again(fresh, open_box, tmp_path)
    look = "cat l /tmp/t ~/h; readlink out; stat -c '%a %Y' d d/e/f | sed 's/^700 .*/700/'"
    assert (await other.bash(look)).stdout == "hi\nt\nh\n/etc/passwd\n700\n755 1577934245\n"


@pytest.mark.slow
async def test_shell_state_environment_and_folder_are_there_again(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.set_env({"A": "1", "B": "1"})
    await fresh.bash("mkdir d; cd d; x=5; export B=2; f() { echo f$1; }", check=True)
    await fresh.run("import os; os.chdir('/tmp'); os.environ['B'] = '3'", check=True)
    other = await again(fresh, open_box, tmp_path, env={"C": "4"})
    assert (await other.bash("pwd; echo $x$A$B$C; f 1")).stdout == "/workspace/d\n5124\nf1\n"
    seen = await other.run("os.getcwd(), os.environ['A'] + os.environ['B'] + os.environ['C']")
    assert seen.value == "('/tmp', '134')"


@pytest.mark.slow
async def test_a_restored_sandbox_can_be_interrupted_fail_sleep_ask_and_be_saved_again(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.run("import os; x = 1", check=True)
    second = await again(fresh, open_box, tmp_path)
    stopped = await second.run("while True: pass", timeout=0.3)
    assert (stopped.timed_out, stopped.state) == (True, "kept")
    stopped = await second.run("import time; time.sleep(60)", timeout=0.3)
    assert (stopped.timed_out, stopped.state) == (True, "kept")
    failed = await second.run("def g():\n    1/0\ng()")
    assert failed.error is not None
    assert (failed.error.type, failed.error.line) == ("ZeroDivisionError", 2)
    assert (await second.run("import asyncio; await asyncio.sleep(0.01); x = int(input()) + x", stdin="4\n")).ok
    assert (await second.run("!echo out; echo err >&2")).output == [("stdout", "out\n"), ("stderr", "err\n")]
    third = await again(second, open_box, tmp_path)
    assert (await third.run("x")).value == "5"
    assert (await third.bash("python3 -c 'print(6)'")).stdout == "6\n"
    assert "path" in (await third.complete("os.pa")).matches


@pytest.mark.slow
async def test_a_reset_gives_a_fresh_interpreter(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("x = 1", check=True)
    other = await again(fresh, open_box, tmp_path)
    await other.reset()
    assert (await other.run("'x' in globals()")).value == "False"


@pytest.mark.slow
async def test_randomness_differs_after_a_restore_but_saving_does_not_disturb_it(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.run("import random, uuid, tempfile; random.seed(1); tempfile.mktemp(); uuid.uuid4()", check=True)
    boxes = [await again(fresh, open_box, tmp_path) for _ in range(2)]
    numbers = [(await box.run("random.random(), uuid.uuid1(), tempfile.mktemp()")).value for box in (fresh, *boxes)]
    assert len(set(numbers)) == 3
    assert str(numbers[0]).startswith("(0.13436424411240122")


@pytest.mark.slow
async def test_memory_is_given_back_as_it_was(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("import os; big = os.urandom(60 << 20); import hashlib", check=True)
    digest = "hashlib.sha256(big).hexdigest()"
    other = await again(fresh, open_box, tmp_path)
    assert (await other.run(digest)).value == (await fresh.run(digest)).value
    await fresh.run("big = 1", check=True)
    with pytest.raises(SavedStateError, match=r"memory_mb=64 is too little .* give \d+"):
        await open_box(from_=tmp_path / "it.cloche", memory_mb=64)


@pytest.mark.slow
async def test_files_and_shell_can_be_saved_without_python(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("x = 1; open('f', 'w').write('data')", check=True)
    await fresh.bash("y=2", check=True)
    saved = await fresh.save(tmp_path / "it", python=False)
    assert saved == Saved(tmp_path / "it", python=False)
    assert saved.path.stat().st_size < 10_000
    other = await open_box(from_=saved)
    assert (await other.run("'x' in globals(), open('f').read()")).value == "(False, 'data')"
    assert (await other.bash("echo $y")).stdout == "2\n"


async def test_python_can_be_saved_without_files(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("x = 1; open('f', 'w').write('data')", check=True)
    other = await open_box(from_=await fresh.save(tmp_path / "it", files=False))
    assert (await other.run("import os; x, os.listdir()")).value == "(1, [])"


@pytest.mark.slow
async def test_packages_are_there_again_and_more_can_be_installed(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    one, two = [await anyio.to_thread.run_sync(make_wheel, tmp_path, name) for name in ("one", "two")]
    await fresh.install(one)
    await fresh.run("import one", check=True)
    for other in (
        await again(fresh, open_box, tmp_path),
        await open_box(from_=await fresh.save(tmp_path / "it", python=False)),
    ):
        assert [each.name for each in other.packages] == ["one"]
        await other.install(two)
        assert (await other.run("import one, two; one.version, one.__file__")).value == (
            "('1.0', '/opt/packages/one/__init__.py')"
        )


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(120)
async def test_native_modules_cannot_be_saved_once_they_are_loaded(fresh: Sandbox, tmp_path: Path) -> None:
    await fresh.install("pydantic")
    await fresh.save(tmp_path / "it")
    await fresh.run("import pydantic", check=True)
    with pytest.raises(SavedStateError, match=r"native modules are loaded \(.*_pydantic_core.*\); .*python=False"):
        await fresh.save(tmp_path / "it")
    await fresh.save(tmp_path / "it", python=False)


async def test_a_sandbox_in_which_python_never_ran_is_saved_without_it(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box(languages=["bash"])
    await box.bash("x=5; echo data > f", check=True)
    other = await open_box(languages=["bash"], from_=await box.save(tmp_path / "it"))
    assert (await other.bash("echo $x; cat f")).stdout == "5\ndata\n"
    assert (tmp_path / "it").stat().st_size < 10_000


@pytest.mark.slow
async def test_python_that_was_saved_and_not_woken_yet_is_saved_again(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.run("x = 5", check=True)
    second = await again(fresh, open_box, tmp_path, languages=["bash"])
    third = await again(second, open_box, tmp_path, languages=["bash"])
    assert (await third.run("x")).value == "5"


@pytest.mark.slow
async def test_a_folder_of_the_host_is_left_alone(open_box: OpenBox, tmp_path: Path) -> None:
    work, mount = tmp_path / "work", tmp_path / "mount"
    work.mkdir()
    mount.mkdir()
    box = await open_box(mounts=[Mount(mount, "/mnt/m")])
    await box.bash("echo a > f; ln -s /mnt/m m; echo b > /mnt/m/b", check=True)
    (mount / "b").unlink()
    other = await again(box, open_box, tmp_path, workspace=work, mounts=[Mount(mount, "/mnt/m")])
    assert (await other.bash("ls /workspace /mnt/m")).ok
    assert not list(work.iterdir())
    assert not list(mount.iterdir())


async def test_what_cannot_be_saved_is_named(fresh: Sandbox, tmp_path: Path) -> None:
    await fresh.run("f = open('data.txt', 'w')", check=True)
    with pytest.raises(SavedStateError, match=r"cannot save: files are open \(/workspace/data.txt\); close them first"):
        await fresh.save(tmp_path / "it")
    await fresh.run("f.close()\nimport asyncio\nasync def work(): await asyncio.sleep(60)", check=True)
    await fresh.run("t = asyncio.create_task(work())", check=True)
    with pytest.raises(SavedStateError, match=r"1 asyncio tasks are still running \(.*work.*python=False"):
        await fresh.save(tmp_path / "it")
    assert not list(tmp_path.iterdir())
    await fresh.run("t.cancel()", check=True)
    await fresh.run("del t", check=True)
    await fresh.save(tmp_path / "it")


async def test_a_guest_cannot_send_memory_by_itself(fresh: Sandbox) -> None:
    code = """
import json, sys
frame = sys._getframe()
while "engine_calls" not in frame.f_globals:
    frame = frame.f_back
engine = frame.f_globals["engine_calls"]
handle = engine.call_engine("ask", json.dumps({"kind": "save_memory", "key": ""}), b"forged")
engine.wait_for(engine.call_engine("answer", handle))
"""
    assert "nothing is being saved" in str((await fresh.run(code)).value)


@pytest.mark.slow
async def test_the_interpreter_is_still_closed_after_a_restore(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.run("x = 1", check=True)
    other = await again(fresh, open_box, tmp_path)
    for name, code in ESCAPES.items():
        result = await other.run(code, timeout=10)
        assert "LEAK" not in result.stdout, f"{name}: {result.stdout}"


@pytest.mark.slow
@pytest.mark.timeout(60)
async def test_escapes_that_were_prepared_before_saving_are_closed_too(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    prepare = """
import importlib, sys, builtins
def import_module(name, package=None):
    seen.append(name)
    return real(name, package)
real, seen = importlib.import_module, []
importlib.import_module = import_module
sys.modules["cloche_guest.boot"] = sys.modules["_pyodide_core"] = sys.modules["js"] = sys
"""
    await fresh.run(prepare, check=True)
    other = await again(fresh, open_box, tmp_path)
    assert (await other.run("1")).value == "1"
    assert (await other.run("[name for name in seen if 'cloche' in name]")).value == "[]"
    result = await other.run("import gc\n[n for n in sys.modules if n.startswith('cloche_guest')]")
    assert result.value == "[]"


@pytest.mark.slow
async def test_a_file_of_another_engine_says_what_can_be_done(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path
) -> None:
    await fresh.write("f", "data")
    saved = await fresh.save(tmp_path / "it")
    index = await anyio.to_thread.run_sync(read_index, saved.path)
    await anyio.to_thread.run_sync(_rewrite, saved.path, msgspec.structs.replace(index, engine="other"))
    with pytest.raises(SavedStateError, match=r"another version of Cloche.*from_=cloche\.Saved\(.*python=False\)"):
        await open_box(from_=saved)
    other = await open_box(from_=Saved(saved.path, python=False))
    assert await other.read("f") == b"data"


def _rewrite(path: Path, index: SavedIndex) -> None:
    """Put another index into a file, as a forger would."""
    data = path.read_bytes()
    at = int.from_bytes(data[16:24], "little")
    text = msgspec.json.encode(index, enc_hook=str)
    head = struct.pack("<16sQQ32s", MAGIC, at, len(text), hashlib.sha256(text).digest())
    path.write_bytes(head + data[len(head) : at] + text)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "other": lambda data: b"hello",
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b"x",
    "changed": lambda data: data[:1000] + b"\xff" + data[1001:],
    "lengths": lambda data: data[:16] + b"\xff" * 16 + data[32:],
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_refused(open_box: OpenBox, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "it"
    box = await open_box()
    await box.write("f", b"x" * 5000)
    await box.save(path, python=False)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(SavedStateError, match=r"is damaged|is not a saved sandbox"):
        await open_box(from_=path)


def forged(path: Path, entries: list[SavedFile], data: bytes = b"") -> Path:
    writer = SavedWriter(path)
    writer.begin()
    writer.write(data)
    writer.finish(SavedIndex("any", entries=entries, data=writer.end()))
    return path


async def test_forged_paths_do_not_lead_out(open_box: OpenBox, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    entries = [
        SavedFile("/workspace/../../outside/a", "file", 1),
        SavedFile(f"{outside}/b", "file", 1),
        SavedFile("/workspace/link", "link", target=str(outside)),
        SavedFile("/workspace/link/c", "file", 1),
        SavedFile("/workspace/up", "link", target="../../../../../../../.."),
        SavedFile("/workspace/sub/d", "file", 1, mode=0o7777),
        SavedFile("relative", "file", 1),
    ]
    path = await anyio.to_thread.run_sync(forged, tmp_path / "it", entries, b"12345")
    try:
        box = await open_box(from_=path)
    except SavedStateError:
        pass
    else:
        assert await box.read("sub/d") == b"4"
        assert (await box.bash("stat -c %a sub/d")).stdout == "777\n"
    assert not list(outside.iterdir())


async def test_a_forged_index_is_bounded(open_box: OpenBox, tmp_path: Path) -> None:
    for entries in ([SavedFile("/workspace/a", "file", 1 << 40)], [SavedFile("/workspace/a", "file", -1)]):
        path = await anyio.to_thread.run_sync(forged, tmp_path / "it", entries)
        with pytest.raises(SavedStateError, match="damaged"):
            await open_box(from_=path)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["no pages", "too many pages", "noise"])
@pytest.mark.timeout(90)
async def test_forged_memory_ends_at_most_its_own_sandbox(
    fresh: Sandbox, open_box: OpenBox, tmp_path: Path, damage: str
) -> None:
    saved = await fresh.save(tmp_path / "it")
    await anyio.to_thread.run_sync(_forge_memory, saved.path, damage)
    # What noise does is up to chance: it may also keep the interpreter busy until its time is over.
    late = "|did not start within" if damage == "noise" else ""
    with pytest.raises(SavedStateError, match=f"the saved memory could not be restored{late}"):
        await open_box(from_=saved)
    assert (await fresh.run("1")).value == "1"


def _forge_memory(path: Path, damage: str) -> None:
    index = read_index(path)
    assert index.image is not None
    at, end = index.image.at, index.image.at + index.image.size
    data = path.read_bytes()
    image = bytearray(data[at:end])
    if damage == "noise":
        for place in range(len(image) // 4, len(image) - 64, len(image) // 5000):
            image[place : place + 64] = bytes(range(100, 164))
    else:
        image[12:16] = bytes(4) if damage == "no pages" else b"\xff" * 4
    path.write_bytes(data[:at] + image + data[end:])
    section = msgspec.structs.replace(index.image, sha256=hashlib.sha256(image).hexdigest())
    _rewrite(path, msgspec.structs.replace(index, image=section))


async def test_a_file_that_is_not_there_is_named(open_box: OpenBox, tmp_path: Path) -> None:
    with pytest.raises(SavedStateError, match="nowhere cannot be read: No such file"):
        await open_box(from_=tmp_path / "nowhere")


async def test_saving_to_a_place_that_cannot_be_written_leaves_the_sandbox_as_it_was(
    fresh: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    await fresh.run("x = 1", check=True)
    with pytest.raises(OSError, match="file"):
        await fresh.save(tmp_path / "file" / "it")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        await fresh.save(tmp_path)
    assert (await fresh.run("x")).value == "1"


async def test_names_that_are_no_text_are_kept(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    await fresh.write(name, "x")
    other = await again(fresh, open_box, tmp_path)
    assert [file.path for file in await other.files()] == [f"/workspace/{name}"]


def test_the_synchronous_sandbox_saves_too(prepared: object, tmp_path: Path) -> None:
    with SyncSandbox() as box:
        box.run("x = 1")
        saved = box.save(tmp_path / "it")
    with SyncSandbox(from_=saved) as box:
        assert box.run("x").value == "1"


async def test_what_could_not_be_read_again_is_not_saved(fresh: Sandbox, tmp_path: Path) -> None:
    await fresh.bash("x=$(head -c 9000000 /dev/zero | tr '\\0' x)", check=True)
    with pytest.raises(SavedStateError, match="8 MB of the shell's variables"):
        await fresh.save(tmp_path / "it.cloche")
    assert list(tmp_path.iterdir()) == []
