"""IP addresses: which spellings are accepted, and which addresses are public."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

ADDRESSES_TRIED = 4
"""How many addresses of a name are tried."""

_NOT_PUBLIC_4 = [
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, where clouds keep their metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
]
_PUBLIC_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = [
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",
        "2002::/16",  # 6to4: leads to the IPv4 address inside
        "2620:4f:8000::/48",
        "3fff::/20",
    )
]
_NAT64 = IPv6Network("64:ff9b::/96")


def parse_address(text: str) -> Address | None:
    """The address, if the text is one in its usual form; an IPv4-mapped IPv6 address becomes the IPv4 address."""
    if "%" in text:
        return None
    try:
        return unmap_address(ip_address(text))
    except ValueError:
        return None


def unmap_address(address: Address) -> Address:
    """The IPv4 address inside an IPv4-mapped one; other addresses are returned unchanged."""
    inner = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return inner or address


def is_public(address: Address) -> bool:
    """Whether this is an address of the public internet."""
    address = unmap_address(address)
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _PUBLIC_6 and not any(address in network for network in _NOT_PUBLIC_6)


def is_reachable(address: Address) -> bool:
    """Whether this can be the address of a single host; if not, listing it does not help."""
    return not (address.is_unspecified or address.is_multicast or address == IPv4Address("255.255.255.255"))


def is_public_host(host: str) -> bool:
    """Whether a host, given by name or address, may belong to the public internet; names are not resolved."""
    host = host.rstrip(".").lower()
    if "%" in host:
        return False
    try:
        return is_public(ip_address(host))
    except ValueError:
        last = host.rpartition(".")[2]
    # No name ends in a number: that would be another form of an address.
    return "." in host and not last[:1].isdigit() and last not in ("local", "localhost", "internal")
