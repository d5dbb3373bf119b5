"""TLS: the name is verified with the host's own trust."""

import asyncio
import ssl
from collections.abc import Sequence

import pytest
import trustme

from cloche.sandbox.network.refusals import TLSFailed
from tests.sandbox.network.conftest import OpenGuest, certified
from tests.sandbox.network.servers import always, answer, serve


async def here(name: str) -> Sequence[str]:
    return ["127.0.0.1"]


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "api.test"])
async def test_a_certificate_for_the_name_is_accepted(open_guest: OpenGuest, tls: ssl.SSLContext, host: str) -> None:
    async with serve(always(answer(b"x" * 1_000_000)), tls) as server:
        guest = open_guest(f"{host}:{server.port}", server.place, resolver=here)
        for _ in range(3):
            assert len((await guest.fetch(server.url(host=host))).received) == 1_000_000
        assert server.connections == 1


@pytest.mark.usefixtures("trusted")
async def test_a_certificate_for_another_name_is_refused(open_guest: OpenGuest, tls: ssl.SSLContext) -> None:
    async with serve(always(answer(b"x")), tls) as server:
        guest = open_guest(f"other.test:{server.port}", server.place, resolver=here)
        with pytest.raises(TLSFailed, match=r"certificate of other\.test is not trusted: Hostname mismatch"):
            await guest.fetch(server.url(host="other.test"))
        assert server.requests == []


@pytest.mark.usefixtures("trusted")
async def test_a_certificate_of_an_unknown_authority_is_refused(open_guest: OpenGuest) -> None:
    async with serve(always(answer(b"x")), certified(trustme.CA(), "127.0.0.1")) as server:
        with pytest.raises(TLSFailed, match=r"certificate of 127\.0\.0\.1 is not trusted"):
            await open_guest(server.place).fetch(server.url())


async def test_a_server_without_tls_is_refused(open_guest: OpenGuest) -> None:
    def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"no TLS here", "400 Bad"))
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(TLSFailed, match="no TLS connection"):
            await open_guest(place).fetch(f"https://{place}/")
