"""curl in the sandbox's bash, against a real server, and beside the real curl where there is one."""

import json
import shutil

import anyio
import pytest

from cloche import Sandbox
from cloche.sandbox.cache import snapshots
from tests.sandbox.conftest import OpenBox
from tests.sandbox.network.servers import serve
from tests.sandbox.network.web import BLOB, Scene, Site

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize(
    ("command", "code", "out", "err"),
    [
        ("curl URL/hello", 0, "hello\n", ""),
        ("curl -s URL/missing", 0, "not here\n", ""),
        ("curl -f URL/missing", 22, "", "curl: (22) The requested URL returned error: 404\n"),
        ("curl -fs URL/missing", 22, "", ""),
        ("curl -fsS URL/missing", 22, "", "curl: (22) The requested URL returned error: 404\n"),
        ("curl -s --fail-with-body URL/missing", 22, "not here\n", ""),
        ("curl -s URL/once", 0, "moved", ""),
        ("curl -sL URL/once", 0, "hello\n", ""),
        ("curl -sLw '%{num_redirects} %{url_effective}' -o /dev/null URL/once", 0, "1 URL/hello", ""),
        ("curl -sS -L --max-redirs 3 URL/loop", 47, "", "curl: (47) Maximum (3) redirects followed\n"),
        ("curl -s -o f -w '%{http_code} %{size_download}\\n' URL/hello; cat f", 0, "200 6\nhello\n", ""),
        ("curl -sw '%{http_code}%%' URL/missing", 0, "not here\n404%", ""),
        ("curl -sO URL/hello; cat hello", 0, "hello\n", ""),
        ("curl -sJO URL/named; cat given.txt", 0, "named\n", ""),
        ("curl -s --create-dirs -o a/b/c URL/hello; cat a/b/c", 0, "hello\n", ""),
        ("curl -s URL/hello URL/hello", 0, "hello\nhello\n", ""),
        ("curl -s URL/hello -o 1 URL/hello -o 2; cat 1 2", 0, "hello\nhello\n", ""),
        ("curl -s --compressed URL/gzip", 0, "unpacked\n", ""),
        ("curl -s URL/gzip | gunzip", 0, "unpacked\n", ""),
        ("curl -sS URL/short", 18, "abc", None),
        ("curl -sS URL/empty", 52, "", None),
        ("curl -sS http://127.0.0.1:1/", 7, "", None),
        ("curl -sS --max-filesize 100 URL/blob", 63, "", "curl: (63) Maximum file size exceeded\n"),
        ("curl -sS -m 0.3 URL/slow -o /dev/null", 28, "", "curl: (28) Operation timed out after 300 milliseconds\n"),
        ("curl -s --retry 3 --retry-delay 0.1 URL/flaky", 0, "at last\n", ""),
        ("curl -k URL/hello", 2, "", None),
        ("curl --frobnicate URL/hello", 2, "", "curl: option --frobnicate: is unknown\n"),
        ("curl --constructor URL/hello", 2, "", "curl: option --constructor: is unknown\n"),
        ("curl", 2, "", "curl: no URL specified\n"),
        ("curl -sS ftp://127.0.0.1/", 3, "", None),
        ("curl -sS -d @nowhere URL/echo", 26, "", None),
        ("curl -s URL/blob | head -c 3 | wc -c", 0, "3\n", ""),
        ("curl -s -r 1310718- URL/blob -o f; cat f | wc -c", 0, "3932162\n", ""),
        ("timeout 0.5 curl -s URL/slow; echo $?", 0, None, ""),
    ],
)
async def test_curl_does_what_curl_does(
    scene: Scene, command: str, code: int, out: str | None, err: str | None
) -> None:
    scene.site.failures = 2
    base = scene.server.url("")
    got = await scene.bash(command)
    assert (got[0], got[1] if out is not None else None) == (code, out and out.replace("URL", base)), got[2]
    if err is not None:
        assert got[2] == err


@pytest.mark.parametrize(
    "command",
    [
        "curl -s URL/echo",
        "curl -s -d a=1 -d 'b=2 3' URL/echo",
        "curl -s --data-raw @x URL/echo",
        "printf 'a\\nb\\n' | curl -s -d @- URL/echo",
        "printf 'a\\nb\\n' | curl -s --data-binary @- -H 'Content-Type: text/plain' URL/echo",
        "curl -s --data-urlencode 'q=a b&ü' --data-urlencode '=x y' --data-urlencode 'z' URL/echo",
        "curl -sG -d a=1 --data-urlencode 'q=a b' 'URL/echo?x=0'",
        "curl -s --json '{\"a\": 1}' URL/echo",
        "curl -s -X DELETE URL/echo",
        "curl -s -u user:pass URL/echo",
        "curl -s -A agent -e 'http://from/' -b 'a=1; b=2' URL/echo",
        "curl -s -H 'X-One: 1' -H 'Accept:' -H 'X-Empty;' URL/echo",
        "printf body | curl -s -T - URL/echo",
        "curl -s --oauth2-bearer tok URL/echo",
        "curl -s -H 'Y: ü' URL/echo",
        "curl -s -r 5-9 URL/echo",
        "curl -sL -d a=1 URL/post",
        "curl -sL -d a=1 'URL/post?again'",
        "curl -sL -X PUT -d a=1 URL/post",
    ],
)
@pytest.mark.skipif(shutil.which("curl") is None, reason="only on machines that have curl")
async def test_requests_are_those_of_the_real_curl(scene: Scene, command: str) -> None:
    real = await anyio.run_process(
        ["bash", "-c", command.replace("URL", scene.server.url(""))], env={"PATH": "/usr/bin:/bin"}
    )
    wanted, got = json.loads(real.stdout), await scene.echo(command)
    for seen in (wanted, got):
        if not seen["headers"].get("user-agent", "").startswith("agent"):
            seen["headers"].pop("user-agent", None)
        seen["headers"].pop("transfer-encoding", None)
        seen["headers"].pop("expect", None)
    if got["headers"].get("content-length") == "0":
        got["headers"].pop("content-length")
    if "-T -" in command:
        got["headers"].pop("content-length")
    assert got == wanted


