"""The network methods of an event loop: connections, servers, TLS, names; datagrams are refused."""

from __future__ import annotations

import asyncio
import socket
import ssl as tls
from asyncio.base_events import Server
from typing import Any, NoReturn

from cloche_guest.net import names
from cloche_guest.net.connection import Connection
from cloche_guest.net.loopback import open_local_async
from cloche_guest.net.refusal import not_http
from cloche_guest.net.sockets import Socket
from cloche_guest.net.transport import HttpTransport, LocalTransport, open_transport


async def _refuse_datagrams(*_args: Any, **_options: Any) -> NoReturn:
    raise not_http("datagrams cannot be sent or received")


async def _refuse_unix(*_args: Any, **_options: Any) -> NoReturn:
    raise not_http("only places on the internet can be used")


class NetworkLoop:
    """The part of an event loop that is about the network."""

    create_datagram_endpoint = sock_recvfrom = sock_recvfrom_into = sock_sendto = _refuse_datagrams
    create_unix_connection = create_unix_server = _refuse_unix
    _accepting: dict[int, asyncio.Task[None]] | None = None
    """The tasks of the servers, by their sockets' numbers."""

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
        if ssl:
            sock.connection.secure = True
        transport = open_transport(self, sock, protocol, extra)
        return transport, protocol

    async def create_server(
        self,
        protocol_factory: Any,
        host: Any = None,
        port: Any = None,
        *,
        family: int = 0,
        flags: int = socket.AI_PASSIVE,
        sock: Any = None,
        backlog: int = 100,
        ssl: Any = None,
        start_serving: bool = True,
        **_options: Any,
    ) -> Server:
        """Open a server at a port of the sandbox."""
        if ssl:
            raise not_http("a server inside the sandbox cannot speak TLS")
        if sock is None:
            sock = self._bind(host, port, family, flags)
        elif host is not None or port is not None:
            raise ValueError("host/port and sock can not be specified at the same time")
        loop: Any = self
        server = Server(loop, [sock], protocol_factory, None, backlog, None, None)
        if start_serving:
            server._start_serving()
            await asyncio.sleep(0)
        return server

    def _bind(self, host: Any, port: Any, family: int, flags: int) -> Socket:
        # One port serves all addresses, so the first one is enough.
        first = host if isinstance(host, (str, bytes)) or not host else next(iter(host))
        found = names.getaddrinfo(first or None, port, family, socket.SOCK_STREAM, 0, flags)[0]
        sock = Socket(*found[:3])
        try:
            sock.bind(found[4])
        except OSError as error:
            text = f"error while attempting to bind on address {found[4]!r}: {str(error.strerror).lower()}"
            raise OSError(error.errno, text) from None
        return sock

    def _start_serving(
        self, protocol_factory: Any, sock: Any, sslcontext: Any, server: Any, *_more: Any, **_options: Any
    ) -> None:
        accepting = self._accepting = self._accepting or {}
        accepting[sock.fileno()] = self.create_task(self._serve(protocol_factory, sock, server))

    def _stop_serving(self, sock: Any) -> None:
        task = (self._accepting or {}).pop(sock.fileno(), None)
        if task is not None:
            task.cancel()
        sock.close()

    async def _serve(self, protocol_factory: Any, sock: Any, server: Any) -> None:
        while True:
            connected, _ = sock.accepted(await sock.listener.accept_async())
            open_transport(self, connected, protocol_factory(), server=server)

    async def connect_accepted_socket(self, protocol_factory: Any, sock: Any, **_options: Any) -> Any:
        """Serve a connection that was accepted elsewhere."""
        protocol = protocol_factory()
        return open_transport(self, sock, protocol), protocol

    async def sock_accept(self, sock: Any) -> tuple[Socket, Any]:
        """Accept a connection."""
        return sock.accepted(await sock.listener.accept_async())

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
        if server_side or not isinstance(transport, HttpTransport) or isinstance(transport, LocalTransport):
            raise not_http("TLS cannot be started here")
        transport.secure(_secured(sslcontext, server_hostname))
        transport.set_protocol(protocol)
        return transport

    async def sock_connect(self, sock: Any, address: Any) -> None:
        """Connect a socket."""
        if port := sock.local_port(address):
            local = await open_local_async(port)
            if local is not None:
                sock.connection = local
                return
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
