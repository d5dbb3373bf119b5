"""What the host's pip may open while it looks for packages: its owner's indexes, and public files they name.

A package comes by name from an index that the owner has configured. A package or a page of an index may point
elsewhere, so pip is restricted in its own process: a requirement by URL is refused unless the owner wrote it, a page
from the network names no file of this machine, and no request or redirect reaches a private address that the
configuration does not name. `run_pip.py` loads this file by its path, because pip may run in a Python without Cloche.
"""

import importlib
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urljoin, urlsplit

log = logging.getLogger("pip.cloche")

REFUSED = "cloche refused:"
"""How a refusal starts; pip's log is searched for it."""

PORTS = {"http": 80, "https": 443}

Public = Callable[[str], bool]
"""Whether a host, by its name or IP address, belongs to the public internet."""

Origin = tuple[str, str, int | None]
"""Scheme, host and port; an empty scheme or no port means any."""


class PipRules:
    """What the owner configured, and what else may be opened."""

    def __init__(self, addresses: Iterable[str], is_public: Public, files: Mapping[Origin, Origin]) -> None:
        self.addresses = frozenset(addresses)
        """Requirements by address that the owner wrote."""
        self._is_public = is_public
        self._files = files
        self._origins = {address_origin(each) for each in self.addresses}
        self._request = threading.local()

    def configure(self, locations: Iterable[str], trusted: Iterable[tuple[str, int | None]]) -> None:
        """Add the indexes and the trusted hosts of pip's configuration."""
        self._origins |= {address_origin(each) for each in locations if urlsplit(each).scheme in PORTS}
        self._origins |= {self._files[each] for each in self._origins & self._files.keys()}
        self._origins |= {("", host.lower(), port) for host, port in trusted}

    def names_elsewhere(self, req: Any, comes_from: object, link: Any) -> str:
        """The address of a requirement that only a package's metadata asks for; otherwise empty."""
        address = getattr(req, "url", None) or getattr(link, "url", "")
        # A string names the owner's file that contains the requirement; a package is an object.
        known = address in self.addresses or isinstance(comes_from, str)
        return "" if not address or known else str(req or address)

    def admits(self, address: str, page: str) -> bool:
        """Whether a page may name this file: a page from the network may name none of this machine."""
        return urlsplit(address).scheme in PORTS or urlsplit(page).scheme not in PORTS

    def refuse_request(self, address: str) -> str:
        """Why an address must not be requested; empty if it may be."""
        scheme, host, port = found = address_origin(address)
        if scheme not in PORTS or not port:
            return f"{REFUSED} a redirect leads to no address of the network"
        if self._is_configured(found):
            return ""
        if scheme != "https" and not any(each[0] == "http" for each in self._origins):
            return f"{REFUSED} {scheme}://{host} is not https"
        return f"{REFUSED} {host} is no public address" if not self._is_public(host) else ""

    def during(self, address: str, proxied: bool, act: Callable[[], Any]) -> Any:
        """Send a request; connections that it opens must follow the rules for its address."""
        # A proxy is configured by the owner, and resolves the host itself.
        self._request.free = proxied or self._is_configured(address_origin(address))
        try:
            return act()
        finally:
            del self._request.free

    def check_connection(self, address: object) -> None:
        """Refuse a socket's connection to a private address, or outside of any request."""
        if not isinstance(address, tuple):
            # A local socket, such as a keyring's.
            return
        host = str(address[0])  # pyright: ignore[reportUnknownArgumentType] - as sockets give it
        if getattr(self._request, "free", False) or (hasattr(self._request, "free") and self._is_public(host)):
            return
        raise PermissionError(1, f"{REFUSED} its name leads to no public address")

    def _is_configured(self, found: Origin) -> bool:
        return any(
            host == found[1] and scheme in ("", found[0]) and port in (None, found[2])
            for scheme, host, port in self._origins
        )


def address_origin(address: str) -> Origin:
    """Scheme, host and port of an address; port 0 if there is none or it cannot be read."""
    parts = urlsplit(address)
    try:
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        port = 0
    return parts.scheme, (parts.hostname or "").lower(), port


def find_public_files() -> dict[Origin, Origin]:
    """The hosts of the public index and of its files, as pip knows them: a mirror that replaces one replaces both."""
    index: Any = importlib.import_module("pip._internal.models.index").PyPI
    return {address_origin(index.url): address_origin(f"https://{index.file_storage_domain}/")}


def install_rules(rules: PipRules) -> None:
    """Patch pip so that it follows the rules; a pip that cannot be patched is refused."""
    _patch_requirements(rules)
    _patch_pages(rules)
    _patch_requests(rules)


def _patch_requirements(rules: PipRules) -> None:
    kind, begin = _find_method("pip._internal.req.req_install", "InstallRequirement", "__init__")
    failed: Any = importlib.import_module("pip._internal.exceptions").InstallationError

    def held(self: Any, req: Any, comes_from: Any, editable: bool = False, link: Any = None, *rest: Any, **more: Any):
        if bad := rules.names_elsewhere(req, comes_from, link):
            raise failed(f"{REFUSED} a package wants {bad[:200]!r}")
        begin(self, req, comes_from, editable, link, *rest, **more)

    kind.__init__ = held


def _patch_pages(rules: PipRules) -> None:
    collector, create = _find_method("pip._internal.index.collector", "LinkCollector", "create")
    finder, choose = _find_method("pip._internal.index.package_finder", "PackageFinder", "get_install_candidate")

    def configured(*args: Any, **more: Any) -> Any:
        made = create(*args, **more)
        rules.configure(
            [*made.search_scope.index_urls, *made.search_scope.find_links], made.session.pip_trusted_origins
        )
        return made

    def chosen(self: Any, evaluator: Any, link: Any) -> Any:
        page = str(getattr(link.comes_from, "url", link.comes_from) or "")
        if rules.admits(link.url, page):
            return choose(self, evaluator, link)
        log.debug("%s a page of the index names a file of this machine", REFUSED)
        return None

    collector.create = configured
    finder.get_install_candidate = chosen


def _patch_requests(rules: PipRules) -> None:
    adapter, send = _find_method("pip._vendor.requests.adapters", "HTTPAdapter", "send")
    session, target = _find_method("pip._vendor.requests.sessions", "SessionRedirectMixin", "get_redirect_target")
    failed: Any = importlib.import_module("pip._vendor.requests.exceptions").ConnectionError
    select: Any = importlib.import_module("pip._vendor.requests.utils").select_proxy

    def check(address: str) -> None:
        if reason := rules.refuse_request(address):
            raise failed(reason)

    def held(self: Any, request: Any, *args: Any, **more: Any) -> Any:
        check(request.url)
        # The last of five arguments, positional or by name.
        proxies = args[4] if len(args) > 4 else more.get("proxies")
        act = partial(send, self, request, *args, **more)
        return rules.during(request.url, bool(select(request.url, proxies)), act)

    def followed(self: Any, answer: Any) -> Any:
        found = target(self, answer)
        if found:
            check(urljoin(answer.url, found))
        return found

    adapter.send = held
    session.get_redirect_target = followed


def _find_method(module: str, kind: str, name: str) -> tuple[Any, Any]:
    owner: Any = getattr(importlib.import_module(module), kind, None)
    found = getattr(owner, name, None)
    if not callable(found):
        raise SystemExit("ERROR: this version of pip cannot be held to its indexes: install another one")
    return owner, found
