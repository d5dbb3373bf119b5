"""Uploads over HTTP: files of all sizes, archives that are hostile, clients that vanish."""

import hashlib
import io
import os
import socket
import struct
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.abc
import anyio.lowlevel
import httpx2
import pytest

from cloche.limits import MB
from cloche.runtime.file_access import ActionFiles
from cloche.runtime.pyodide import PyodideRuntime
from cloche.sandbox.files import scratch
from tests.server.conftest import OWNER, RunningServer, StartServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

Given = list[tuple[str, tuple[str, bytes]]]


def part(name: str, data: bytes = b"x") -> Given:
    return [("files", (name, data))]


def make_zip(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


async def upload(client: httpx2.AsyncClient, session: str, given: Given, **options: Any) -> dict[str, Any]:
    answer = await client.post(f"{session}/uploads", params=options, files=given)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def names(client: httpx2.AsyncClient, session: str, path: str = "") -> list[str]:
    listing = await client.get(f"{session}/files", params={"path": path, "recursive": True})
    return [each["path"] for each in listing.json()["entries"]] if listing.status_code == 200 else []


async def read(client: httpx2.AsyncClient, session: str, path: str) -> bytes:
    answer = await client.get(f"{session}/files/content", params={"path": path})
    assert answer.status_code == 200, answer.text
    return answer.content


def staged() -> list[Path]:
    """What this process has in its temporary folder of uploads that are not in their place yet."""
    base = scratch._state.base  # pyright: ignore[reportPrivateUsage] - others have theirs beside it
    return [] if base is None else [*base.path.glob("*-upload")]


async def test_files_of_any_content_arrive_whole_and_are_one_event(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    report = await upload(
        shared_client, session, [*part("a.bin", bytes(range(256)) * 100), *part("dir/é b.txt", "ü".encode())], path="in"
    )
    assert report == {
        "uploaded": [{"path": "in/a.bin", "size": 25600}, {"path": "in/dir/é b.txt", "size": 2}],
        "refused": [],
    }
    assert await read(shared_client, session, "in/a.bin") == bytes(range(256)) * 100
    found = (await shared_client.get(f"{session}/events", params={"kind": "upload"})).json()["events"]
    assert [(event["source"], event["args"]) for event in found] == [
        ("user", {"path": "/workspace/in", "files": {"a.bin": 25600, "dir/é b.txt": 2}, "more": 0})
    ]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("plain.txt", "plain.txt"),
        ("a\\b\\c.txt", "a/b/c.txt"),
        ("./x/./y", "x/y"),
        (" spaces .txt ", "spaces .txt"),
        ("C:\\w", "w"),
        ("gpj.\u202egnp.exe", "gpj.gnp.exe"),
        ("n" * 300 + ".csv", "n" * 251 + ".csv"),
        (".hidden", ".hidden"),
    ],
)
async def test_names_are_made_safe(shared_client: httpx2.AsyncClient, session: str, given: str, kept: str) -> None:
    report = await upload(shared_client, session, part(given, b"n"), path="safe")
    assert report == {"uploaded": [{"path": f"safe/{kept}", "size": 1}], "refused": []}
    assert f"safe/{kept}" in await names(shared_client, session, "safe")


@pytest.mark.parametrize("given", ["../up", "a/../../up", "/etc/passwd", "..", "\u202e", "...\\..\\x"])
async def test_names_that_lead_out_are_refused(shared_client: httpx2.AsyncClient, session: str, given: str) -> None:
    report = await upload(shared_client, session, part(given), path="refused")
    assert report["uploaded"] == []
    assert [each["name"] for each in report["refused"]] == [given]
    assert await names(shared_client, session, "refused") == []


async def test_a_file_may_be_replaced_or_not(shared_client: httpx2.AsyncClient, session: str) -> None:
    await upload(shared_client, session, part("once", b"1"))
    refused = await upload(shared_client, session, part("once", b"2"), overwrite=False)
    assert refused == {"uploaded": [], "refused": [{"name": "once", "reason": "File exists"}]}
    assert await read(shared_client, session, "once") == b"1"
    await upload(shared_client, session, part("once", b"3"))
    assert await read(shared_client, session, "once") == b"3"
    twice = await upload(shared_client, session, [*part("t", b"1"), *part("t", b"2")])
    assert [each["reason"] for each in twice["refused"]] == ["another file of this name came before"]
    folder = await upload(shared_client, session, [*part("f/g"), *part("f")])
    assert [each["name"] for each in folder["refused"]] == ["f/g"]


async def test_a_large_file_arrives_whole(shared_client: httpx2.AsyncClient, session: str) -> None:
    data = os.urandom(MB) * 100
    report = await upload(shared_client, session, part("large.bin", data))
    assert report["uploaded"] == [{"path": "large.bin", "size": 100 * MB}]
    found = hashlib.sha256()
    async with shared_client.stream("GET", f"{session}/files/content", params={"path": "large.bin"}) as answer:
        async for piece in answer.aiter_bytes():
            found.update(piece)
    assert found.digest() == hashlib.sha256(data).digest()
    await shared_client.delete(f"{session}/files", params={"path": "large.bin"})


