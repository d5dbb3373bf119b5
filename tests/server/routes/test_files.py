"""Files over HTTP, on a real sandbox."""

import io
import zipfile
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import httpx2
import pytest

from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

LEADING_OUT = [
    "../etc/passwd",
    "a/../../etc/passwd",
    "/etc/passwd",
    "/workspace/../etc/passwd",
    "/tmp/x",
    "/",
    "..",
    "x\0y",
]


async def bash(client: httpx2.AsyncClient, session: str, command: str) -> str:
    answer = await client.post(f"{session}/actions", json={"action": "run", "args": {"command": command}})
    assert answer.status_code == 200, answer.text
    return answer.json()["content"]


async def put(client: httpx2.AsyncClient, session: str, path: str, data: bytes | str) -> httpx2.Response:
    return await client.put(f"{session}/files/content", params={"path": path}, content=data)


async def read(client: httpx2.AsyncClient, session: str, path: str, **headers: str) -> httpx2.Response:
    return await client.get(f"{session}/files/content", params={"path": path}, headers=headers)


async def latest(client: httpx2.AsyncClient, session: str, kind: str) -> dict[str, Any]:
    found = await client.get(f"{session}/events", params={"kind": kind, "reverse": True, "limit": 2})
    return next(event for event in found.json()["events"] if "action" in event)


