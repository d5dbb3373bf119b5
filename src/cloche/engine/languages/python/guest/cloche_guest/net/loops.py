"""The network methods of an event loop: connections, TLS, names; servers and datagrams are refused."""

from __future__ import annotations

import socket
import ssl as tls
from typing import Any, NoReturn

from cloche_guest.net import names
from cloche_guest.net.connection import Connection
from cloche_guest.net.refusal import not_http
from cloche_guest.net.sockets import Socket
from cloche_guest.net.transport import HttpTransport


async def _refuse_server(*_args: Any, **_options: Any) -> NoReturn:
    raise not_http("a server cannot be opened")


async def _refuse_datagrams(*_args: Any, **_options: Any) -> NoReturn:
    raise not_http("datagrams cannot be sent or received")


async def _refuse_unix(*_args: Any, **_options: Any) -> NoReturn:
    raise not_http("only places on the internet can be connected to")


class NetworkLoop:
    """The part of an event loop that is about the network."""

    create_server = create_unix_server = connect_accepted_socket = sock_accept = _refuse_server
    create_datagram_endpoint = sock_recvfrom = sock_recvfrom_into = sock_sendto = _refuse_datagrams
    create_unix_connection = _refuse_unix

    async def getaddrinfo(
        self, host: Any, port: Any, *, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> Any:
        """Look a name up, and check that it may be reached: some libraries lose the reason why connecting failed."""
        found = names.getaddrinfo(host, port, family, type, proto, flags)
        if host is not None and found and not names.is_address(names.text_of(host)):
            await Connection(names.text_of(host), found[0][4][1]).reach_async()
        return found

    async def getnameinfo(self, sockaddr: Any, flags: int = 0) -> Any:
        """Look an address up."""
        return names.getnameinfo(sockaddr, flags)

    async def create_connection(
        self,
        protocol_factory: Any,
        host: Any = None,
        port: Any = None,
        *,
        ssl: Any = None,
        sock: Any = None,
        server_hostname: Any = None,
        **_options: Any,
    ) -> tuple[HttpTransport, Any]:
        """Open a connection for HTTP."""
        if server_hostname is None and ssl:
            if not host:
                raise ValueError("You must set server_hostname when using ssl without a host")
            server_hostname = host
        if sock is None:
            if host is None or port is None:
                raise ValueError("host and port was not specified and no sock specified")
            sock = await self._open(host, port)
        elif not isinstance(sock, Socket) or sock.type != socket.SOCK_STREAM:
            raise ValueError(f"A Stream Socket was expected, got {sock!r}")
        protocol = protocol_factory()
        extra = _secured(ssl, server_hostname) if ssl else {}
        transport = HttpTransport(self, sock, protocol, {})
        if ssl:
            transport.secure(extra)
        protocol.connection_made(transport)
        return transport, protocol

    async def _open(self, host: Any, port: Any) -> Socket:
        family, kind, proto, _, address = names.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = Socket(family, kind, proto)
        await self.sock_connect(sock, address)
        return sock

    async def start_tls(
        self,
        transport: Any,
        protocol: Any,
        sslcontext: Any,
        *,
        server_side: bool = False,
        server_hostname: Any = None,
        **_options: Any,
    ) -> HttpTransport:
        """Continue over TLS."""
        if server_side or not isinstance(transport, HttpTransport):
            raise not_http("TLS cannot be started here")
        transport.secure(_secured(sslcontext, server_hostname))
        transport.set_protocol(protocol)
        return transport

    async def sock_connect(self, sock: Any, address: Any) -> None:
        """Connect a socket."""
        connection = sock.open_connection(address)
        await connection.reach_async()
        sock.connection = connection

    async def sock_recv(self, sock: Any, nbytes: int) -> bytes:
        """Receive from a socket."""
        buffer = bytearray(nbytes)
        return bytes(memoryview(buffer)[: await self.sock_recv_into(sock, buffer)])

    async def sock_recv_into(self, sock: Any, buf: Any) -> int:
        """Receive from a socket into a buffer."""
        view = memoryview(buf).cast("B")
        while (size := sock.connection.take(view)) < 0:
            await sock.connection.wait_async()
        return size

    async def sock_sendall(self, sock: Any, data: Any) -> None:
        """Send all of it over a socket."""
        connection = sock.connection
        connection.write(memoryview(data).cast("B"))
        if connection.sending is not None and connection.sending.backlog:
            await connection.sending.wait_room_async()


def _secured(context: Any, server_hostname: Any) -> dict[str, Any]:
    if not isinstance(context, tls.SSLContext):
        context = tls.create_default_context()
    shown = context.wrap_bio(tls.MemoryBIO(), tls.MemoryBIO(), server_hostname=server_hostname or None)
    return {
        "sslcontext": context, "ssl_object": shown, "peercert": shown.getpeercert(), "cipher": shown.cipher(),
        "compression": None,
    }  # fmt: skip
