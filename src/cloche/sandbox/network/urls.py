"""Parses URLs strictly, so that no later step can read them differently."""

import re
from functools import cached_property
from urllib.parse import quote, urljoin

from cloche.limits import NET_URL_LIMIT
from cloche.sandbox.network.addresses import Address, parse_address
from cloche.sandbox.network.refusals import BadRequest

DEFAULT_PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?:#.*)?", re.I)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\\ud800-\udfff]")
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)")


class UrlTarget:
    """Where one request goes."""

    def __init__(self, scheme: str, host: str, port: int, path: str = "/") -> None:
        self.scheme = scheme
        self.host = host
        """A name in lower-case ASCII without a final dot, or an address without brackets."""
        self.port = port
        self.path = path
        """Path and query, as they go on the wire."""

    @cached_property
    def address(self) -> Address | None:
        return parse_address(self.host)

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = bracket_host(self.host)
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def shown(self) -> str:
        """The URL for logs; of the query, only the names: the values may be secret."""
        path, mark, query = self.path.partition("?")
        names = "&".join(f"{each.partition('=')[0]}=..." if "=" in each else "..." for each in query.split("&"))
        return f"{self.scheme}://{self.authority}{path}{mark}{names if mark else ''}"[:2000]

    def join(self, location: str) -> "UrlTarget":
        """Where a redirect leads."""
        try:
            return parse_url(urljoin(self.url, location))
        except ValueError as error:
            raise BadRequest(f"the redirect to {location[:200]!r} leads nowhere: {error}") from None


def parse_url(url: str) -> UrlTarget:
    """Parse a URL; raises BadRequest if it could be read in two ways."""
    if len(url) > NET_URL_LIMIT:
        raise BadRequest(f"the URL has {len(url)} characters, more than {NET_URL_LIMIT}")
    if _UNSAFE.search(url):
        raise BadRequest(f"the URL {url[:200]!r} holds a space, a backslash or a control character: percent-encode it")
    match = _URL.fullmatch(url)
    if match is None:
        raise BadRequest(f"{url[:200]!r} is not a URL that begins with http:// or https://")
    scheme = match["scheme"].lower()
    if "@" in match["authority"]:
        raise BadRequest("the URL holds a user name or password before the host: send an Authorization header instead")
    host, port = split_host(match["authority"])
    path = quote((match["path"] or "/") + (match["query"] or ""), safe="/?%:@!$&'()*+,;=~-._[]{}|\"<>^`")
    return UrlTarget(scheme, normalise_host(host), DEFAULT_PORTS[scheme] if port is None else port, path)


def split_host(authority: str) -> tuple[str, int | None]:
    """Host and port of `host:port`, `[address]:port` or either alone; raises BadRequest."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?", authority)
    if match is None:
        raise BadRequest(f"{authority[:200]!r} is not host:port; an IPv6 address stands in brackets")
    if not match[2]:
        return match[1], None
    port = int(match[2][:6])
    if not 1 <= port <= 65535:
        raise BadRequest(f"{match[2][:6]} is not a port: give 1 to 65535")
    return match[1], port


def normalise_host(host: str) -> str:
    """A name or an address in its normal form; raises BadRequest for anything else."""
    if host.startswith("["):
        address = parse_address(host[1:-1])
        if address is None or ":" not in host:
            raise BadRequest(f"{host[:200]!r} is not an IPv6 address")
        return str(address)
    name = _to_ascii(host).removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadRequest(f"{host[:300]!r} is not a host name")
    if _NUMBER.fullmatch(labels[-1]):
        # 127.1, 0x7f.1 and 2130706433 mean 127.0.0.1 to some programs and nothing to others.
        address = parse_address(name)
        if address is None:
            raise BadRequest(f"{host[:300]!r} is not an IPv4 address in its usual form, four numbers up to 255")
        return str(address)
    return name


def bracket_host(host: str) -> str:
    """The host as it is written in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def _to_ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna  # noqa: PLC0415 - its tables are large and seldom needed

    try:
        return idna.encode(host, uts46=True).decode().lower()
    except idna.IDNAError as error:
        raise BadRequest(f"{host[:300]!r} is not a host name: {error}") from None