async def test_text_that_is_written_is_read_and_is_on_record_as_an_action(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    answer = await put(shared_client, session, "notes/a.txt", "héllo\n")
    assert answer.status_code == 200, answer.text
    assert {**answer.json(), "modified": 0} == {"path": "notes/a.txt", "kind": "file", "size": 7, "modified": 0}
    assert (await read(shared_client, session, "notes/a.txt")).content == "héllo\n".encode()
    event = await latest(shared_client, session, "write")
    assert (event["source"], event["args"]["path"], event["args"]["content"]) == (
        "user",
        "/workspace/notes/a.txt",
        "héllo\n",
    )
    assert await bash(shared_client, session, "cat notes/a.txt") == "héllo\n"


async def test_other_bytes_are_on_record_by_name_and_size(shared_client: httpx2.AsyncClient, session: str) -> None:
    data = bytes(range(256)) * 10
    assert (await put(shared_client, session, "b.bin", data)).status_code == 200
    got = await read(shared_client, session, "b.bin")
    assert (got.content, got.headers["content-type"]) == (data, "application/octet-stream")
    event = await latest(shared_client, session, "upload")
    assert (event["source"], event["args"]["path"], event["args"]["files"]) == ("user", "/workspace", {"b.bin": 2560})


async def test_text_with_a_secret_is_written_as_it_is_though_no_event_has_it(
    shared_server: RunningServer, shared_client: httpx2.AsyncClient, session: str
) -> None:
    hosted = await shared_server.app.manager.find(session.rpartition("/")[2])
    hosted.stream.update_secrets({"KEY": "very-secret-value"})
    assert (await put(shared_client, session, "key.txt", "key=very-secret-value\n")).status_code == 200
    assert (await read(shared_client, session, "key.txt")).text == "key=very-secret-value\n"
    events = (await shared_client.get(f"{session}/events", params={"limit": 1000})).text
    assert "very-secret-value" not in events


@pytest.mark.parametrize(
    ("asked", "status", "part", "told"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-100", 206, b"56789", "bytes 5-9/10"),
        ("bytes=10-", 416, None, "bytes */10"),
        ("bytes=-0", 416, None, "bytes */10"),
        ("bytes=5-2", 200, b"0123456789", None),
        ("bytes=0-1,3-4", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
async def test_a_part_of_a_file_is_sent(
    shared_client: httpx2.AsyncClient, session: str, asked: str, status: int, part: bytes | None, told: str | None
) -> None:
    await bash(shared_client, session, "printf 0123456789 > ten.txt")
    answer = await read(shared_client, session, "ten.txt", range=asked)
    assert (answer.status_code, answer.headers.get("content-range")) == (status, told)
    assert part is None or answer.content == part


async def test_a_file_that_a_client_has_is_not_sent_again(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(shared_client, session, "echo 1 > state.txt")
    etag = (await read(shared_client, session, "state.txt")).headers["etag"]
    same = await read(shared_client, session, "state.txt", **{"if-none-match": etag})
    assert (same.status_code, same.content) == (304, b"")
    await bash(shared_client, session, "echo 22 > state.txt")
    new = await read(shared_client, session, "state.txt", **{"if-none-match": etag})
    assert (new.status_code, new.text) == (200, "22\n")
    part = await read(shared_client, session, "state.txt", **{"if-range": etag, "range": "bytes=0-0"})
    assert (part.status_code, part.text) == (200, "22\n")


async def write_if(client: httpx2.AsyncClient, session: str, path: str, data: str, **headers: str) -> httpx2.Response:
    return await client.put(f"{session}/files/content", params={"path": path}, content=data, headers=headers)


async def test_a_file_is_replaced_only_as_the_client_knows_it(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(shared_client, session, "echo mine > both.txt")
    known = (await read(shared_client, session, "both.txt")).headers["etag"]
    first = await write_if(shared_client, session, "both.txt", "one\r\n", **{"if-match": known})
    assert (first.status_code, first.headers["etag"] != known) == (200, True)
    assert (await latest(shared_client, session, "write"))["args"]["content"] == "one\r\n"
    second = await write_if(shared_client, session, "both.txt", "two\n", **{"if-match": first.headers["etag"]})
    assert second.status_code == 200, "the tag of an answer is that of the file"
    await bash(shared_client, session, "echo theirs > both.txt")
    late = await write_if(shared_client, session, "both.txt", "lost\n", **{"if-match": second.headers["etag"]})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    there = await read(shared_client, session, "both.txt")
    assert (there.text, there.headers["etag"]) == ("theirs\n", late.headers["etag"])
    assert (await write_if(shared_client, session, "both.txt", "any", **{"if-match": "*"})).status_code == 200


async def test_a_new_file_replaces_none(shared_client: httpx2.AsyncClient, session: str) -> None:
    assert (await write_if(shared_client, session, "new.txt", "", **{"if-none-match": "*"})).status_code == 200
    again = await write_if(shared_client, session, "new.txt", "lost", **{"if-none-match": "*"})
    assert (again.status_code, again.json()["detail"]) == (412, "new.txt is there already")
    assert (await read(shared_client, session, "new.txt")).content == b""
    gone = await write_if(shared_client, session, "gone.txt", "x", **{"if-match": '"1-1"'})
    assert (gone.status_code, gone.json()["detail"]) == (412, "gone.txt is not there any more")
    data = await write_if(shared_client, session, "new.txt", "\0", **{"if-none-match": "*"})
    assert data.status_code == 412, "bytes that are no text too"


async def test_a_file_is_saved_while_a_command_runs(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(shared_client, session, "echo 1 > busy.txt")
    known = (await read(shared_client, session, "busy.txt")).headers["etag"]
    sleeping = {"action": "run", "args": {"command": "sleep 30"}}
    await shared_client.post(f"{session}/actions", json=sleeping, params={"wait": False})
    with anyio.fail_after(10):
        saved = await write_if(shared_client, session, "busy.txt", "2", **{"if-match": known})
    assert saved.status_code == 200
    stopped = await shared_client.post(f"{session}/interrupt")
    assert stopped.json() == {"interrupted": True}


async def test_a_page_in_a_workspace_cannot_act_as_a_page_of_the_server(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    await bash(shared_client, session, "echo '<script>alert(1)</script>' > evil.html")
    answer = await read(shared_client, session, "evil.html")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == "sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    named = await shared_client.get(f"{session}/files/content", params={"path": "evil.html", "download": True})
    assert named.headers["content-disposition"] == "attachment; filename*=UTF-8''evil.html"


async def test_text_is_read_as_text_or_not_at_all(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(shared_client, session, r"printf 'h\303\251\n' > t.txt; printf 'a\0b' > n.txt; printf '\377' > f.txt")

    async def text(path: str) -> httpx2.Response:
        return await shared_client.get(f"{session}/files/content", params={"path": path, "text": True})

    assert ((await text("t.txt")).text, (await text("t.txt")).headers["content-type"]) == (
        "hé\n",
        "text/plain; charset=utf-8",
    )
    for path in ("n.txt", "f.txt"):
        refused = await text(path)
        assert (refused.status_code, refused.json()["code"]) == (406, "no_text")


async def test_folders_are_listed_one_level_or_all(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(shared_client, session, "mkdir -p tree/b/c && touch tree/b/c/deep tree/z tree/A && ln -s z tree/link")

    async def tree(**options: Any) -> tuple[list[tuple[str, str]], bool]:
        answer = await shared_client.get(f"{session}/files", params={"path": "tree", **options})
        assert answer.status_code == 200, answer.text
        listing = answer.json()
        return [(each["path"], each["kind"]) for each in listing["entries"]], listing["truncated"]

    top = [("tree/b", "dir"), ("tree/A", "file"), ("tree/link", "link"), ("tree/z", "file")]
    assert await tree() == (top, False)
    everything = [*top, ("tree/b/c", "dir"), ("tree/b/c/deep", "file")]
    assert await tree(recursive=True) == (everything, False)
    assert await tree(recursive=True, limit=5) == (everything[:5], True)
    missing = await shared_client.get(f"{session}/files", params={"path": "nowhere"})
    assert (missing.status_code, missing.json()["detail"]) == (404, "nowhere: No such file or directory")
    plain = await shared_client.get(f"{session}/files", params={"path": "tree/z"})
    assert plain.status_code == 409


async def test_files_are_moved_and_removed_as_actions_of_the_user(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    made = await shared_client.post(f"{session}/files/folders", json={"path": "m/one"})
    assert (made.status_code, made.json()["kind"]) == (201, "dir")
    await bash(shared_client, session, "echo a > m/one/a; echo b > m/b")

    async def move(path: str, destination: str, **more: bool) -> httpx2.Response:
        wish = {"path": path, "destination": destination, **more}
        return await shared_client.post(f"{session}/files/move", json=wish)

    moved = await move("m/one/a", "m/two/new/a")
    assert (moved.status_code, moved.json()["path"]) == (200, "m/two/new/a")
    taken = await move("m/b", "m/two/new/a")
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert (await move("m/b", "m/two/new/a", overwrite=True)).status_code == 200
    assert await bash(shared_client, session, "cat m/two/new/a; ls m") == "b\none\ntwo\n"
    assert (await move("m/nothing", "m/x")).status_code == 404
    event = await latest(shared_client, session, "move")
    assert (event["source"], event["args"]["destination"]) == ("user", "/workspace/m/x")

    async def remove(path: str, **options: bool) -> int:
        return (await shared_client.delete(f"{session}/files", params={"path": path, **options})).status_code

    assert await remove("m/two/new/a") == 204
    assert await remove("m/two/new/a") == 404
    assert await remove("m") == 409
    assert await remove("m", recursive=True) == 204
    assert await remove("", recursive=True) == 409
    assert "m" not in (await bash(shared_client, session, "ls")).split()


@pytest.mark.parametrize("path", LEADING_OUT)
async def test_no_path_leads_out_of_the_workspace(shared_client: httpx2.AsyncClient, session: str, path: str) -> None:
    query = {"path": path}
    answers = [
        await shared_client.get(f"{session}/files", params=query),
        await shared_client.get(f"{session}/files/info", params=query),
        await shared_client.get(f"{session}/files/content", params=query),
        await shared_client.get(f"{session}/files/zip", params=query),
        await shared_client.put(f"{session}/files/content", params=query, content=b"x"),
        await shared_client.delete(f"{session}/files", params=query),
        await shared_client.post(f"{session}/files/folders", json=query),
        await shared_client.post(f"{session}/files/move", json={**query, "destination": "x"}),
        await shared_client.post(f"{session}/files/move", json={"path": "x", "destination": path}),
        await shared_client.post(f"{session}/uploads", params=query, files={"file": ("x", b"x")}),
    ]
    assert {answer.status_code for answer in answers} <= {403, 422}, [answer.text for answer in answers]


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../etc/passwd", "/proc/self/environ"])
async def test_a_link_that_leads_out_is_not_followed(
    shared_client: httpx2.AsyncClient, session: str, target: str
) -> None:
    await bash(shared_client, session, f"ln -sfn {target} out; ln -sfn {target.rpartition('/')[0]} outside")
    for path in ("out", f"outside/{target.rpartition('/')[2]}"):
        assert (await read(shared_client, session, path)).status_code in (403, 404)
        assert (await put(shared_client, session, path, b"\0")).status_code in (403, 404)
    packed = await shared_client.get(f"{session}/files/zip")
    names = zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    assert not {name for name in names if name.startswith("out")}


async def test_a_folder_is_sent_as_an_archive(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(
        shared_client,
        session,
        "mkdir -p pack/empty pack/in; seq 100000 > pack/in/n.txt; printf x > 'pack/é x'; ln -s in/n.txt pack/link",
    )
    answer = await shared_client.get(f"{session}/files/zip", params={"path": "pack"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''pack.zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    assert archive.namelist() == ["empty/", "in/", "in/n.txt", "link", "é x"]
    assert archive.read("in/n.txt") == archive.read("link") == "".join(f"{n}\n" for n in range(1, 100001)).encode()


async def test_what_is_too_large_is_refused_and_leaves_nothing(shared_client: httpx2.AsyncClient, session: str) -> None:
    async def body() -> AsyncGenerator[bytes]:
        for _ in range(101):
            yield bytes(1 << 20)

    refused = await shared_client.put(f"{session}/files/content", params={"path": "large"}, content=body())
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert (await read(shared_client, session, "large")).status_code == 404


async def test_reading_does_not_wait_for_an_action_that_runs(shared_client: httpx2.AsyncClient, session: str) -> None:
    await bash(shared_client, session, "echo here > beside.txt")
    stored = await shared_client.post(
        f"{session}/actions", params={"wait": False}, json={"action": "run", "args": {"command": "sleep 30"}}
    )
    assert stored.status_code == 202
    assert (await read(shared_client, session, "beside.txt")).text == "here\n"
    assert (await shared_client.get(f"{session}/files/zip")).status_code == 200
    while not (await shared_client.post(f"{session}/interrupt")).json()["interrupted"]:
        pass
