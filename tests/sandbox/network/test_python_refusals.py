"""The errors that Python in a sandbox gets when it may not, or cannot, reach something."""

import ssl

import pytest

from cloche import Sandbox
from tests.sandbox.conftest import OpenBox
from tests.sandbox.network.servers import always, answer, serve
from tests.sandbox.network.test_python_urllib import failed, told


async def test_without_a_network_the_error_says_how_to_get_one(box: Sandbox) -> None:
    error = await failed(box, "import urllib.request\nurllib.request.urlopen('http://example.com/')")
    assert error.startswith("URLError: <urlopen error")
    assert (
        'this sandbox has no network, so example.com:80 cannot be reached: open it with allow_net=["example.com:80"]'
        in error
    )
    assert "--allow-net example.com:80 (CLI)" in error
    error = await failed(box, "import socket\nsocket.create_connection(('example.com', 443))")
    assert error.startswith("PermissionError")
    assert "example.com:443" in error


async def test_what_is_not_listed_is_refused_by_name(surfer: Sandbox) -> None:
    error = await failed(surfer, "import urllib.request\nurllib.request.urlopen('https://example.com/')")
    assert "this sandbox may not reach example.com:443: add 'example.com:443' to allow_net" in error
    error = await failed(surfer, FETCH)
    assert error.startswith("PermissionError")
    assert surfer.requests[-1].refused == "NotAllowed"


FETCH = "from pyodide.http import pyfetch\nawait pyfetch('https://example.com/')"


async def test_failures_are_the_errors_that_programs_expect(surfer: Sandbox) -> None:
    get = "import urllib.request\ntry: urllib.request.urlopen({!r})\nexcept OSError as error: print(type(error.reason))"
    assert await told(surfer, get.format("http://127.0.0.1:1/")) == "<class 'ConnectionRefusedError'>"
    assert await told(surfer, get.format("http://nowhere.invalid/")) == "<class 'socket.gaierror'>"


@pytest.mark.parametrize(
    "code",
    [
        "import socket\nsocket.create_connection(('127.0.0.1', port)).sendall(b'\\x00\\x01')",
        "import socket\nsocket.create_connection(('127.0.0.1', port)).sendall(b'EHLO me\\r\\n\\r\\n')",
        "import socket\nsocket.create_connection(('127.0.0.1', port)).recv(1)",
        "import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
        "import socket\nsocket.socket(1).connect('/tmp/s')",
        "import asyncio\nr, w = await asyncio.open_connection('127.0.0.1', port)\nw.write(b'\\x00'); await r.read()",
        "import http.client\nc = http.client.HTTPConnection('127.0.0.1', port)\n"
        "c.set_tunnel('a'); c.request('GET', '/')",
        "import http.client\nhttp.client.HTTPConnection('127.0.0.1', port).request('GET', 'http://other/')",
        "import http.client\nhttp.client.HTTPConnection('127.0.0.1', port).request("
        "'GET', '/', headers={'Connection': 'Upgrade', 'Upgrade': 'websocket'})",
    ],
)
async def test_what_is_not_http_gets_one_clear_error(surfer: Sandbox, code: str) -> None:
    error = await failed(surfer, code)
    assert error.startswith("OSError")
    assert "this sandbox has no raw network, only HTTP and HTTPS requests" in error


@pytest.mark.usefixtures("trusted")
async def test_https_is_done_by_the_host(open_box: OpenBox, tls: ssl.SSLContext) -> None:
    async with serve(always(answer(b"secret page")), tls) as server:
        box = await open_box(allow_net=[f"localhost:{server.port}", server.place])
        url = server.url(host="localhost")
        assert (
            await told(box, f"import urllib.request\nprint(urllib.request.urlopen({url!r}).read())") == "b'secret page'"
        )
        code = f"""
import asyncio, ssl
reader, writer = await asyncio.open_connection("localhost", {server.port}, ssl=True)
writer.write(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
print(await reader.readline(), writer.get_extra_info("ssl_object").version())
writer.close()
"""
        assert await told(box, code) == "b'HTTP/1.1 200 OK\\r\\n' TLSv1.3"


async def test_a_certificate_that_is_not_trusted_is_an_error_of_ssl(open_box: OpenBox, tls: ssl.SSLContext) -> None:
    async with serve(always(answer(b"x")), tls) as server:
        box = await open_box(allow_net=[server.place])
        code = f"""
import ssl, urllib.request
try: urllib.request.urlopen({server.url()!r})
except OSError as error: print(isinstance(error.reason, ssl.SSLCertVerificationError), error.reason)
"""
        said = await told(box, code)
        assert said.startswith("True")
        assert "the certificate of 127.0.0.1 is not trusted" in said


async def test_names_have_addresses_that_lead_back_to_them(surfer: Sandbox) -> None:
    code = """
import socket
found = socket.getaddrinfo("example.com", "https", type=socket.SOCK_STREAM)
print(len(found), found[0][4][1], socket.gethostbyaddr(found[0][4][0])[0], socket.gethostbyname("localhost"))
"""
    assert await told(surfer, code) == "1 443 example.com 127.0.0.1"
