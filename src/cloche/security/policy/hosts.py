"""Hosts in rules and in `allow_net`: names, `*.name`, addresses and networks, perhaps with a port."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from ipaddress import ip_address, ip_network

_PORT = re.compile(r"(\[.*\]|[^:]*):(\d{1,5})")


def list_matches(entries: Sequence[str], name: str, port: int | None) -> bool:
    """Whether a host is in a list; a port counts if both have one."""
    return any(_matches(entry, name, port) for entry in entries)


def _matches(entry: str, name: str, port: int | None) -> bool:
    host, wanted = _split_entry(entry)
    if wanted is not None and port is not None and wanted != port:
        return False
    return _in_network(host, name) if "/" in host else fnmatchcase(name, host)


@cache
def _split_entry(entry: str) -> tuple[str, int | None]:
    plain = entry.strip().lower()
    match = _PORT.fullmatch(plain)
    return (match[1].strip("[]"), int(match[2])) if match else (plain.strip("[]"), None)


def _in_network(network: str, name: str) -> bool:
    try:
        return ip_address(name) in ip_network(network, strict=False)
    except ValueError:
        return False
