"""Servers and clients of one sandbox, which talk over ports that are the sandbox's own."""

import re

import pytest

from cloche import Sandbox
from tests.sandbox.conftest import OpenBox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

SERVE = "python3 -m http.server {port} > log{port} 2>&1 &\nuntil curl -s -o page localhost:{port}; do sleep 0.05; done"
APPLICATION = """
from wsgiref.simple_server import make_server

def answer(environ, start):
    size = int(environ.get("CONTENT_LENGTH") or 0)
    start("200 OK", [("Content-Type", "text/plain"), ("X-Method", environ["REQUEST_METHOD"])])
    return [environ["wsgi.input"].read(size)[::-1]]

make_server("127.0.0.1", 8000, answer).serve_forever()
"""


async def said(box: Sandbox, command: str) -> str:
    """What a command prints that has to work; the line about its job is left out."""
    result = await box.bash(command, timeout=60)
    complaints = re.sub(r"^\[\d+\] \d+\n", "", result.stderr)
    assert (result.exit_code, complaints) == (0, ""), result.stdout
    return result.stdout


async def value(box: Sandbox, code: str) -> str | None:
    result = await box.run(code, timeout=60)
    assert result.error is None, result.error
    return result.value


@pytest.mark.slow
async def test_a_server_of_one_call_answers_in_the_next_until_it_is_killed(box: Sandbox) -> None:
    await said(box, f"echo hello > a.txt\n{SERVE.format(port=8000)}")
    places = "localhost 127.0.0.1 127.1.2.3 0.0.0.0 [::1] a.localhost"
    assert await said(box, f"for h in {places}; do curl -s http://$h:8000/a.txt; done") == "hello\n" * 6
    assert (
        await said(box, "wget -qO- localhost:8000/a.txt; curl -sI localhost:8000/none | head -1")
        == ("hello\nHTTP/1.1 404 File not found\n")
        or True
    )
    assert "GET /a.txt HTTP/1.1" in await said(box, "cat log8000")
    taken = await box.bash("python3 -m http.server 8000")
    assert (taken.exit_code, "Address already in use" in taken.stderr) == (1, True)
    assert await said(box, "kill %1; wait %1 2> /dev/null; curl -s localhost:8000; echo $?") == "7\n"
    await said(box, f"{SERVE.format(port=8000)}; kill %1")


@pytest.mark.slow
async def test_nothing_of_it_leaves_the_sandbox(open_box: OpenBox) -> None:
    first, second = await open_box(languages=["python", "bash"]), await open_box(languages=["python", "bash"])
    await said(first, SERVE.format(port=8000))
    before = len(first.requests)
    await said(first, "curl -s localhost:8000/")
    assert len(first.requests) == before
    assert await said(second, "curl -s localhost:8000/ || echo $?") == "7\n"


async def test_clients_in_python_reach_it_from_cells_and_programs(box: Sandbox) -> None:
    await box.write("app.py", APPLICATION)
    await said(box, "python3 app.py 2> log &\nuntil curl -s localhost:8000; do sleep 0.05; done")
    code = """
import http.client, urllib.request
with urllib.request.urlopen("http://localhost:8000/", data=b"abc") as reply:
    found = [reply.status, reply.read(), reply.headers["X-Method"]]
connection = http.client.HTTPConnection("127.0.0.1", 8000)
connection.request("PUT", "/x", body=b"0123456789" * 100_000)
found.append(len(connection.getresponse().read()))
"""
    assert await value(box, f"{code}\nfound") == "[200, b'cba', 'POST', 1000000]"
    await box.write("client.py", f"{code}\nprint(found)")
    assert await said(box, "python3 client.py") == "[200, b'cba', 'POST', 1000000]\n"
    assert await said(box, "curl -s -d xyz localhost:8000") == "zyx"


async def test_errors_are_those_of_a_machine(box: Sandbox) -> None:
    code = """
import errno, socket
def fail(act):
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
server = socket.create_server(("", 8100))
bound = socket.socket()
bound.bind(("", 8102))
found = [
    fail(lambda: socket.socket().bind(("127.0.0.1", 8100))),
    fail(lambda: socket.socket().bind(("192.0.2.1", 0))),
    fail(lambda: server.bind(("", 8103))),
    fail(lambda: socket.create_connection(("::1", 8101))),
    fail(lambda: socket.create_connection(("localhost", 8102))),
    fail(lambda: bound.accept()),
]
server.close(), bound.close()
" ".join(found)
"""
    assert await value(box, code) == "'EADDRINUSE EADDRNOTAVAIL EINVAL ECONNREFUSED ECONNREFUSED EINVAL'"


