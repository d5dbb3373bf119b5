"""wget in the sandbox's bash, against a real server."""

import pytest

from tests.sandbox.network.web import BLOB, Scene

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize(
    ("command", "code", "out", "err"),
    [
        ("wget -q URL/hello; cat hello", 0, "hello\n", ""),
        ("wget -qO- URL/hello", 0, "hello\n", ""),
        ("wget -q -O - URL/once", 0, "hello\n", ""),
        ("wget -qO f URL/hello URL/hello; cat f", 0, "hello\nhello\n", ""),
        ("wget -q -P a/b URL/hello; cat a/b/hello", 0, "hello\n", ""),
        ("wget -q URL/hello URL/hello; ls", 0, "hello\nhello.1\n", ""),
        ("wget -q -nc URL/hello; wget -q -nc URL/hello; ls", 0, "hello\n", ""),
        ("wget -q URL/; ls", 0, "index.html\n", ""),
        ("wget -q --content-disposition URL/named; ls", 0, "given.txt\n", ""),
        ("printf 'URL/hello\\n' | wget -q -i - ; ls", 0, "hello\n", ""),
        ("wget -q --spider URL/hello; ls", 0, "", ""),
        ("wget -q URL/missing", 8, "", ""),
        ("wget -q --content-on-error -O- URL/missing", 8, "not here\n", ""),
        ("wget -q --max-redirect=2 URL/loop", 8, "", ""),
        ("wget -q http://127.0.0.1:1/", 4, "", ""),
        ("wget -q --tries=1 URL/empty", 4, "", ""),
        ("wget -q --tries=1 --timeout=0.3 -O /dev/null URL/slow", 4, "", ""),
        ("wget --no-check-certificate URL/hello", 2, "", None),
        ("wget -r URL/hello", 2, "", None),
        ("wget --frobnicate URL/hello", 2, "", "wget: unrecognized option '--frobnicate'\n"),
        ("wget", 2, "", None),
        ("wget -q -O /nowhere/f URL/hello", 1, "", None),
    ],
)
async def test_wget_does_what_wget_does(scene: Scene, command: str, code: int, out: str, err: str | None) -> None:
    got = await scene.bash(command)
    assert got[:2] == (code, out), got[2]
    if err is not None:
        assert got[2] == err


async def test_requests_are_as_the_options_say(scene: Scene) -> None:
    seen = await scene.echo("wget -qO- --header 'X-One: 1' --header 'Accept: a/b' -U agent --post-data 'a=1' URL/echo")
    assert (seen["method"], seen["body"]) == ("POST", "a=1")
    headers = {name: seen["headers"].get(name) for name in ("x-one", "accept", "user-agent", "content-type")}
    assert headers == {
        "x-one": "1",
        "accept": "a/b",
        "user-agent": "agent",
        "content-type": "application/x-www-form-urlencoded",
    }
    seen = await scene.echo("wget -qO- --user=u --password=p --method=PUT --body-data=x URL/echo")
    assert (seen["method"], seen["body"], seen["headers"]["authorization"]) == ("PUT", "x", "Basic dTpw")


async def test_a_file_is_continued(scene: Scene) -> None:
    command = "wget -q URL/blob && head -c 1000 blob > part && mv blob whole && mv part blob && wget -qc URL/blob"
    assert (await scene.bash(f"{command} && cmp whole blob && wget -qc URL/blob && cmp whole blob"))[:2] == (0, "")
    assert await scene.box.read("blob") == BLOB


async def test_it_says_what_it_does(scene: Scene) -> None:
    code, out, err = await scene.bash("wget -S URL/hello")
    assert (code, out) == (0, "")
    assert "HTTP request sent, awaiting response... 200 OK\n" in err
    assert "  X-Site: test" in err
    assert "Saving to: ‘hello’" in err  # noqa: RUF001 - as wget writes it
    assert "‘hello’ saved [6/6]" in err  # noqa: RUF001 - as wget writes it
    assert "ERROR 404: Not Found." in (await scene.bash("wget -nv URL/missing"))[2]


async def test_what_is_not_allowed_says_what_to_do(scene: Scene) -> None:
    code, _, err = await scene.bash("wget -nv https://example.com/x")
    assert code == 4
    assert err == (
        "wget: this sandbox may not reach example.com:443: add 'example.com:443' to allow_net "
        "(--allow-net example.com:443) to let it\n"
    )