async def test_sizes_counts_and_types_are_limited(start_server: StartServer) -> None:
    limits: dict[str, Any] = {"upload_mb": 1.0, "upload_files": 3, "upload_types": (".csv", ".TXT"), "pool_size": 0}
    async with start_server(**limits) as server, server.client() as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        given = [*part("a.csv"), *part("b.exe"), *part("large.txt", bytes(MB + 1)), *part("B.CSV"), *part("d.txt")]
        report = await upload(client, session, given)
        assert [each["path"] for each in report["uploaded"]] == ["B.CSV", "a.csv"]
        assert {each["name"]: each["reason"].split(":")[0] for each in report["refused"]} == {
            "b.exe": "its type is not among those that may be uploaded",
            "large.txt": "it has more than 1048576 bytes",
            "d.txt": "an upload may have 3 files",
        }
        assert await names(client, session) == ["a.csv", "B.CSV"]
        packed = make_zip(("one.csv", b"1"), ("two.exe", b"2"), ("three.txt", b"3"), ("4.csv", b""), ("5.csv", b""))
        report = await upload(client, session, part("p.zip", packed), unpack=True)
        assert [each["path"] for each in report["uploaded"]] == ["4.csv", "one.csv", "three.txt"]
        assert [each["name"] for each in report["refused"]] == ["p.zip: two.exe", "p.zip: 5.csv"]


async def test_a_user_has_so_much_room_and_no_more(start_server: StartServer) -> None:
    async with start_server(disk_mb=1.0, pool_size=0) as server, server.client() as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        report = await upload(client, session, [*part("a", bytes(600_000)), *part("b", bytes(600_000))])
        assert [each["path"] for each in report["uploaded"]] == ["a"]
        assert "disk_mb" in report["refused"][0]["reason"]
        ada = await server.add_user("ada")
        async with server.client(ada) as other:
            hers = f"/api/sessions/{(await other.post('/api/sessions', json={})).json()['id']}"
            assert len((await upload(other, hers, part("c", bytes(600_000))))["uploaded"]) == 1
        await upload(client, session, part("d", bytes(440_000)))
        full = await client.post(f"{session}/uploads", files=part("e", bytes(10_000)))
        refused = [full.json().get("code")] if full.status_code == 507 else full.json()["refused"]
        assert refused, full.text
        written = await client.put(f"{session}/files/content", params={"path": "f"}, content=bytes(20_000))
        assert written.status_code in (413, 507)


async def test_archives_are_unpacked_and_their_folders_kept(shared_client: httpx2.AsyncClient, session: str) -> None:
    packed = make_zip(("top.txt", b"1"), ("deep/er/x.bin", bytes(1000)), ("empty/", b""))
    report = await upload(shared_client, session, [*part("a.ZIP", packed), *part("b.txt")], path="un", unpack=True)
    assert [each["path"] for each in report["uploaded"]] == ["un/b.txt", "un/deep/er/x.bin", "un/top.txt"]
    assert await read(shared_client, session, "un/deep/er/x.bin") == bytes(1000)
    kept = await upload(shared_client, session, part("a.zip", packed), path="kept")
    assert [each["path"] for each in kept["uploaded"]] == ["kept/a.zip"]


def make_link(name: str, target: str) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info, target.encode()


