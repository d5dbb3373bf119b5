"""urllib and http.client of the guest, over the broker."""

import json

import pytest

from cloche import Sandbox
from tests.sandbox.conftest import OpenBox
from tests.sandbox.network.servers import Server


async def told(box: Sandbox, code: str) -> str:
    """What a cell prints."""
    return (await box.run(code, check=True, timeout=60)).stdout.strip()


async def failed(box: Sandbox, code: str) -> str:
    """How a cell fails."""
    result = await box.run(code, timeout=60)
    assert result.error is not None
    return f"{result.error.type}: {result.error.message}"


async def test_urllib_gets_and_posts(surfer: Sandbox) -> None:
    code = """
import urllib.request
request = urllib.request.Request(site + "/echo?a=1", data=b"some=data", headers={"X-Mine": "yes"})
with urllib.request.urlopen(request) as answer: print(answer.status, answer.read().decode())
"""
    status, _, body = (await told(surfer, code)).partition(" ")
    echoed = json.loads(body)
    assert (status, echoed["method"], echoed["query"], echoed["body"]) == ("200", "POST", "a=1", "some=data")
    assert echoed["headers"]["x-mine"] == "yes"


async def test_urllib_follows_redirects_and_raises_for_errors(surfer: Sandbox) -> None:
    code = (
        "import urllib.request, urllib.error\nprint(urllib.request.urlopen(site + '/move').url == site + '/echo?moved')"
    )
    assert await told(surfer, code) == "True"
    code = """
try: urllib.request.urlopen(site + "/missing")
except urllib.error.HTTPError as error: print(error.code, error.read())
"""
    assert await told(surfer, code) == "404 b'nothing here'"


async def test_http_client_sends_many_requests_over_one_connection(surfer: Sandbox) -> None:
    code = """
import http.client
connection = http.client.HTTPConnection("127.0.0.1", port)
for method in ("GET", "HEAD", "PUT", "GET"):
    connection.request(method, "/echo", body=b"12" if method == "PUT" else None)
    answer = connection.getresponse()
    print(answer.status, len(answer.read()) > 0, connection.sock is not None)
"""
    lines = ["200 True True", "200 False True", "200 True True", "200 True True"]
    assert (await told(surfer, code)).splitlines() == lines


async def test_a_body_without_a_length_is_read_to_its_end(surfer: Sandbox) -> None:
    assert await told(surfer, "import urllib.request\nprint(urllib.request.urlopen(site + '/chunks').read())") == (
        "b'abcdefg'"
    )


async def test_a_body_that_breaks_off_is_noticed(surfer: Sandbox) -> None:
    error = await failed(surfer, "import urllib.request\nurllib.request.urlopen(site + '/cut').read()")
    assert error.startswith(("IncompleteRead", "ConnectionResetError"))


async def test_a_body_in_chunks_goes_up_as_it_is_made(surfer: Sandbox) -> None:
    code = """
import http.client, json
connection = http.client.HTTPConnection("127.0.0.1", port)
connection.request("POST", "/echo", body=(bytes(100_000) for _ in range(30)), encode_chunked=True)
print(json.loads(connection.getresponse().read())["size"])
"""
    assert await told(surfer, code) == "3000000"


@pytest.mark.slow
async def test_a_large_body_passes_through_little_memory(site: Server, open_box: OpenBox) -> None:
    box = await open_box(allow_net=[site.place], memory_mb=128)
    code = f"""
import urllib.request
size = 0
with urllib.request.urlopen({site.url("/big?200")!r}) as answer:
    while piece := answer.read(1 << 20): size += len(piece)
print(size >> 20)
"""
    assert await told(box, code) == "200"


async def test_a_large_upload_passes_through_little_memory(site: Server, open_box: OpenBox) -> None:
    box = await open_box(allow_net=[site.place], memory_mb=128)
    code = f"""
import http.client, json
connection = http.client.HTTPConnection("127.0.0.1", {site.port})
headers = {{"Content-Length": str(30 << 20)}}
connection.request("PUT", "/echo", body=(bytes(1 << 20) for _ in range(30)), headers=headers)
print(json.loads(connection.getresponse().read())["size"] >> 20)
"""
    assert await told(box, code) == "30"


async def test_a_timeout_of_the_client_counts(surfer: Sandbox) -> None:
    code = "import urllib.request\nurllib.request.urlopen(site + '/never', timeout=0.2)"
    assert await failed(surfer, code) == "TimeoutError: timed out"


async def test_continue_is_said_to_who_waits_for_it(surfer: Sandbox) -> None:
    code = """
import socket
with socket.create_connection(("127.0.0.1", port)) as s:
    s.sendall(b"PUT /echo HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\nExpect: 100-continue\\r\\n\\r\\n")
    print(s.recv(100))
    s.sendall(b"ab")
    print(s.recv(15))
"""
    assert (await told(surfer, code)).splitlines() == ["b'HTTP/1.1 100 Continue\\r\\n\\r\\n'", "b'HTTP/1.1 200 OK'"]


async def test_a_socket_takes_its_arguments_by_name(surfer: Sandbox) -> None:
    code = """
import socket
with socket.create_connection(("127.0.0.1", port)) as s:
    s.sendall(b"GET /echo HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
    buffer = bytearray(20)
    print(s.recv_into(buffer=buffer, nbytes=8), buffer[:8], s.recvfrom_into(buffer, nbytes=4)[0])
"""
    assert await told(surfer, code) == "8 bytearray(b'HTTP/1.1') 4"


@pytest.mark.parametrize("many", ["select.select([s], [], [], {})[0]", "poll.poll({} * 1000)", "chosen.select({})"])
async def test_waiting_for_several_sockets_works(surfer: Sandbox, many: str) -> None:
    code = f"""
import select, selectors, socket
s = socket.create_connection(("127.0.0.1", port))
s.setblocking(False)
poll = select.poll(); poll.register(s, select.POLLIN)
chosen = selectors.DefaultSelector(); chosen.register(s, selectors.EVENT_READ)
print(bool({many.format(0)}))
s.send(b"GET /echo HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
print(bool({many.format(10)}), s.recv(15))
try: s.recv(100_000), s.recv(10)
except BlockingIOError: print("blocks")
s.close()
"""
    first, second = (await told(surfer, code)).splitlines()[:2]
    assert (first, second) == ("False", "True b'HTTP/1.1 200 OK'")
