"""requests, httpx, httpx2 and aiohttp from the package index, unchanged."""

import ssl
from collections.abc import AsyncGenerator

import pytest

from cloche import Sandbox
from cloche.sandbox.cache.snapshots import PreparedStart
from tests.sandbox.conftest import OpenBox
from tests.sandbox.network.servers import Server, always, answer, serve
from tests.sandbox.network.test_python_urllib import failed, told

pytestmark = [pytest.mark.network, pytest.mark.timeout(180)]

LIBRARIES = ("requests", "httpx", "httpx2", "aiohttp")


@pytest.fixture(scope="session")
async def equipped(site: Server, prepared: PreparedStart) -> AsyncGenerator[Sandbox]:
    """A sandbox with the libraries that may reach the site."""
    async with Sandbox(allow_net=[site.place, "127.0.0.1:1"], packages=LIBRARIES) as box:
        await box.run(f"import asyncio; site = {site.url('')!r}", check=True)
        yield box


@pytest.mark.slow
async def test_requests_gets_posts_and_follows(equipped: Sandbox) -> None:
    code = """
import requests
with requests.Session() as session:
    print(session.get(site + "/echo", params={"q": "ü"}).json()["query"], session.get(site + "/gzip").json())
    print(session.post(site + "/echo", json={"a": 1}).json()["body"], session.get(site + "/move").json()["query"])
    print(session.post(site + "/echo", files={"f": b"1" * 1000}).json()["size"] > 1000)
    print(session.put(site + "/echo", data=(b"12" for _ in range(500))).json()["size"])
    print(session.put(site + "/echo", data=bytes(3_000_000)).json()["size"], session.head(site + "/echo").status_code)
"""
    assert (await told(equipped, code)).splitlines() == [
        "q=%C3%BC {'packed': True}", '{"a": 1} moved', "True", "1000", "3000000 200",
    ]  # fmt: skip


async def test_requests_streams(equipped: Sandbox) -> None:
    code = """
import requests
with requests.get(site + "/big?100", stream=True) as response:
    print(sum(len(piece) for piece in response.iter_content(1 << 20)) >> 20)
"""
    assert await told(equipped, code) == "100"


async def test_requests_raises_its_own_errors(equipped: Sandbox) -> None:
    refused = await failed(equipped, "import requests\nrequests.get('http://example.com/')")
    assert refused.startswith("ConnectionError")
    assert "add 'example.com:80' to allow_net" in refused
    assert (await failed(equipped, "requests.get(site + '/never', timeout=0.2)")).startswith("ReadTimeout")
    assert (await failed(equipped, "requests.get('http://127.0.0.1:1/')")).startswith("ConnectionError")


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
async def test_httpx_works_in_both_manners(equipped: Sandbox, library: str) -> None:
    code = f"""
import {library} as httpx
with httpx.Client(follow_redirects=True) as client:
    print(client.get(site + "/move").json()["query"], client.post(site + "/echo", content=b"12").json()["body"])
    print(client.get(site + "/gzip").json())
async with httpx.AsyncClient() as client:
    print((await client.post(site + "/echo", json=[1])).json()["body"])
    async with client.stream("GET", site + "/big?20") as response:
        print(sum([len(piece) async for piece in response.aiter_bytes()]) >> 20)
"""
    lines = ["moved 12", "{'packed': True}", "[1]", "20"]
    assert (await told(equipped, code)).splitlines() == lines
    for call in ("httpx.get({})", "await httpx.AsyncClient().get({})"):
        refused = await failed(equipped, call.format("'http://example.com/'"))
        assert refused.startswith("ConnectError")
        assert "add 'example.com:80' to allow_net" in refused
        assert (await failed(equipped, call.format("site + '/never', timeout=0.2"))).startswith("ReadTimeout")


@pytest.mark.parametrize(
    "many",
    [
        "async with httpx.AsyncClient() as c: print([(await c.get(f'{u}?{i}')).text for i in ()] or "
        "''.join(r.text for r in await asyncio.gather(*[c.get(f'{u}?{i}') for i in range(10)])))",
        "async with aiohttp.ClientSession() as c:\n    async def one(i):\n        async with c.get(f'{u}?{i}') as r: "
        "return await r.text()\n    print(''.join(await asyncio.gather(*[one(i) for i in range(10)])))",
    ],
    ids=["httpx", "aiohttp"],
)
async def test_ten_requests_run_at_once(equipped: Sandbox, many: str) -> None:
    code = f"import aiohttp, asyncio, httpx\nu = site + '/together'\n{many}"
    assert await told(equipped, code) == "0123456789"


async def test_aiohttp_works(equipped: Sandbox) -> None:
    code = """
import aiohttp
async with aiohttp.ClientSession() as session:
    async with session.post(site + "/echo", data={"a": "1"}) as response: print((await response.json())["body"])
    async with session.get(site + "/move") as response: print(response.url.query_string)
    async with session.put(site + "/echo", data=bytes(3_000_000)) as response: print((await response.json())["size"])
    async with session.get(site + "/big?20") as response:
        print(sum([len(piece) async for piece in response.content.iter_chunked(1 << 20)]) >> 20)
"""
    assert (await told(equipped, code)).splitlines() == ["a=1", "moved", "3000000", "20"]
    refused = await failed(equipped, "async with aiohttp.ClientSession() as c: await c.get('http://example.com/')")
    assert refused.startswith("ClientConnector")
    assert "add 'example.com:80' to allow_net" in refused


@pytest.mark.usefixtures("trusted")
@pytest.mark.slow
async def test_all_of_them_speak_https(open_box: OpenBox, tls: ssl.SSLContext) -> None:
    async with serve(always(answer(b"page")), tls) as server:
        box = await open_box(allow_net=[f"localhost:{server.port}", server.place], packages=LIBRARIES)
        code = f"""
import aiohttp, httpx, httpx2, requests
url = {server.url(host="localhost")!r}
print(requests.get(url).text, httpx.get(url).text, httpx2.get(url).text)
async with httpx.AsyncClient() as client: print((await client.get(url)).text)
async with httpx2.AsyncClient() as client: print((await client.get(url)).text)
async with aiohttp.ClientSession() as session, session.get(url) as response: print(await response.text())
"""
        assert (await told(box, code)).split() == ["page"] * 6


async def test_a_certificate_that_is_not_trusted_is_an_error_of_each(open_box: OpenBox, tls: ssl.SSLContext) -> None:
    async with serve(always(answer(b"page")), tls) as server:
        box = await open_box(allow_net=[server.place], packages=["requests"])
        assert (await failed(box, f"import requests\nrequests.get({server.url()!r})")).startswith("SSLError")
