"""The ssl module of the guest: the host speaks TLS and verifies certificates; here connections are only marked."""

from __future__ import annotations

import errno
import os
import ssl
from typing import Any, NoReturn

from cloche_guest.net.connection import TLS_HELLO
from cloche_guest.net.names import text_of
from cloche_guest.net.refusal import not_http
from cloche_guest.net.sockets import Socket, take_over

_VERSION = "OpenSSL 3.5.0"
_CIPHER = ("TLS_AES_256_GCM_SHA384", "TLSv1.3", 256)
_HTTP = "http/1.1"


class _Session:
    """Facts about a TLS connection that SSLSocket and SSLObject both report."""

    __slots__ = ()
    context: Any
    server_hostname: str | None
    server_side = False
    session = None
    session_reused = False

    def getpeercert(self, binary_form: bool = False) -> Any:
        """The name that the host has verified; the certificate itself stays there."""
        if binary_form:
            return None
        if self.context.verify_mode == ssl.CERT_NONE or not self.server_hostname:
            return {}
        name = self.server_hostname
        kind = "IP Address" if name.replace(".", "").isdigit() or ":" in name else "DNS"
        return {"subject": ((("commonName", name),),), "subjectAltName": ((kind, name),)}

    def selected_alpn_protocol(self) -> str | None:
        """HTTP/1.1 if that was offered."""
        return _HTTP if _HTTP in getattr(self.context, "_alpn", ()) else None

    def selected_npn_protocol(self) -> None:
        """Next protocol negotiation no longer exists."""

    def cipher(self) -> tuple[str, str, int]:
        return _CIPHER

    def shared_ciphers(self) -> None:
        """Only servers know them."""

    def compression(self) -> None:
        """TLS 1.3 has none."""

    def version(self) -> str:
        return _CIPHER[1]

    def get_channel_binding(self, cb_type: str = "tls-unique") -> None:
        """The channel belongs to the host."""

    def get_verified_chain(self) -> list[bytes]:
        return []

    def get_unverified_chain(self) -> list[bytes]:
        return []


class SSLSocket(_Session, Socket):
    """A socket whose requests the host sends over TLS."""

    __slots__ = ("context", "server_hostname")

    def __init__(self, *_args: Any, **_options: Any) -> None:
        raise TypeError("SSLSocket does not have a public constructor. Instances are returned by wrap_socket().")

    def open_connection(self, address: Any) -> Any:
        connection = super().open_connection(address)
        connection.secure = True
        return connection

    @property
    def _sslobj(self) -> SSLSocket:
        # Libraries read the negotiated protocol here.
        return self

    def do_handshake(self, block: bool = False) -> None:
        """The host does it with the first request."""

    def read(self, len: int = 1024, buffer: Any = None) -> Any:
        return self.recv(len) if buffer is None else self.recv_into(buffer, len)

    def write(self, data: Any) -> int:
        return self.send(data)

    def pending(self) -> int:
        return 0

    def unwrap(self) -> NoReturn:
        raise not_http("TLS cannot be taken off a connection")


class SSLObject(_Session):
    """TLS in memory: bytes pass unchanged, after a marker that makes the connection secure."""

    __slots__ = ("_incoming", "_outgoing", "context", "server_hostname")

    def __init__(self, context: Any, incoming: Any, outgoing: Any, server_hostname: str | None) -> None:
        self.context, self.server_hostname = context, server_hostname
        self._incoming, self._outgoing = incoming, outgoing

    def do_handshake(self) -> None:
        """Make the connection secure."""
        self._outgoing.write(TLS_HELLO)

    def read(self, len: int = 1024, buffer: Any = None) -> Any:
        data = self._incoming.read(len)
        if not data and not self._incoming.eof:
            raise ssl.SSLWantReadError(ssl.SSL_ERROR_WANT_READ, "The operation did not complete (read)")
        if buffer is None:
            return data
        buffer[: data.__len__()] = data
        return data.__len__()

    def write(self, data: Any) -> int:
        return self._outgoing.write(data)

    def pending(self) -> int:
        return self._incoming.pending

    def unwrap(self) -> None:
        """There is no closing message."""


def _wrap_socket(
    self: Any,
    sock: Any,
    server_side: bool = False,
    do_handshake_on_connect: bool = True,
    suppress_ragged_eofs: bool = True,
    server_hostname: Any = None,
    session: Any = None,
) -> Any:
    """Wrap a socket: what is sent over it goes over TLS."""
    _check(self, server_side, server_hostname)
    if not isinstance(sock, Socket):
        raise not_http("only a socket can be wrapped")
    wrapped = take_over(self.sslsocket_class or SSLSocket, sock)
    wrapped.context, wrapped.server_hostname = self, _name(server_hostname)
    if wrapped._connection is not None:
        wrapped._connection.secure = True
    return wrapped


def _wrap_bio(
    self: Any,
    incoming: Any,
    outgoing: Any,
    server_side: bool = False,
    server_hostname: Any = None,
    session: Any = None,
) -> SSLObject:
    """Wrap two buffers: what goes through them goes over TLS."""
    _check(self, server_side, server_hostname)
    return SSLObject(self, incoming, outgoing, _name(server_hostname))


def _check(context: Any, server_side: bool, server_hostname: Any) -> None:
    if server_side:
        raise not_http("a server cannot be opened")
    if context.check_hostname and not server_hostname:
        raise ValueError("check_hostname requires server_hostname")


def _name(server_hostname: Any) -> str | None:
    return None if server_hostname is None else text_of(server_hostname)


def _set_alpn_protocols(self: Any, alpn_protocols: Any) -> None:
    """Remember the offered protocols."""
    self._alpn = tuple(alpn_protocols)


def _load_verify_locations(self: Any, cafile: Any = None, capath: Any = None, cadata: Any = None) -> None:
    """Only check that the file exists: the host has its own authorities."""
    if cafile is None and capath is None and cadata is None:
        raise TypeError("cafile, capath and cadata cannot be all omitted")
    for path in (cafile, capath):
        if path is not None and not os.path.exists(path):  # noqa: PTH110 - may be bytes
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)


def _load_cert_chain(self: Any, certfile: Any, keyfile: Any = None, password: Any = None) -> NoReturn:
    """Keys of the guest are of no use to the host."""
    raise not_http("a client certificate cannot be used")


def _get_server_certificate(addr: Any, ssl_version: Any = None, ca_certs: Any = None, timeout: Any = None) -> NoReturn:
    """The certificate stays with the host."""
    raise not_http("the certificate of a server cannot be seen")


def install() -> None:
    """Install everything in the ssl module."""
    context = ssl.SSLContext
    for kind in (SSLSocket, SSLObject):
        kind.__module__ = "ssl"
        setattr(ssl, kind.__name__, kind)
    context.sslsocket_class, context.sslobject_class = SSLSocket, SSLObject
    context.wrap_socket, context.wrap_bio = _wrap_socket, _wrap_bio
    context.set_alpn_protocols = _set_alpn_protocols
    context.load_verify_locations, context.load_cert_chain = _load_verify_locations, _load_cert_chain
    ssl.get_server_certificate = _get_server_certificate
    # Libraries decide by these what they can use.
    ssl.OPENSSL_VERSION = _VERSION
    ssl.OPENSSL_VERSION_INFO, ssl.OPENSSL_VERSION_NUMBER = (3, 5, 0, 0, 0), 0x30500000
    ssl.HAS_ALPN = ssl.HAS_SNI = ssl.HAS_NEVER_CHECK_COMMON_NAME = ssl.HAS_TLSv1_2 = ssl.HAS_TLSv1_3 = True