async def test_forms_are_sent_as_parts(scene: Scene) -> None:
    seen = await scene.echo(
        "printf data > f.txt; curl -s -F a=1 -F 'file=@f.txt;type=text/x' -F 'b=<f.txt' --form-string 'c=@x' URL/echo"
    )
    kind, boundary = seen["headers"]["content-type"].split("; boundary=")
    assert kind == "multipart/form-data"
    parts = seen["body"].split(f"--{boundary}")
    assert parts[0] == ""
    assert parts[-1] == "--\r\n"
    assert set(parts[1:-1]) == {
        '\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n',
        '\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\nContent-Type: text/x\r\n\r\ndata\r\n',
        '\r\nContent-Disposition: form-data; name="b"\r\n\r\ndata\r\n',
        '\r\nContent-Disposition: form-data; name="c"\r\n\r\n@x\r\n',
    }


async def test_heads_are_shown(scene: Scene) -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nX-Site: test\r\n\r\n"
    assert (await scene.bash("curl -si URL/hello"))[1] == head + "hello\n"
    assert (await scene.bash("curl -sI URL/hello"))[1] == head.replace("6", "0")
    assert (await scene.bash("curl -s -D - -o /dev/null URL/hello"))[1] == head
    code, out, err = await scene.bash("curl -v URL/hello")
    assert (code, out) == (0, "hello\n")
    assert "> GET /hello HTTP/1.1\n" in err
    assert "< X-Site: test\n" in err


async def test_bytes_beyond_ascii_go_out_as_they_are(scene: Scene) -> None:
    seen = await scene.echo("curl -s 'URL/echo?a=é&ü'")
    assert seen["target"] == "/echo?a=%C3%A9&%C3%BC"


@pytest.mark.slow
async def test_a_large_body_arrives_whole(scene: Scene) -> None:
    assert (await scene.bash("curl -s -o blob URL/blob"))[0] == 0
    assert await scene.box.read("blob") == BLOB
    assert (await scene.bash("curl -s URL/blob > again && cmp blob again && curl -s -T blob URL/echo | wc -c"))[0] == 0
    assert (await scene.bash("head -c 1000 blob > part && curl -s -C - -o part URL/blob && cmp blob part"))[:2] == (
        0,
        "",
    )


async def test_an_interrupt_stops_it_and_the_server_sees_that(scene: Scene) -> None:
    scene.site.stalled.clear()
    scene.site.left.clear()
    async with anyio.create_task_group() as group:

        async def interrupt() -> None:
            with anyio.fail_after(10):
                await scene.site.stalled.wait()
            await scene.box.interrupt()

        group.start_soon(interrupt)
        with anyio.fail_after(15):
            assert (await scene.bash("curl -s URL/slow; echo not reached"))[0] == 130
    with anyio.fail_after(5):
        await scene.site.left.wait()
    assert (await scene.bash("curl -s URL/hello"))[1] == "hello\n"


async def test_a_closed_sandbox_leaves_the_server(prepared: snapshots.PreparedStart) -> None:
    site = Site()
    async with serve(site) as server:
        async with Sandbox(allow_net=[server.place]) as box, anyio.create_task_group() as group:

            async def run() -> None:
                await box.bash(f"curl -s {server.url('/slow')}")

            group.start_soon(run)
            with anyio.fail_after(20):
                await site.stalled.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(5):
            await site.left.wait()


async def test_what_is_not_allowed_says_what_to_do(scene: Scene) -> None:
    code, _, err = await scene.bash("curl -s -S https://example.com/")
    assert code == 7
    assert err.startswith("curl: (7) this sandbox may not reach example.com:443: add 'example.com:443' to allow_net")
    code, _, err = await scene.bash("curl -sSL URL/away")
    assert (code, "169.254.169.254:80" in err) == (7, True)
    assert scene.box.requests[-1].refused == "NotAllowed"


@pytest.mark.slow
async def test_without_allow_net_there_is_no_network(shell: Sandbox) -> None:
    result = await shell.bash("curl -s -S http://127.0.0.1:1/; echo $?; wget -q http://127.0.0.1:1/; echo $?")
    assert result.stdout == "7\n4\n"
    assert result.stderr == (
        "curl: (7) Connection refused: nothing in this sandbox listens on port 1 "
        "(this sandbox has no network, so 127.0.0.1:1 cannot be reached: "
        'open it with allow_net=["127.0.0.1:1"] (SDK) or --allow-net 127.0.0.1:1 (CLI))\n'
    )
    assert [(each.method, each.refused) for each in shell.requests[-2:]] == [("GET", "NotAllowed")] * 2


@pytest.mark.slow
async def test_a_secret_is_added_and_not_seen(open_box: OpenBox) -> None:
    async with serve(Site()) as server:
        box = await open_box(allow_net=[server.place], secrets={server.place: "X-Key: s3cr3t-value-1"})
        result = await box.bash(f"curl -s {server.url('/echo')}; env; cat /proc/self/environ 2>/dev/null")
        assert server.requests[0].header("x-key") == "s3cr3t-value-1"
        assert "s3cr3t-value-1" not in result.stdout
        assert '"x-key": "**************"' in result.stdout
        record = box.requests[0]
        assert (record.method, record.status, record.refused) == ("GET", 200, None)
        assert record.url == server.url("/echo")
