"""Forged files of saved sandboxes: whatever they hold gives one kind of error, in little memory."""

import functools
import hashlib
import resource
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.errors import SavedStateError
from cloche.limits import MB
from cloche.sandbox.cache import snapshots
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.files.host_folders import HostFolders
from cloche.sandbox.packages.installer import Installer
from cloche.sandbox.packages.package import Package
from cloche.sandbox.saving.saved import (
    MAGIC,
    Saved,
    SavedFile,
    SavedIndex,
    SavedPackage,
    SavedSection,
    SavedWriter,
    read_index,
)
from cloche.sandbox.saving.saver import SandboxSaver
from tests.sandbox.conftest import OpenBox

HEAD = struct.Struct("<16sQQ32s")
BODY = b"x" * 64


def sealed(text: bytes, body: bytes = BODY) -> bytes:
    """A file with this index and the right hash for it."""
    return HEAD.pack(MAGIC, HEAD.size + len(body), len(text), hashlib.sha256(text).digest()) + body + text


def restore(data: bytes) -> None:
    """Take over what the file says, without an engine; SavedStateError is the only way to refuse."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "it")
        path.write_bytes(data)
        home = HostFolders(None, [])
        home.open()
        try:
            installer = Installer(
                lambda _: anyio.lowlevel.checkpoint(), lambda: GuestFiles([]), allowed=True, automatic=True
            )
            anyio.run(SandboxSaver(home, installer, 512).restore, Saved(path))
        except SavedStateError:
            pass
        finally:
            home.close()


@functools.cache
def sound() -> bytes:
    digest = hashlib.sha256(BODY).hexdigest()
    whole = SavedSection(HEAD.size, len(BODY), digest)
    package = Package("mine", "1.0", Path("mine-1.0.zip"), requires=("leaf",), at="")
    index = SavedIndex(
        snapshots.snapshot_key(),
        {"A": "b"},
        "{}",
        None,
        [
            SavedFile("/workspace/a", "dir"),
            SavedFile("/workspace/a/f", "file", len(BODY)),
            SavedFile("/tmp/l", "link", target="a"),
        ],
        whole,
        [SavedPackage(package, whole)],
        {"mine": "mine"},
    )
    return sealed(msgspec.json.encode(index, enc_hook=str))


quiet = settings(max_examples=60, deadline=None)
numbers = st.integers(-(1 << 70), 1 << 70) | st.integers(0, 3000)
texts = st.text(max_size=30) | st.sampled_from(
    ["", "\0", "..", "/", "/workspace/..", "/workspace/x", "\ud800", "a" * 300]
)


@quiet
@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 255)), max_size=5), st.integers(0, 1000) | st.none())
def test_flipped_and_cut_bytes(flips: list[tuple[int, int]], cut: int | None) -> None:
    data = bytearray(sound())
    for at, value in flips:
        data[at % len(data)] ^= value
    restore(bytes(data[:cut]))


@quiet
@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 255)), min_size=1, max_size=5))
def test_an_index_that_was_changed_and_sealed_again(flips: list[tuple[int, int]]) -> None:
    text = bytearray(sound()[HEAD.size + len(BODY) :])
    for at, value in flips:
        text[at % len(text)] ^= value
    restore(sealed(bytes(text)))


json = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@quiet
@given(st.dictionaries(st.sampled_from(SavedIndex.__struct_fields__), json))
def test_an_index_of_anything(fields: dict[str, Any]) -> None:
    text = sound()[HEAD.size + len(BODY) :]
    restore(sealed(_encode({**msgspec.json.decode(text), **fields})))


entries = st.tuples(
    texts.map(lambda text: f"/workspace/{text}") | texts,
    st.sampled_from(["file", "dir", "link", "pipe"]),
    st.just(0) | numbers,
    numbers,
    numbers | st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
sections = st.fixed_dictionaries({"at": numbers, "size": numbers, "sha256": texts})
packages = st.fixed_dictionaries(
    {"name": texts, "version": texts, "blob": texts | st.just("x.zip")},
    optional={"language": texts | st.just("ruby"), "at": texts, "requires": st.lists(texts, max_size=3)},
)


@quiet
@given(
    st.lists(entries, max_size=6),
    st.lists(st.fixed_dictionaries({"package": packages, "data": sections}), max_size=3),
    st.none() | sections,
    st.dictionaries(texts, texts, max_size=3),
)
def test_an_index_of_the_right_shape(files: list[Any], packed: list[Any], image: Any, roots: dict[str, str]) -> None:
    index = msgspec.json.decode(sound()[HEAD.size + len(BODY) :])
    nothing = {"at": HEAD.size, "size": 0, "sha256": hashlib.sha256(b"").hexdigest()}
    for each in packed:
        each["data"] = nothing
    index.update(entries=files, data=nothing, packages=packed, image=image, roots=roots, env=roots)
    restore(sealed(_encode(index)))


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (OverflowError, UnicodeEncodeError):
        # Numbers and texts that this encoder does not know, another may.
        return repr(value).replace("'", '"').encode(errors="surrogatepass")


def _many(of: str, count: int) -> bytes:
    return b'{"engine":"x",' + of.encode() + b",".join([b'["a","dir"]'] * count) + b"]}"


HUGE: dict[str, Callable[[], bytes]] = {
    "nested": lambda: b'{"engine":"x","other":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
    "nested objects": lambda: b'{"engine":"x","other":' + b'{"a":' * 500_000 + b"1" + b"}" * 500_000 + b"}",
    "nested shell": lambda: msgspec.json.encode({"engine": "x", "shell": '{"a":' + "[" * 1_000_000}),
    "entries": lambda: _many('"entries":[', 5_000_000),
    "variables": lambda: b'{"engine":"x","env":{' + b",".join(b'"%d":""' % n for n in range(4_000_000)) + b"}}",
    "digits": lambda: b'{"engine":"x","image":{"at":' + b"9" * 1_000_000 + b',"size":1,"sha256":""}}',
    "roots": lambda: msgspec.json.encode({"engine": "x", "roots": {"mine": "mine; " + "(" * 900}}),
    "shell": lambda: msgspec.json.encode({"engine": "x", "shell": '{"a":"' + "x" * (20 * MB) + '"}'}),
}


@pytest.mark.parametrize("what", HUGE)
def test_huge_counts_and_depths_cost_little(tmp_path: Path, what: str) -> None:
    path = tmp_path / "it"
    path.write_bytes(sealed(HUGE[what]()))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if what == "roots":
        restore(path.read_bytes())
    else:
        with pytest.raises(SavedStateError, match="damaged"):
            read_index(path)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024 < 300


@pytest.mark.timeout(60)
@pytest.mark.parametrize("what", ["archive", "root", "environment"])
async def test_what_only_the_engine_finds_out_is_reported_alike(open_box: OpenBox, tmp_path: Path, what: str) -> None:
    await anyio.to_thread.run_sync(_forge, tmp_path / "it", what)
    with pytest.raises(SavedStateError):
        await open_box(from_=tmp_path / "it")


def _forge(path: Path, what: str) -> None:
    writer = SavedWriter(path)
    writer.begin()
    writer.write(b"garbage")
    packed = [SavedPackage(Package("mine", "1.0", Path("x.zip")), writer.end())] if what == "archive" else []
    writer.begin()
    entries = [SavedFile("/workspace/", "dir", mode=0)] if what == "root" else []
    env = {"A=B": "c"} if what == "environment" else {}
    writer.finish(SavedIndex("any", env, None, None, entries, writer.end(), packed))