def make_overlapping() -> bytes:
    """Many names for one stretch of zeros."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", bytes(50 * MB), zipfile.ZIP_DEFLATED)
        for number in range(1, 100):
            info = zipfile.ZipInfo(str(number))
            first = archive.infolist()[0]
            info.header_offset, info.file_size, info.compress_size = 0, first.file_size, first.compress_size
            info.compress_type, info.CRC = zipfile.ZIP_DEFLATED, first.CRC
            archive.filelist.append(info)
    return inner.getvalue()


def lie_about_size(data: bytes) -> bytes:
    """The same archive, whose entries say that they are of one byte."""
    at = data.index(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", 1) + data[at + 28 :]


@pytest.mark.parametrize(
    ("packed", "taken", "why"),
    [
        (make_zip(("../evil", b"1"), ("good", b"2")), ["bad/good"], "its name leads out of the folder"),
        (make_zip(("/etc/evil", b"1"), ("good", b"2")), ["bad/good"], "its name is an absolute path"),
        (make_zip(make_link("link", "/etc/passwd"), ("good", b"2")), ["bad/good"], "it is a link"),
        (make_zip(make_link("d", "/tmp"), ("d/x", b"2")), ["bad/d/x"], "it is a link"),
        (make_zip(("zeros", bytes(101 * MB)), ("good", b"2")), [], "it grows to more than 104857600 bytes"),
        (make_overlapping(), ["bad/0"], "it cannot be unpacked"),
        (lie_about_size(make_zip(("x", bytes(10_000)))), [], "it cannot be unpacked"),
        (b"PK\x03\x04 no archive at all", [], "it cannot be unpacked: it is no zip archive"),
        (b"", [], "it cannot be unpacked: it is no zip archive"),
        (
            make_zip(*((f"{n:0100}", b"") for n in range(6000))),
            [],
            "it cannot be unpacked: it has more than 1000 files",
        ),
    ],
    ids=["up", "absolute", "link", "folder-link", "bomb", "overlap", "lie", "garbage", "empty", "many"],
)
async def test_hostile_archives_are_refused(
    shared_client: httpx2.AsyncClient, session: str, packed: bytes, taken: list[str], why: str
) -> None:
    await shared_client.delete(f"{session}/files", params={"path": "bad", "recursive": True})
    report = await upload(shared_client, session, part("a.zip", packed), path="bad", unpack=True)
    assert [each["path"] for each in report["uploaded"]] == taken
    assert report["refused"][0]["reason"].startswith(why), report["refused"]
    there = [name for name in await names(shared_client, session, "bad") if name != "bad/d"]
    assert there == taken
    assert staged() == []


async def test_an_upload_through_a_link_stays_in_the_sandbox(shared_client: httpx2.AsyncClient, session: str) -> None:
    command = {"action": "run", "args": {"command": "ln -sfn /etc out; ln -sfn /tmp inside"}}
    await shared_client.post(f"{session}/actions", json=command)
    report = await upload(shared_client, session, [*part("out/x"), *part("inside/y")])
    assert [each["path"] for each in report["uploaded"]] == ["inside/y"]
    assert [each["name"] for each in report["refused"]] == ["out/x"]
    assert not Path("/etc/x").exists()


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "application/json"}, b"{}", 415),
        ({}, b"x", 415),
        ({"content-type": "multipart/form-data"}, b"x", 400),
        ({"content-type": "multipart/form-data; boundary=b"}, b"no boundary at all", 400),
        ({"content-type": "multipart/form-data; boundary=b"}, b'--b\r\nContent-Disposition: form-data; name="f"', 400),
        (
            {"content-type": "multipart/form-data; boundary=b"},
            b'--b\r\nContent-Disposition: form-data; name="f"; filename="half"\r\n\r\nhalf of it',
            400,
        ),
        ({"content-type": f"multipart/form-data; boundary={'b' * 5000}"}, b"x", 400),
    ],
)
async def test_malformed_bodies_are_refused(
    shared_client: httpx2.AsyncClient, session: str, headers: dict[str, str], body: bytes, status: int
) -> None:
    answer = await shared_client.post(f"{session}/uploads", headers=headers, content=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    assert "half" not in await names(shared_client, session)
    assert staged() == []


async def test_a_client_that_vanishes_in_the_middle_leaves_nothing(
    shared_server: RunningServer, shared_client: httpx2.AsyncClient, session: str
) -> None:
    place = urlsplit(shared_server.url)
    head = (
        f"POST {session}/uploads HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {OWNER}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 50000000\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="f"; filename="vanished.bin"\r\n\r\n'
    )
    async with await anyio.connect_tcp("127.0.0.1", place.port or 0) as stream:
        await stream.send(head.encode() + bytes(4 * MB))
        with anyio.fail_after(10):
            while not staged():
                await anyio.lowlevel.checkpoint()
        raw = stream.extra_attributes[anyio.abc.SocketAttribute.raw_socket]()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with anyio.fail_after(10):
        while staged():
            await anyio.lowlevel.checkpoint()
    assert "vanished.bin" not in await names(shared_client, session)


async def test_a_runtime_with_its_files_elsewhere_takes_uploads_too(
    shared_server: RunningServer, shared_client: httpx2.AsyncClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PyodideRuntime, "files", property(ActionFiles))
    report = await upload(shared_client, session, part("far/b.bin", bytes(range(256))))
    assert report["uploaded"] == [{"path": "far/b.bin", "size": 256}]
    assert await read(shared_client, session, "far/b.bin") == bytes(range(256))
    assert "far/b.bin" in await names(shared_client, session)


async def test_a_body_that_stops_in_the_middle_is_not_waited_for(
    shared_server: RunningServer, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.server.wire.SERVER_STALL", 0.2)
    place = urlsplit(shared_server.url)
    head = (
        f"PUT {session}/files/content?path=half HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {OWNER}\r\n"
        "Content-Length: 100\r\n\r\nonly this"
    )
    async with await anyio.connect_tcp("127.0.0.1", place.port or 0) as stream:
        await stream.send(head.encode())
        with anyio.fail_after(20):
            answer = await stream.receive()
    assert b" 408 " in answer.partition(b"\r\n")[0]
    assert b"slow_body" in answer
    assert staged() == []


async def test_programs_in_archives_stay_programs(shared_client: httpx2.AsyncClient, session: str) -> None:
    info = zipfile.ZipInfo("run.sh")
    info.external_attr = 0o104755 << 16
    await upload(shared_client, session, part("p.zip", make_zip((info, b"echo ran\n"))), path="exec", unpack=True)
    action = {"action": "run", "args": {"command": "./exec/run.sh; stat -c %a exec/run.sh"}}
    assert (await shared_client.post(f"{session}/actions", json=action)).json()["content"] == "ran\n755\n"
