"""Host names: the host looks them up when it makes a request; here each name has a placeholder address."""

from __future__ import annotations

import _socket
import socket
from typing import Any

_FIRST = 198 << 24 | 18 << 16
"""198.18.0.0/15, which no host on the internet has."""
_KEPT = 1 << 16
_LOCAL = {"localhost": "127.0.0.1", "localhost.localdomain": "127.0.0.1"}
_SERVICES = {"http": 80, "https": 443, "domain": 53, "ftp": 21, "smtp": 25, "ssh": 22}

_addresses: dict[str, str] = {}
_names: dict[str, str] = {}
_gethostname = socket.gethostname


def address_of(name: str) -> str:
    """The placeholder address of a name, or the name itself if it is an address."""
    if is_address(name):
        return name
    name = name.rstrip(".").lower()
    if name in _LOCAL or name == _gethostname():
        return "127.0.0.1"
    if name not in _addresses:
        number = _FIRST + len(_addresses) % _KEPT + 1
        address = socket.inet_ntoa(number.to_bytes(4, "big"))
        _addresses.pop(_names.get(address, ""), None)
        _addresses[name], _names[address] = address, name
    return _addresses[name]


def name_of(address: str) -> str:
    """The name of a placeholder address, or the address itself."""
    return _names.get(address, address)


def is_address(text: str) -> bool:
    """Whether this is an IP address."""
    return any(_is_address(family, text) for family in (socket.AF_INET, socket.AF_INET6))


def _is_address(family: int, text: str) -> bool:
    try:
        socket.inet_pton(family, text.partition("%")[0])
    except OSError, ValueError:
        return False
    return True


def text_of(host: Any) -> str:
    """A host's name as ASCII text."""
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("ascii")
    if not isinstance(host, str):
        raise TypeError("getaddrinfo() argument 1 must be string or None")
    if "\0" in host or not host or len(host) > 255:
        raise socket.gaierror(socket.EAI_NONAME, "Name does not resolve")
    return host if host.isascii() else host.encode("idna").decode("ascii")


def getaddrinfo(
    host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
) -> list[tuple[Any, Any, int, str, tuple[Any, ...]]]:
    """Resolve host and port into list of address info entries."""
    address = _local_address(family, flags) if host is None else _resolved(text_of(host), flags)
    found = socket.AF_INET6 if ":" in address else socket.AF_INET
    if family not in (0, found):
        raise socket.gaierror(socket.EAI_NONAME, f"{host} has no address of this family")
    number = _port(port)
    place = (address, number, 0, 0) if found == socket.AF_INET6 else (address, number)
    kinds = [(socket.SOCK_STREAM, socket.IPPROTO_TCP), (socket.SOCK_DGRAM, socket.IPPROTO_UDP)]
    name = str(host) if flags & socket.AI_CANONNAME else ""
    return [(found, kind, own, name, place) for kind, own in kinds if type in (0, kind) and proto in (0, own)]


def _resolved(name: str, flags: int) -> str:
    if flags & socket.AI_NUMERICHOST and not is_address(name):
        raise socket.gaierror(socket.EAI_NONAME, "Name does not resolve")
    return address_of(name)


def _local_address(family: int, flags: int) -> str:
    if family == socket.AF_INET6:
        return "::" if flags & socket.AI_PASSIVE else "::1"
    return "0.0.0.0" if flags & socket.AI_PASSIVE else "127.0.0.1"


def _port(port: Any) -> int:
    if isinstance(port, bytes):
        port = port.decode("ascii")
    if port is None:
        return 0
    if isinstance(port, str) and not port.isdigit():
        if port not in _SERVICES:
            raise socket.gaierror(socket.EAI_SERVICE, "Unrecognized service")
        return _SERVICES[port]
    return int(port)


def gethostbyname(name: str) -> str:
    """Return the IP address (a string of the form '255.255.255.255') for a host."""
    return address_of(text_of(name))


def gethostbyname_ex(name: str) -> tuple[str, list[str], list[str]]:
    """Return the true host name, a list of aliases, and a list of IP addresses, for a host."""
    return name, [], [gethostbyname(name)]


def gethostbyaddr(name: str) -> tuple[str, list[str], list[str]]:
    """Return the true host name, a list of aliases, and a list of IP addresses, for a host."""
    address = gethostbyname(name)
    known = "localhost" if address in ("127.0.0.1", "::1") else name_of(address)
    if known == address:
        raise socket.herror(1, "Unknown host")
    return known, [], [address]


def getnameinfo(place: tuple[Any, ...], flags: int) -> tuple[str, str]:
    """Get host and port for a sockaddr."""
    host = place[0] if flags & socket.NI_NUMERICHOST else name_of(place[0])
    return host, str(place[1])


def install() -> None:
    """Install the functions."""
    for function in (getaddrinfo, gethostbyname, gethostbyname_ex, gethostbyaddr, getnameinfo):
        for module in (socket, _socket):
            setattr(module, function.__name__, function)
