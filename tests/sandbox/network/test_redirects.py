"""Redirects, each judged like a request of its own."""

import asyncio

import pytest

from cloche.sandbox.network.refusals import BadRequest, NotAllowed, PrivateAddress, TooManyRedirects
from tests.sandbox.network.conftest import OpenGuest
from tests.sandbox.network.servers import Handler, Received, answer, serve


def lead(**places: str) -> Handler:
    """Redirects `/status/name` to the place of that name; all else is answered."""

    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        _, first, *rest = request.target.split("/")
        if first.isdigit():
            writer.write(answer(b"moved", f"{first} Moved", Location=places[rest[0]]))
        else:
            writer.write(answer(b"here " + request.body))

    return handler


async def test_a_redirect_is_followed_only_if_asked(open_guest: OpenGuest) -> None:
    async with serve(lead(end="/end")) as server:
        guest = open_guest(server.place)
        asked = await guest.fetch(server.url("/302/end"))
        assert (asked.data["status"], asked.received, asked.headers["location"]) == (302, b"moved", "/end")
        asked = await guest.fetch(server.url("/302/end"), redirect="follow")
        assert (asked.data["status"], asked.received, asked.data["redirected"]) == (200, b"here ", True)
        assert asked.data["url"] == server.url("/end")
        assert [record.status for record in guest.records.all] == [302, 302, 200]
        assert server.connections == 1


@pytest.mark.parametrize(
    ("status", "method", "then", "body"),
    [
        (301, "POST", "GET", b""),
        (302, "POST", "GET", b""),
        (303, "PUT", "GET", b""),
        (303, "HEAD", "HEAD", b""),
        (302, "PUT", "PUT", b"data"),
        (307, "POST", "POST", b"data"),
        (308, "POST", "POST", b"data"),
    ],
)
async def test_methods_change_as_in_browsers(
    open_guest: OpenGuest, status: int, method: str, then: str, body: bytes
) -> None:
    async with serve(lead(end="/end")) as server:
        headers = [["Content-Type", "text/plain"]]
        pieces = [] if method == "HEAD" else [b"data"]
        guest = open_guest(server.place)
        await guest.fetch(server.url(f"/{status}/end"), *pieces, method=method, headers=headers, redirect="follow")
        last = server.requests[-1]
        assert (last.method, last.body) == (then, body)
        assert (last.header("content-type") is not None) == (then == method)


async def test_a_body_too_large_to_keep_is_not_sent_twice(open_guest: OpenGuest) -> None:
    async with serve(lead(end="/end")) as server:
        guest = open_guest(server.place)
        with pytest.raises(BadRequest, match="send the request to the final address"):
            await guest.fetch(server.url("/307/end"), *[b"x" * (1 << 20)] * 9, method="POST", redirect="follow")


async def test_credentials_do_not_go_to_another_host(open_guest: OpenGuest) -> None:
    async with serve(lead()) as other, serve(lead(other=other.url("/end"), same="/end")) as server:
        guest = open_guest(server.place, other.place)
        headers = [["Authorization", "Basic x"], ["Cookie", "a=1"], ["X-Other", "stays"]]
        for place in ("same", "other"):
            await guest.fetch(server.url(f"/302/{place}"), headers=headers, redirect="follow")
        assert server.requests[1].header("authorization") == "Basic x"
        assert other.requests[0].header("authorization") is None
        assert other.requests[0].header("cookie") is None
        assert other.requests[0].header("x-other") == "stays"


async def test_redirects_in_a_circle_end(open_guest: OpenGuest) -> None:
    async with serve(lead(a="/302/b", b="/302/a")) as server:
        guest = open_guest(server.place)
        with pytest.raises(TooManyRedirects, match="more than 10 redirects"):
            await guest.fetch(server.url("/302/a"), redirect="follow")
        assert len(server.requests) == 11


@pytest.mark.parametrize(
    ("location", "refusal"),
    [
        ("http://127.0.0.1:1/", NotAllowed),
        ("http://169.254.169.254/latest/meta-data", NotAllowed),
        ("http://[::ffff:169.254.169.254]/", NotAllowed),
        ("http://metadata.test/", PrivateAddress),
        ("//evil.test/", NotAllowed),
        ("http://0x7f.1/", BadRequest),
        ("file:///etc/passwd", BadRequest),
        ("http://user@metadata.test/", BadRequest),
        ("gopher://x/", BadRequest),
        ("http://[", BadRequest),
        ("//[::1", BadRequest),
    ],
)
async def test_a_redirect_to_what_is_not_allowed_is_refused(
    open_guest: OpenGuest, location: str, refusal: type[Exception]
) -> None:
    async def resolver(name: str) -> list[str]:
        return ["169.254.169.254"]

    async with serve(lead(there=location)) as server:
        guest = open_guest(server.place, "metadata.test", resolver=resolver)
        with pytest.raises(refusal):
            await guest.fetch(server.url("/302/there"), redirect="follow")
        assert len(server.requests) == 1
