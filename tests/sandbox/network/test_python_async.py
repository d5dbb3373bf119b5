"""asyncio, pyfetch and interrupts: many requests at once, and ends that come from outside."""

from functools import partial

import anyio
import pytest

from cloche import Sandbox
from cloche.sandbox.network.request_log import NetworkRequest
from cloche.sandbox.results.result import Result
from tests.sandbox.conftest import OpenBox
from tests.sandbox.network.pages import Pages
from tests.sandbox.network.servers import Server, serve
from tests.sandbox.network.test_python_urllib import failed, told


async def test_pyfetch_gives_what_pyodide_gives(surfer: Sandbox) -> None:
    code = """
from pyodide.http import pyfetch
response = await pyfetch(site + "/gzip")
print(response.status, response.ok, response.headers["content-encoding"], await response.clone().json())
print((await response.bytes())[:5], response.body_used, response.redirected, response.url == site + "/gzip")
response = await pyfetch(site + "/move", method="POST", body="text", headers={"X-A": "b"})
print(response.redirected, (await response.json())["headers"]["x-a"])
"""
    assert (await told(surfer, code)).splitlines() == [
        "200 True gzip {'packed': True}",
        "b'{\"pac' True False True",
        "True b",
    ]
    errors = "from pyodide.http import pyfetch\n(await pyfetch(site + '/missing')).raise_for_status()"
    assert (await failed(surfer, errors)).startswith("HttpStatusError: 404 Client Error: Not Found for url: http://")


async def test_open_url_and_pyxhr_need_no_await(surfer: Sandbox) -> None:
    code = """
from pyodide.http import open_url, pyxhr
print(open_url(site + "/gzip").read(), pyxhr.post(site + "/echo", json=[1], params={"q": 2}).json()["query"])
"""
    assert await told(surfer, code) == '{"packed": true} q=2'


async def test_an_archive_is_fetched_and_unpacked(surfer: Sandbox) -> None:
    code = """
from pyodide.http import pyfetch
import pyodide.http, io, zipfile
data = io.BytesIO()
with zipfile.ZipFile(data, "w") as archive: archive.writestr("inside.txt", "hello")
response = await pyfetch(site + "/echo")
response._fetch._content = data.getvalue()
await response.unpack_archive(extract_dir="unpacked", format="zip")
print(open("unpacked/inside.txt").read())
"""
    assert await told(surfer, code) == "hello"


async def test_streams_of_asyncio_work(surfer: Sandbox) -> None:
    code = """
import asyncio
reader, writer = await asyncio.open_connection("127.0.0.1", port)
for _ in range(2):
    writer.write(b"POST /echo HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 3\\r\\n\\r\\nabc")
    await writer.drain()
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    size = int(head.lower().partition(b"content-length:")[2].split()[0])
    print(head.split(b"\\r\\n")[0], (await reader.readexactly(size))[-1:])
writer.close(); await writer.wait_closed()
"""
    assert (await told(surfer, code)).splitlines() == ["b'HTTP/1.1 200 OK' b'}'"] * 2


@pytest.mark.parametrize("each", ["one_by_pyfetch", "one_by_stream"])
async def test_ten_requests_run_at_once(open_box: OpenBox, each: str) -> None:
    async with serve(Pages()) as server:
        box = await open_box(allow_net=[server.place])
        code = f"""
import asyncio
from pyodide.http import pyfetch
async def one_by_pyfetch(number):
    return await (await pyfetch(f"{server.url("/together")}?{{number}}")).text()
async def one_by_stream(number):
    reader, writer = await asyncio.open_connection("127.0.0.1", {server.port})
    writer.write(f"GET /together?{{number}} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n".encode())
    return (await reader.read())[-1:].decode()
print("".join(await asyncio.gather(*[{each}(number) for number in range(10)])))
"""
        assert await told(box, code) == "0123456789"


async def test_a_hundred_requests_wait_for_their_turn(surfer: Sandbox) -> None:
    code = """
import asyncio
from pyodide.http import pyfetch
async def one(number): return (await (await pyfetch(f"{site}/echo?{number}")).json())["query"]
print(await asyncio.gather(*[one(number) for number in range(100)]) == [str(number) for number in range(100)])
"""
    assert await told(surfer, code) == "True"


BY_SOCKET = "import urllib.request\nurllib.request.urlopen({!r})"
BY_FETCH = "from pyodide.http import pyfetch\nawait pyfetch({!r})"
BY_STREAM = """
import asyncio
r, w = await asyncio.open_connection("127.0.0.1", int({!r}.split(":")[2].split("/")[0]))
try:
    w.write(b"GET /never HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    await r.read()
finally: w.close()
"""


@pytest.mark.parametrize("code", [BY_SOCKET, BY_FETCH, BY_STREAM], ids=["socket", "pyfetch", "stream"])
async def test_an_interrupt_ends_a_slow_request_at_once(open_box: OpenBox, code: str) -> None:
    async with serve(Pages()) as server:
        ended = anyio.Event()
        box = await open_box(allow_net=[server.place], on_request=partial(note, ended))
        await box.run("kept = 42", check=True)
        result = await interrupted(box, code.format(server.url("/never")), server)
        assert result.error is not None
        assert (result.error.type, result.state) == ("KeyboardInterrupt", "kept")
        with anyio.fail_after(5):
            await ended.wait()
        assert box.requests[-1].refused == "Cancelled"
        assert (await box.run("kept", check=True)).value == "42"


def note(ended: anyio.Event, _: NetworkRequest) -> None:
    ended.set()


async def interrupted(box: Sandbox, code: str, server: Server) -> Result:
    """Interrupts a cell when its request has come to the server."""
    results: list[Result] = []

    async def run() -> None:
        results.append(await box.run(code, timeout=15))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await server.begun.wait()
            assert await box.interrupt()
    return results[0]


async def test_a_timeout_of_the_run_ends_a_slow_request(surfer: Sandbox) -> None:
    # Compiling a module is one long step, which on a busy machine cannot be interrupted in time.
    await surfer.run("import urllib.request", check=True)
    result = await surfer.run(BY_SOCKET.format("x").replace("'x'", "site + '/never'"), timeout=0.5)
    assert (result.timed_out, result.state) == (True, "kept")
    assert (await surfer.run("port > 0", check=True)).value == "True"


async def test_a_task_that_is_cancelled_lets_go_of_its_request(open_box: OpenBox) -> None:
    async with serve(Pages()) as server:
        ended = anyio.Event()
        box = await open_box(allow_net=[server.place], on_request=partial(note, ended))
        code = f"""
import asyncio
from pyodide.http import pyfetch
try: await asyncio.wait_for(pyfetch({server.url("/never")!r}), 0.2)
except TimeoutError: print("late")
"""
        assert await told(box, code) == "late"
        with anyio.fail_after(5):
            await ended.wait()
        assert box.requests[-1].refused == "Cancelled"
