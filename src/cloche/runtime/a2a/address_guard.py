"""Which addresses a remote agent may be reached at: those that are configured, and no other that it leads to."""

from collections.abc import Mapping

import httpx

from cloche.config import A2AServer
from cloche.config.secret import Secret, mask_address
from cloche.errors import ConfigError, RemoteAgentError, RemoteAgentLost
from cloche.sandbox.network.addresses import (
    ADDRESSES_TRIED,
    is_public,
    is_public_host,
    is_reachable,
    parse_address,
)
from cloche.sandbox.network.dialer import Resolver, resolve_host

Origin = tuple[str, str, int]
"""Scheme, host and port."""
PORTS = {"http": 80, "https": 443}


def parse_origin(url: str) -> Origin:
    """The origin of an address; raises RemoteAgentError if it has none."""
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        parts = httpx.URL()
    host = parts.raw_host.decode("ascii").rstrip(".")
    if parts.scheme not in PORTS or not host or (parts.port or 1) not in range(1, 65_536):
        raise RemoteAgentError(f"{mask_address(url[:200])!r} is no address that begins with http:// or https://")
    return parts.scheme, host, parts.port or PORTS[parts.scheme]


def format_origin(origin: Origin) -> str:
    """The origin as an address."""
    scheme, host, port = origin
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}" if port == PORTS[scheme] else f"{scheme}://{name}:{port}"


class AddressGuard:
    """The origins of the configured servers, each with the key that it gets."""

    def __init__(self, keys: Mapping[Origin, Secret | None], resolver: Resolver = resolve_host) -> None:
        self._keys = keys
        self._resolver = resolver
        self._found: dict[Origin, list[str]] = {}

    def check(self, origin: Origin) -> None:
        """Raise RemoteAgentError unless the origin is configured."""
        if origin not in self._keys:
            raise RemoteAgentError(
                f"it leads to {format_origin(origin)}, which is not configured, so it is not asked. "
                "If you trust that address, add it to [a2a] servers too"
            )

    def key(self, origin: Origin) -> Secret | None:
        """The key for this origin: keys of others are never sent to it."""
        return self._keys.get(origin)

    async def find(self, origin: Origin) -> list[str]:
        """The IP addresses of an origin; a name of the internet may not lead to a private one."""
        self.check(origin)
        if origin not in self._found:
            self._found[origin] = await self._resolve(origin[1])
        return self._found[origin]

    def forget(self, origin: Origin) -> None:
        """Resolve it anew the next time."""
        self._found.pop(origin, None)

    async def _resolve(self, host: str) -> list[str]:
        if parse_address(host) is not None:
            return [host]
        try:
            found = list(dict.fromkeys(await self._resolver(host)))
        except (OSError, UnicodeError) as error:
            raise RemoteAgentLost(f"the host {host} is not known: {error}") from None
        addresses = [address for text in found if (address := parse_address(text)) is not None]
        refused = [str(each) for each in addresses if not is_reachable(each) or _is_disguised(host, is_public(each))]
        if refused or not addresses:
            raise RemoteAgentError(
                f"the name {host} leads to {', '.join(refused or found) or 'no address'}, which is not of the public "
                "internet: if that is right, configure the server by its IP address"
            )
        return [str(address) for address in addresses[:ADDRESSES_TRIED]]


def _is_disguised(host: str, public: bool) -> bool:
    """Whether a name that looks public leads to a private address; names such as `agents` or `a.local` do so openly."""
    return is_public_host(host) and not public


def list_keys(server: A2AServer, servers: tuple[A2AServer, ...]) -> dict[Origin, Secret | None]:
    """The origins that one server may lead to, with their keys; its own key is for its own origin."""
    keys: dict[Origin, Secret | None] = {}
    for each in servers:
        try:
            keys.setdefault(parse_origin(each.url), each.read_key())
        except (ConfigError, RemoteAgentError):
            # It is reported where it is used.
            continue
    return {**keys, parse_origin(server.url): server.read_key()}
