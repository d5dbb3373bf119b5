"""Secrets: added by the host where they belong, and nowhere else."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import ConfigError
from cloche.sandbox.network.policy import Policy
from cloche.sandbox.network.refusals import RequestRefused
from cloche.sandbox.network.secret_headers import HeaderMask, Secret, SecretHeaders
from tests.sandbox.network.conftest import OpenGuest
from tests.sandbox.network.servers import Received, answer, serve

TOKEN = "s3cr3t-token-0123456789"
BEARER = f"Authorization: Bearer {TOKEN}"


async def here(name: str) -> Sequence[str]:
    return ["127.0.0.1"]


async def tell(request: Received, writer: asyncio.StreamWriter) -> None:
    """Echoes the headers, as some services do; in two pieces."""
    text = "\n".join(f"{name}: {value}" for name, value in request.headers).encode()
    middle = text.find(b"token") if b"token" in text else 0
    head = answer(text, X_Echo=request.header("authorization") or "none")
    writer.write(head[: len(head) - len(text) + middle])
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.write(text[middle:])


@pytest.mark.usefixtures("trusted")
async def test_a_secret_goes_to_its_host_over_tls_and_is_not_shown(open_guest: OpenGuest, tls: ssl.SSLContext) -> None:
    async with serve(tell, tls) as server, serve(tell) as plain:
        names = [f"api.test:{server.port}", f"localhost:{server.port}", f"api.test:{plain.port}"]
        guest = open_guest(*names, server.place, plain.place, secrets={"api.test": BEARER}, resolver=here)
        mine = [["authorization", "mine"], ["Accept-Encoding", "gzip"]]
        asked = await guest.fetch(server.url(host="API.test"), headers=mine)
        request = server.requests[0]
        assert [value for name, value in request.headers if name.lower() == "authorization"] == [f"Bearer {TOKEN}"]
        assert request.header("accept-encoding") == "identity"
        assert asked.headers["x-echo"] == "Bearer " + "*" * len(TOKEN)
        assert TOKEN.encode() not in asked.received
        assert b"*" * len(TOKEN) in asked.received
        assert len(asked.received) == int(asked.headers["content-length"])
        for url in (server.url(host="localhost"), plain.url(host="api.test")):
            asked = await guest.fetch(url, headers=mine)
            assert asked.headers["x-echo"] == "mine"


async def test_a_secret_for_loopback_needs_no_tls(open_guest: OpenGuest) -> None:
    async with serve(tell) as server, serve(tell) as other:
        several = {"X-Key": TOKEN, "X-Other": "short"}
        guest = open_guest(server.place, other.place, secrets={server.place: several})
        await guest.fetch(server.url())
        await guest.fetch(other.url())
        assert (server.requests[0].header("x-key"), server.requests[0].header("x-other")) == (TOKEN, "short")
        assert other.requests[0].header("x-key") is None


@pytest.mark.parametrize(
    "echo",
    [
        "HTTP/1.1 200 OK\r\nX-{}: 1\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 {}\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 2x0 {}\r\n\r\n",
        "{}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Echo: {}\1\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-{}\1: 1\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n {}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: {}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz;{}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;{}\r\nx\r\n0\r\nX-{}: {}\r\n\r\n",
        "HTTP/1.1 100 {}\r\n\r\nHTTP/1.1 101 {}\r\nX-{}: {}\r\n\r\n",
    ],
)
@pytest.mark.parametrize("token", [TOKEN, "it's-a\\secret-0123456789", "12345678901234567"])
async def test_a_secret_is_masked_wherever_a_server_echoes_it(open_guest: OpenGuest, echo: str, token: str) -> None:
    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(echo.replace("{}", request.header("x-key") or "").encode())
        writer.close()

    async with serve(reply) as server:
        guest = open_guest(server.place, secrets={server.place: f"X-Key: {token}"})
        try:
            asked = await guest.fetch(server.url())
            seen = f"{asked.data} {asked.received}"
        except RequestRefused as error:
            seen = str(error)
        record = guest.last
        for part in (token, token[:8], token[-8:]):
            assert part not in seen
            assert part not in repr(record)


async def test_a_secret_does_not_follow_a_redirect(open_guest: OpenGuest) -> None:
    async with serve(tell) as other:

        async def lead(request: Received, writer: asyncio.StreamWriter) -> None:
            leak = request.header("authorization")
            writer.write(answer(b"", "302 Found", Location=other.url(f"/?leak={leak}".replace(" ", "+"))))

        async with serve(lead) as server:
            guest = open_guest(server.place, other.place, secrets={server.place: BEARER})
            asked = await guest.fetch(server.url(), redirect="follow")
            assert other.requests[0].header("authorization") is None
            assert TOKEN not in other.requests[0].target
            assert TOKEN not in asked.data["url"]
            asked = await guest.fetch(server.url())
            assert TOKEN not in asked.headers["location"]


@pytest.mark.parametrize(
    ("secrets", "what"),
    [
        ({"other.test": BEARER}, "not in allow_net"),
        ({"10.0.0.1": BEARER}, "not in allow_net"),
        ({"api.test:444": BEARER}, "not in allow_net"),
        ({"https://api.test": BEARER}, "is not a host"),
        ({"api.test": TOKEN}, "Name: value"),
        ({"api.test": f"X: {TOKEN}\r\nY: z"}, "Name: value"),
        ({"api.test": {"Host": TOKEN}}, "Name: value"),
        ({"api.test": {}}, "Name: value"),
    ],
)
def test_a_wrong_secret_is_refused_without_showing_it(secrets: Mapping[str, Secret], what: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SecretHeaders(secrets, Policy(["api.test:443"]))
    assert what in str(caught.value)
    assert TOKEN not in str(caught.value)


@given(
    st.lists(st.sampled_from([TOKEN, TOKEN[:5], TOKEN[5:], "s3cr3t-s3cr3t-token", " x "])), st.lists(st.integers(1, 30))
)
def test_a_secret_is_found_however_it_is_cut(words: list[str], cuts: list[int]) -> None:
    mask = HeaderMask([("A", f"Bearer {TOKEN}")])
    text = "".join(words).encode()
    shown, rest = b"", text
    for cut in cuts:
        shown, rest = shown + mask.feed(rest[:cut]), rest[cut:]
    shown += mask.feed(rest) + mask.rest()
    assert shown == text.replace(TOKEN.encode(), b"*" * len(TOKEN))


def test_a_short_secret_is_not_looked_for() -> None:
    assert not HeaderMask([("A", "abc"), ("B", "")])
    assert not HeaderMask([])
