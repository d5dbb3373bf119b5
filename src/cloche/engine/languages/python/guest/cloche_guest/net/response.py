"""The host's answer as the bytes of an HTTP/1 response: the head, then the body as it arrives."""

from __future__ import annotations

from typing import Any

from cloche_guest.host_requests import HostRequest

_DROPPED = {"connection", "keep-alive", "proxy-connection", "trailer", "transfer-encoding", "upgrade"}
_BODILESS = {204, 304}


class Response:
    """One response; `done` after its last byte has been read."""

    def __init__(self, host_request: HostRequest, data: dict[str, Any], *, method: str, closes: bool) -> None:
        self._host_request = host_request
        headers = [(name, value) for name, value in data["headers"] if name.lower() not in _DROPPED]
        bodiless = method == "HEAD" or data["status"] in _BODILESS
        self._left: int | None = 0 if bodiless else _announced(headers)
        # Without a length, the end of the connection is the end of the body.
        self.closes = closes or self._left is None
        if self.closes:
            headers.append(("Connection", "close"))
        self._head = memoryview(_write_head(data, headers))
        self.done = False

    def take(self, buffer: memoryview) -> int:
        """Read what has arrived into the buffer; 0 at the end, -1 if the caller must wait for the body."""
        size = self._take_head(buffer) if self._head else 0
        if self._left == 0 and not self._head:
            self._finish()
        if self.done or size == len(buffer):
            return size
        more = self._take_body(buffer[size:])
        return size + max(more, 0) if size else more

    def close(self) -> None:
        """Tell the host to stop, unless it has finished."""
        if not self.done:
            self.done = True
            self._host_request.close()

    def _take_head(self, buffer: memoryview) -> int:
        part = self._head[: len(buffer)]
        buffer[: len(part)] = part
        self._head = self._head[len(part) :]
        return len(part)

    def _take_body(self, buffer: memoryview) -> int:
        if self._left is None:
            size = self._host_request.take(buffer)
        else:
            size = self._host_request.take(buffer[: self._left])
            self._left -= max(size, 0)
        if size == 0:
            # A body that ends before its announced length ends the connection too.
            self.closes = True
        if size == 0 or self._left == 0:
            self._finish()
        return size

    def _finish(self) -> None:
        if not self.done:
            self.done = True
            self._host_request.leave()


def _announced(headers: list[tuple[str, str]]) -> int | None:
    lengths = {value.strip() for name, value in headers if name.lower() == "content-length"}
    value = lengths.pop() if len(lengths) == 1 else ""
    return int(value) if value.isascii() and value.isdigit() else None


def _write_head(data: dict[str, Any], headers: list[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {data['status']} {data['reason']}", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")