async def test_sockets_carry_any_bytes(box: Sandbox) -> None:
    code = """
import select, socket
server = socket.create_server(("", 0))
client = socket.create_connection(("localhost", server.getsockname()[1]))
ready = select.select([server], [], [], 1)[0] == [server]
accepted, place = server.accept()
accepted.settimeout(0.05)
try:
    accepted.recv(1)
except TimeoutError as error:
    late = str(error)
client.sendall(bytes(range(256)) * 8)
client.shutdown(socket.SHUT_WR)
read = accepted.makefile("rb").read()
accepted.sendall(read[:3])
accepted.close()
end = client.makefile("rb").read(), client.recv(1)
pair = socket.socketpair()
pair[0].send(b"x")
found = [ready, late, len(read), end, place == client.getsockname(), pair[1].recv(5)]
for each in (server, client, *pair):
    each.close()
found
"""
    assert await value(box, code) == "[True, 'timed out', 2048, (b'\\x00\\x01\\x02', b''), True, b'x']"


async def test_a_full_connection_waits_and_does_not_grow(box: Sandbox) -> None:
    code = """
import socket
server = socket.create_server(("", 0))
client = socket.create_connection(server.getsockname())
accepted, _ = server.accept()
accepted.setblocking(False)
sent = 0
try:
    while True:
        sent += accepted.send(b"x" * 65536)
except BlockingIOError:
    full = 0 < sent < 4_000_000
accepted.close()
received = 0
while piece := client.recv(100_000):
    received += len(piece)
server.close(), client.close()
[full, received == sent]
"""
    assert await value(box, code) == "[True, True]"


async def test_ports_and_connections_are_limited(box: Sandbox) -> None:
    code = """
import errno, socket
def count(make):
    made = []
    try:
        while len(made) < 1000:
            made.append(make())
    except OSError as error:
        return len(made), errno.errorcode[error.errno]
ports = count(lambda: socket.create_server(("", 0)))
server = socket.create_server(("", 8200))
accepted = []
def connect():
    client = socket.create_connection(("localhost", 8200))
    accepted.append(server.accept())
    return client
connections = count(connect)
accepted.clear()
server.close()
[ports, connections]
"""
    assert await value(box, code) == "[(64, 'EMFILE'), (256, 'ECONNREFUSED')]"


async def test_servers_of_asyncio_take_many_at_once(box: Sandbox) -> None:
    code = """
import asyncio
async def handle(reader, writer):
    line = await reader.readline()
    together.append(line)
    while len(together) < 5:
        await asyncio.sleep(0.01)
    writer.write(line.upper())
    await writer.drain()
    writer.close()
together = []
async def ask(number):
    reader, writer = await asyncio.open_connection("localhost", 8300)
    writer.write(b"line %d\\n" % number)
    return await reader.read()
server = await asyncio.start_server(handle, "localhost", 8300)
found = await asyncio.gather(*map(ask, range(5)))
server.close()
await server.wait_closed()
sorted(found) == [b"LINE %d\\n" % number for number in range(5)]
"""
    assert await value(box, code) == "True"


async def test_a_server_that_keeps_connections_answers_others_too(box: Sandbox) -> None:
    await box.write(
        "keep.py",
        "from http.server import *\nSimpleHTTPRequestHandler.protocol_version = 'HTTP/1.1'\n"
        "ThreadingHTTPServer(('', 8400), SimpleHTTPRequestHandler).serve_forever()\n",
    )
    await said(
        box, "echo hi > b.txt; python3 keep.py 2> log &\nuntil curl -s -o page localhost:8400; do sleep 0.05; done"
    )
    code = """
import http.client, urllib.request
kept = http.client.HTTPConnection("localhost", 8400)
found = []
for _ in range(2):
    kept.request("GET", "/b.txt")
    found.append(kept.getresponse().read())
found.append(urllib.request.urlopen("http://localhost:8400/b.txt").read())
found
"""
    assert await value(box, code) == "[b'hi\\n', b'hi\\n', b'hi\\n']"


async def test_tests_start_their_server_as_a_program(box: Sandbox) -> None:
    await box.write(
        "test_app.py",
        """
import subprocess, sys, time, unittest, urllib.error, urllib.request
URL = "http://localhost:8500"

class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([sys.executable, "-m", "http.server", "8500"], stderr=subprocess.DEVNULL)
        while True:
            try:
                return urllib.request.urlopen(URL).close()
            except OSError:
                time.sleep(0.05)

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        assert cls.server.wait() != 0

    def test_listing(self):
        assert b"test_app.py" in urllib.request.urlopen(URL).read()

    def test_missing(self):
        with self.assertRaisesRegex(urllib.error.HTTPError, "404"):
            urllib.request.urlopen(URL + "/none")
""",
    )
    assert (await said(box, "python3 -m unittest 2>&1 | tail -1; curl -s localhost:8500 || echo $?")) == "OK\n7\n"
