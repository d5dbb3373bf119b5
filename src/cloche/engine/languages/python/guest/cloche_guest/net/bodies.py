"""Complete responses for callers without a library of their own: a request, and its decoded body."""

from __future__ import annotations

import zlib
from typing import Any

from cloche_guest.host_requests import HostRequest, RequestError, send_request
from cloche_guest.net.failures import failure_of

_ENCODINGS = "gzip, deflate"
_PORTS = {"http": 80, "https": 443}


class Fetch:
    """One request and its answer."""

    def __init__(self, url: str, method: str, headers: dict[str, str], body: Any, *, follow: bool = True) -> None:
        # Imported late, like everything that few programs need: earlier imports take memory in every sandbox.
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise OSError(f"only addresses that begin with http:// or https:// can be fetched, not {url[:100]!r}")
        self._place = f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"
        sent = {name: str(value) for name, value in headers.items()}
        names = {name.lower() for name in sent}
        data, kind = _body(body)
        if kind and "content-type" not in names:
            sent["Content-Type"] = kind
        if "accept-encoding" not in names:
            sent["Accept-Encoding"] = _ENCODINGS
        self._host_request: HostRequest | None = send_request(
            {
                "kind": "fetch", "method": method.upper(), "url": url, "headers": list(sent.items()),
                "redirect": "follow" if follow else "manual",
            },
            data,
        )  # fmt: skip
        self._content: bytes | None = None
        self._coding = ""
        self.head: dict[str, Any] = {}
        self.headers: dict[str, str] = {}

    def wait(self) -> Fetch:
        """Wait for the head of the answer."""
        try:
            return self._open(self._must().data())
        except RequestError as error:
            raise failure_of(error, self._place) from None

    async def wait_async(self) -> Fetch:
        """The same, without blocking the event loop."""
        try:
            return self._open(await self._must().data_async())
        except RequestError as error:
            raise failure_of(error, self._place) from None

    def content(self) -> bytes:
        """The whole body, decoded."""
        parts: list[bytes] = []
        try:
            while self._content is None and (part := self._must().read()):
                parts.append(part)
        except RequestError as error:
            raise failure_of(error, self._place) from None
        return self._keep(parts)

    async def content_async(self) -> bytes:
        """The same, without blocking the event loop."""
        parts: list[bytes] = []
        try:
            while self._content is None and (part := await self._must().read_async()):
                parts.append(part)
        except RequestError as error:
            raise failure_of(error, self._place) from None
        return self._keep(parts)

    def close(self) -> None:
        """Tell the host to stop; may be called twice."""
        host_request, self._host_request = self._host_request, None
        if host_request is not None:
            host_request.close()

    def __del__(self) -> None:
        self.close()

    def _must(self) -> HostRequest:
        if self._host_request is None:
            raise OSError("the request was aborted")
        return self._host_request

    def _open(self, data: Any) -> Fetch:
        self.head = data
        for name, value in data["headers"]:
            name = name.lower()
            self.headers[name] = f"{self.headers[name]}, {value}" if name in self.headers else value
        self._coding = self.headers.get("content-encoding", "").strip().lower()
        return self

    def _keep(self, parts: list[bytes]) -> bytes:
        if self._content is None:
            self._content = _decoded(b"".join(parts), self._coding)
            self.close()
        return self._content


def _body(body: Any) -> tuple[bytes | None, str]:
    if body is None:
        return None, ""
    if isinstance(body, str):
        return body.encode(), "text/plain;charset=UTF-8"
    return bytes(body), ""


def _decoded(data: bytes, coding: str) -> bytes:
    if not data or coding not in ("gzip", "x-gzip", "deflate"):
        return data
    try:
        return _inflated(data, 47)
    except zlib.error:
        # Some servers take the word "deflate" literally.
        return _inflated(data, -15)


def _inflated(data: bytes, window: int) -> bytes:
    parts: list[bytes] = []
    while data:
        decoder = zlib.decompressobj(window)
        parts += [decoder.decompress(data), decoder.flush()]
        data = decoder.unused_data
    return b"".join(parts)
