"""What a sandbox may reach: the entries of allow_net, checked when they are given."""

import re
from collections.abc import Iterable
from ipaddress import ip_network

import msgspec

from cloche.errors import ConfigError
from cloche.sandbox.network.addresses import Address, Network, is_public, is_reachable
from cloche.sandbox.network.refusals import BadRequest, NotAllowed, PrivateAddress
from cloche.sandbox.network.urls import UrlTarget, bracket_host, normalise_host, parse_address, split_host

FORMS = 'give "host:port", "host" for ports 80 and 443, "*.host:port", "address:port" or "network/bits:port"'
WEB = (80, 443)
LOCALHOST = "localhost"
_NETWORK = re.compile(r"\[?(?P<network>[0-9a-fA-F.:]+/[0-9]{1,3})\]?(?::(?P<port>[0-9]+))?")


class Rule(msgspec.Struct, frozen=True):
    """One entry of allow_net."""

    ports: tuple[int, ...]
    name: str = ""
    """A whole name, or with a leading dot the end of one."""
    network: Network | None = None

    def takes_name(self, name: str, port: int) -> bool:
        if self.network is not None or port not in self.ports:
            return False
        return name.endswith(self.name) and name != self.name if self.name.startswith(".") else name == self.name

    def takes_address(self, address: Address, port: int) -> bool:
        if self.network is None or port not in self.ports:
            return False
        return address.version == self.network.version and address in self.network

    def takes_rule(self, other: "Rule", port: int) -> bool:
        """Whether it lets through all that another one does at this port."""
        if other.network is not None:
            own = self.network
            return port in self.ports and own is not None and _contains(own, other.network)
        if not other.name.startswith("."):
            return self.takes_name(other.name, port)
        return port in self.ports and self.name.startswith(".") and other.name.endswith(self.name)


class Policy:
    """Decides by name and port first, then by every address that the name has."""

    def __init__(self, allow_net: Iterable[str]) -> None:
        if isinstance(allow_net, str):
            raise ConfigError(f"allow_net={allow_net!r} is one text: give a list of them")
        self._rules = [parse_rule(entry) for entry in allow_net]

    @property
    def empty(self) -> bool:
        return not self._rules

    def covers(self, entry: str) -> bool:
        """Whether all that an entry of another allow_net lets through is listed here too."""
        other = parse_rule(entry)
        return all(any(rule.takes_rule(other, port) for rule in self._rules) for port in other.ports)

    def check_target(self, target: UrlTarget) -> None:
        """Raise NotAllowed unless the host and port of a URL are listed."""
        if target.address is None:
            allowed = self.allows_name(target.host, target.port)
        else:
            allowed = self.allows_address(target.address, target.port)
        if not allowed:
            entry = f"{bracket_host(target.host)}:{target.port}"
            raise NotAllowed(
                f"this sandbox may not reach {entry}: add {entry!r} to allow_net (--allow-net {entry}) to let it"
            )

    def check_address(self, target: UrlTarget, address: Address) -> None:
        """Raise PrivateAddress for a resolved address that is neither public nor listed itself."""
        if self.allows_address(address, target.port):
            return
        if target.host == LOCALHOST and address.is_loopback:
            return
        if not is_public(address):
            entry = f"{bracket_host(str(address))}:{target.port}"
            raise PrivateAddress(
                f"{target.host} leads to {address}, which is not a public address: "
                f"add {entry!r} to allow_net (--allow-net {entry}) if it is meant to be reached"
            )

    def allows_name(self, name: str, port: int | None = None) -> bool:
        """Whether a name is listed, for a port or for any."""
        ports = {each for rule in self._rules for each in rule.ports} if port is None else {port}
        return any(rule.takes_name(name, each) for rule in self._rules for each in ports)

    def allows_address(self, address: Address, port: int | None = None) -> bool:
        """Whether an address is listed literally, for a port or for any."""
        if not is_reachable(address):
            return False
        ports = {each for rule in self._rules for each in rule.ports} if port is None else {port}
        return any(rule.takes_address(address, each) for rule in self._rules for each in ports)


def parse_rule(entry: str) -> Rule:
    """Read one entry of allow_net; ConfigError says what is wrong with it."""
    if not isinstance(entry, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise ConfigError(f"allow_net={entry!r} is not text: {FORMS}")
    try:
        return _read_rule(entry)
    except (BadRequest, ValueError) as error:
        raise ConfigError(f"allow_net={entry!r} cannot be read: {error}; {FORMS}") from None


def _read_rule(entry: str) -> Rule:
    if "://" in entry:
        raise ValueError("it is a URL")
    if match := _NETWORK.fullmatch(entry):
        return Rule(_list_ports(int(match["port"]) if match["port"] else None), network=ip_network(match["network"]))
    host, port = split_host(entry)
    if host.startswith("*."):
        name = normalise_host(host[2:])
        if "." not in name or parse_address(name):
            raise ValueError(f"*.{name} would match too much")
        return Rule(_list_ports(port), f".{name}")
    name = normalise_host(host)
    address = parse_address(name)
    if address is None:
        return Rule(_list_ports(port), name)
    if not is_reachable(address):
        raise ValueError(f"{address} is not the address of one machine")
    return Rule(_list_ports(port), network=ip_network(address))


def _contains(wide: Network, narrow: Network) -> bool:
    return wide.version == narrow.version and wide.prefixlen <= narrow.prefixlen and narrow.network_address in wide


def _list_ports(port: int | None) -> tuple[int, ...]:
    if port is None:
        return WEB
    if not 1 <= port <= 65535:
        raise ValueError(f"{port} is not a port")
    return (port,)
